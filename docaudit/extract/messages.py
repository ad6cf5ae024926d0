"""Length-prefixed msgpack messages over pipes between the parent and the child that reads the document."""

from __future__ import annotations

import os
import select
import struct
import time
from typing import Any

import msgspec

from docaudit.extract.facts import Reply, Request

_HEADER = struct.Struct("<Q")
MAX_MESSAGE = 64 << 20
"""Bytes of the largest message: 20 times what the densest pages need, and little enough to unpack it."""

encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(Request).decode
_decode_reply = msgspec.msgpack.Decoder(Reply).decode


class PipeClosedError(Exception):
    """The other side went away in the middle of, or before, a message."""


class PipeGarbledError(PipeClosedError):
    """What came is no message of ours: the other side cannot be trusted any more."""


class MessageTooLargeError(Exception):
    """What was to be sent is larger than the other side takes."""


class PipeTimeoutError(Exception):
    """The other side did not answer in time."""


def decode_reply(body: bytes) -> Reply:
    """The reply in a message's bytes; raises PipeGarbledError."""
    try:
        return _decode_reply(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise PipeGarbledError(f"an answer that is none: {error}") from error


def send(handle: int, message: Request | Reply, most: int = MAX_MESSAGE) -> None:
    """Write one message; raises MessageTooLargeError, or PipeClosedError if nobody reads any more."""
    body = _encoded(message)
    if len(body) > most:
        raise MessageTooLargeError(f"{len(body) >> 20} MiB of text and boxes, more than {most >> 20} MiB")
    view = memoryview(_HEADER.pack(len(body)) + body)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError as error:
        raise PipeClosedError("the reader of the pipe is gone") from error


def _encoded(message: Request | Reply) -> bytes:
    """The message's bytes. Names and warnings in damaged files have bytes that are no text: they become U+FFFD."""
    try:
        return encode(message)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_mended(msgspec.to_builtins(message, builtin_types=(bytes,))))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, (list, tuple)):
        return [_mended(part) for part in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(part) for key, part in value.items()}
    return value


def receive(handle: int, seconds: float | None = None, most: int = MAX_MESSAGE) -> bytes:
    """Read one message's bytes; raises PipeTimeoutError after `seconds`, PipeClosedError at the end of the pipe."""
    deadline = None if seconds is None else time.monotonic() + seconds
    (length,) = _HEADER.unpack(_read_exactly(handle, _HEADER.size, deadline))
    if length > most:
        raise PipeGarbledError(f"a message of {length} bytes is not one of ours")
    return _read_exactly(handle, length, deadline)


def _read_exactly(handle: int, count: int, deadline: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([handle], [], [], min(left, 1e6))[0]:
                raise PipeTimeoutError
        part = os.read(handle, min(count - len(parts), 1 << 20))
        if not part:
            raise PipeClosedError("the pipe ended")
        parts += part
    return bytes(parts)
