"""A worker that fails on purpose: it takes the place of docaudit.extract.worker in the child process.

DOCAUDIT_SABOTAGE names what happens on which page: "crash:2", "hang:2", "memory:2", "exit:2", "garbage:2", "refuse:2",
"wrong_number:2", "huge:2", "draw:2" (a crash only while the page is rendered), "blind:2" (the engine reads no text on
it), "mute:2" (the second engine says nothing of it); on page 0 it happens while the document is opened.
"crash:name.txt" happens while that embedded file is unpacked. On all else it is the real worker.
"""

from __future__ import annotations

import os
import signal
import struct
import time
from typing import Any, NoReturn

from docaudit.extract import messages, reader, worker
from docaudit.extract.facts import PageFact
from docaudit.extract.lines import page_dict
from docaudit.extract.second_reader import read_second

KIND, _, PAGE = os.environ.get("DOCAUDIT_SABOTAGE", "").partition(":")
FILE, PAGE = ("", PAGE) if PAGE.isdigit() else (PAGE, "")
DRAWN = PAGE if KIND == "draw" else ""


def act() -> None:
    if KIND == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif KIND == "hang":
        time.sleep(600)
    elif KIND == "exit":
        os._exit(0)
    elif KIND == "memory":
        hoard()
    elif KIND == "refuse":
        raise ValueError("the font is made of cheese")


def hoard() -> NoReturn:
    """Take memory until the system gives no more."""
    kept = []
    while True:
        kept.append(bytearray(1 << 26))


def nothing(page: Any) -> dict[str, Any]:
    """What an engine gives that sees no text and no image."""
    return {"blocks": []}


class SabotagedReader(reader.DocumentReader):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        if PAGE == "0":
            act()
        super().__init__(*arguments, **named)

    def extract(self, request: Any) -> Any:
        if FILE and request.name == FILE:
            act()
        return super().extract(request)

    def _read(self, page: Any, page_num: int, render: bool) -> PageFact:
        if page_num == int(PAGE or -2):
            act()
        if render and DRAWN and page_num == int(DRAWN):
            os.kill(os.getpid(), signal.SIGSEGV)
        if KIND == "blind":
            reader.page_dict = nothing if page_num == int(PAGE) else page_dict
        if KIND == "mute":
            reader.read_second = (lambda *_: None) if page_num == int(PAGE) else read_second
        fact = super()._read(page, page_num, render)
        if page_num == int(PAGE or -2) and KIND == "wrong_number":
            fact.page_num = 1
        return fact


def send(handle: int, message: Any) -> None:
    """What the real one does, but for garbage in place of the page."""
    page = getattr(getattr(message, "page", None), "page_num", -1)
    if page == int(PAGE or -2) and KIND == "garbage":
        os.write(handle, struct.pack("<Q", 9) + b"\xc1nonsense")
    elif page == int(PAGE or -2) and KIND == "huge":
        os.write(handle, struct.pack("<Q", 1 << 60) + b"x")
    else:
        messages.send(handle, message)


if __name__ == "__main__":
    reader.DocumentReader = SabotagedReader  # type: ignore[misc]
    worker.send = send
    worker.main()
