"""The body of a request onto disk: counted while it comes, whatever its headers claim, and under a time limit."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from docaudit.integrations.http.asked import Asked, asked_from_form, asked_from_json
from docaudit.integrations.http.forms import WholeForm
from docaudit.integrations.http.places import safe_name
from docaudit.integrations.http.problems import RefusedError, refused
from docaudit.integrations.http.settings import MIB, ServeSettings

_FORM = "multipart/form-data"
_BESIDE = MIB
"""Room for what is no file: names, question, options, and the lines between the parts."""
_MOST_FIELDS = 8


class Received(NamedTuple):
    """A request whose files lie on disk: what is asked, the uploaded document, the uploaded concept table."""

    asked: Asked
    document: Path | None
    table: Path | None


async def received(request: Request, place: Path, settings: ServeSettings) -> Received:
    """Read a request into the folder `place`.

    Raises RefusedError (too large, too slow, of another type, not as it must be), or ClientDisconnect of Starlette.
    """
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind not in (_FORM, "application/json"):
        raise refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            f"a request is {_FORM} or application/json, not {kind or 'without a type'}",
            "send the fields as a form, or as JSON where nothing is uploaded",
        )
    try:
        async with asyncio.timeout(settings.upload_seconds):
            if kind == _FORM:
                return await _form(request, place, settings)
            limit = settings.max_table_mb * MIB + _BESIDE
            body = b"".join([piece async for piece in _counted(request, limit)])
            # In a thread: others are answered while many megabytes are looked at.
            return Received(await run_in_threadpool(asked_from_json, body), None, None)
    except TimeoutError as error:
        raise refused(
            HTTPStatus.REQUEST_TIMEOUT,
            "upload_timed_out",
            f"the request was not complete after {settings.upload_seconds:g} s",
            "send it faster, or start the server with a larger --upload-seconds",
            headers={"Connection": "close"},
        ) from error


async def _counted(request: Request, limit: int) -> AsyncGenerator[bytes, None]:
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise _too_large("the request", limit)
        yield piece


async def _form(request: Request, place: Path, settings: ServeSettings) -> Received:
    document_limit, table_limit = settings.max_upload_mb * MIB, settings.max_table_mb * MIB
    stream = _counted(request, document_limit + table_limit + _BESIDE)
    parser = WholeForm(
        request.headers, stream, max_files=2, max_fields=_MOST_FIELDS, max_part_size=table_limit
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise refused(
            HTTPStatus.BAD_REQUEST, "bad_form", f"the form cannot be read: {error.message}", "send it again"
        ) from error
    try:
        parser.need_end()
        fields: dict[str, str] = {}
        files: dict[str, UploadFile] = {}
        for name, value in form.multi_items():
            if name in fields or name in files:
                raise _wrong(f"{name}: stands there twice")
            if isinstance(value, str):
                fields[name] = value
            elif value.filename or value.size:  # a browser sends an empty one where none was chosen
                files[name] = value
        if strange := sorted(set(files) - {"document", "concepts"}):
            raise _wrong(f"{strange[0]}: no file is taken under this name; uploads are document and concepts")
        document = await _kept(files.get("document"), place / "document", "document.pdf", document_limit)
        table = await _kept(files.get("concepts"), place / "table", "concepts.csv", table_limit)
    finally:
        await form.close()
    return Received(await run_in_threadpool(asked_from_form, fields), document, table)


async def _kept(upload: UploadFile | None, folder: Path, otherwise: str, limit: int) -> Path | None:
    """The upload as a file of its own name in the folder."""
    if upload is None:
        return None
    file = folder / safe_name(upload.filename, otherwise)
    if (upload.size or 0) > limit:
        raise _too_large(file.name, limit)

    def copy() -> None:
        with file.open("xb") as stream:
            shutil.copyfileobj(upload.file, stream, MIB)

    await run_in_threadpool(copy)
    return file


def _too_large(what: str, limit: int) -> RefusedError:
    return refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "upload_too_large",
        f"{what} is larger than {limit // MIB:,} MiB",
        "split it, or start the server with a larger --max-upload-mb or --max-table-mb",
        headers={"Connection": "close"},
    )


def _wrong(problem: str) -> RefusedError:
    return refused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "wrong_request",
        "the request is not as it must be",
        "name each field once",
        problems=(problem,),
    )
