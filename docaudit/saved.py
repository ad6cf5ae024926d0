"""A justification as JSON, and back: the form that is kept, checked and shown again."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from docaudit.errors import MissingEvidenceError, OptionError, SavedFileError
from docaudit.justification import SCHEMA_VERSION, AbsenceJustification

MAX_BYTES = 1 << 30
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dump(justification: AbsenceJustification) -> str:
    """JSON with the same bytes for the same justification, whatever machine wrote it.

    Fields keep the order of the schema. Mappings whose order means nothing (versions, pages by state, waivers) are
    sorted; concepts and hits keep the order of the table and of the pages.
    """
    return _text(as_data(justification))


def digest_of(justification: AbsenceJustification) -> str:
    """SHA-256 over everything that is saved but the digest itself."""
    data = as_data(justification)
    del data["digest"]
    return hashlib.sha256(_text(data).encode("utf-8")).hexdigest()


def with_digest(justification: AbsenceJustification) -> AbsenceJustification:
    """The same justification with the digest of its content."""
    return justification.model_copy(update={"digest": digest_of(justification)})


def as_data(justification: AbsenceJustification) -> dict[str, Any]:
    """The content of the saved form: mappings, lists, texts, numbers."""
    data = justification.model_dump(mode="json")
    _sort(data["document"], "versions")
    _sort(data["coverage"], "pages_by_state")
    _sort(data["options"], "waive")
    for name in ("retrieval", "model_remark"):
        if data[name] is None:  # as it was before there was such a field: digests of older files still fit
            del data[name]
    return data


def _text(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    # A broken font map can give half a character; as an escape it survives, and the file stays valid UTF-8.
    return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def load(text: str | bytes, *, file: str | None = None) -> AbsenceJustification:
    """The justification that `dump` wrote; raises SavedFileError with what is wrong with it."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if _is_pdf(text):
            raise SavedFileError(
                "this is a PDF, and no justification",
                file=file,
                remedy="the JSON comes first: name the justification.json that docaudit audit --out wrote",
            ) from error
        what = "no text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise _error(f"not JSON: {what}", file) from error
    if not isinstance(data, dict) or data.get("kind") != "absence":
        raise _error("JSON, but not a justification of docaudit", file)
    version = data.get("schema_version")
    if version is not None and version != SCHEMA_VERSION:
        raise SavedFileError(
            f"its form is version {version}, and this docaudit reads version {SCHEMA_VERSION}",
            file=file,
            remedy="run the audit again, or read it with the docaudit that wrote it (document.versions says which)",
        )
    try:
        return AbsenceJustification.model_validate(data)
    except (MissingEvidenceError, OptionError) as error:
        raise _error(error.cause, file) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise _error(f"not a valid justification: {place}: {first['msg']}{more}", file) from error


def _is_pdf(text: str | bytes) -> bool:
    """Whether the header of a PDF stands where readers look for it."""
    start = text[:1024]
    return b"%PDF-" in (start.encode("utf-8", "replace") if isinstance(start, str) else start)


def load_justification(path: str | Path) -> AbsenceJustification:
    """The justification saved in a file; raises SavedFileError."""
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise _error("larger than any justification", str(path))
        data = file.read_bytes()
    except OSError as error:
        raise SavedFileError(
            f"cannot be read: {error.strerror or error}",
            file=str(path),
            remedy="name the justification.json that docaudit audit --out wrote",
        ) from error
    return load(data, file=str(path))


def _sort(part: dict[str, dict[str, object]], name: str) -> None:
    part[name] = dict(sorted(part[name].items()))


def _error(cause: str, file: str | None) -> SavedFileError:
    return SavedFileError(
        cause, file=file, remedy="run the audit again, or restore the file as docaudit wrote it"
    )
