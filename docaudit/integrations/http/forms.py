"""Forms as they were sent or not at all: the parser below reads what is no UTF-8 as Latin-1, and takes half a form."""

from __future__ import annotations

from http import HTTPStatus

from python_multipart.multipart import parse_options_header
from starlette.formparsers import MultiPartParser

from docaudit.integrations.http.problems import RefusedError, refused

_TAKEN = frozenset({"", "utf-8", "utf8", "us-ascii"})


class WholeForm(MultiPartParser):
    """A form whose texts are UTF-8 and whose last line has come; anything else raises RefusedError."""

    _complete = False

    def on_headers_finished(self) -> None:
        """Look at the head of a part: its names, and in what its text is written."""
        try:
            (self._current_part.content_disposition or b"").decode()
        except UnicodeDecodeError as error:
            raise _not_utf8("the name of a field or file") from error
        super().on_headers_finished()
        headers = dict(self._current_part.item_headers)
        if self._current_part.file is None:
            self._need_taken(headers.get(b"content-type", b""))

    def on_part_end(self) -> None:
        """Look at the text of a field."""
        part = self._current_part
        if part.file is None:
            self._need_taken(self.headers.get("content-type", "").encode("latin-1"))
            try:
                part.data.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(f"the field {part.field_name}") from error
        super().on_part_end()

    def on_end(self) -> None:
        """Note that the last line has come."""
        self._complete = True

    def need_end(self) -> None:
        """Raise RefusedError if the form was cut off: what is missing might be an option or half of the table."""
        if not self._complete:
            raise refused(
                HTTPStatus.BAD_REQUEST,
                "bad_form",
                "the form is not complete: its closing line is missing",
                "send it again",
            )

    def _need_taken(self, content_type: bytes) -> None:
        charset = parse_options_header(content_type)[1].get(b"charset", b"").decode("latin-1").lower()
        if charset not in _TAKEN:
            raise _not_utf8(f"the field {self._current_part.field_name}")


def _not_utf8(what: str) -> RefusedError:
    return refused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "not_utf8",
        f"{what} is not UTF-8",
        "write all names and texts in UTF-8",
    )
