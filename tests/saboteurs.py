"""A worker that fails on purpose: it takes the place of docaudit.extract.worker in the child process.

DOCAUDIT_SABOTAGE names what happens on which page: "crash:2", "hang:2", "memory:2", "exit:2", "garbage:2", "refuse:2",
"wrong_number:2", "huge:2", "draw:2" (a crash only while the page is rendered), "picture:2" (a crash while its
thumbnail is drawn), "annotate:0" (a crash while the annotated copy is made), "gigabyte:2" (a message without end),
"endless:2" (always at work), "opened:2" (an answer to another question), "state:2", "source:2", "nan:2", "block:2"
(values that cannot be), "blind:2" (the engine reads no text on it), "mute:2" (the second engine says nothing of it); on
page 0 it happens while the document is opened, and there are "pages:0", "elsewhere:0", "page:0" and "reason:0" as well.
"crash:name.txt" happens while that embedded file is unpacked; "break:parts._metadata" lets one function of
docaudit.extract fail as the engine does. Otherwise it is the
real worker.

`forgetful_sweep` takes the place of the sweep.
"""

from __future__ import annotations

import math
import os
import random
import signal
import struct
import time
from importlib import import_module
from typing import Any, NoReturn

from docaudit.extract import worker  # first: it keeps the engine from loading what is not used

# isort: split
from docaudit.extract import page as reader
from docaudit.extract import protocol as messages
from docaudit.extract.protocol import DocumentFact, LineFact, PageReading, Refused, Working
from docaudit.extract.second_reader import read_second
from docaudit.extract.text_layer import page_dict

KIND, _, PAGE = os.environ.get("DOCAUDIT_SABOTAGE", "").partition(":")
DRAWN = PAGE if KIND == "draw" else ""
PICTURED = PAGE if KIND == "picture" else ""
BROKEN = PAGE if KIND == "break" else ""
PAGE = "" if KIND in {"picture", "annotate", "break"} else PAGE
FILE, PAGE = ("", PAGE) if PAGE.isdigit() else (PAGE, "")


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
    """Take memory, and write to it, until there is no more."""
    kept = []
    while True:
        kept.append(b"x" * (1 << 26))


def nothing(page: Any) -> dict[str, Any]:
    """What an engine gives that sees no text and no image."""
    return {"blocks": []}


class SabotagedReader(reader.DocumentReader):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        if PAGE == "0":
            act()
        super().__init__(*arguments, **named)

    def thumbnail(self, page_num: int, width: int, clip: Any = None) -> bytes:
        if PICTURED and page_num == int(PICTURED):
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().thumbnail(page_num, width, clip)

    def annotate(self, request: Any) -> Any:
        if KIND == "annotate":
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().annotate(request)

    def extract(self, request: Any) -> Any:
        if FILE and request.name == FILE:
            act()
        return super().extract(request)

    def _read(self, page: Any, page_num: int, render: bool) -> PageReading:
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


def break_function(path: str) -> None:
    """Let a function ("parts._metadata") raise what the engine raises on damage."""
    module, name = path.split(".")
    broken = import_module(f"docaudit.extract.{module}")
    assert hasattr(broken, name), f"docaudit.extract.{path} is no more"

    def fail(*_arguments: Any, **_named: Any) -> NoReturn:
        raise ValueError("cannot find object in object table")

    fail.__name__ = name
    setattr(broken, name, fail)


def send(handle: int, message: Any, *limit: int) -> None:
    """What the real one does, but for garbage in place of the page, or of what was asked for while opening."""
    page = message.page_num if isinstance(message, PageReading) else -1
    if isinstance(message, DocumentFact) and PAGE == "0":
        messages.send(handle, _false_document(message))
    elif page != int(PAGE or -2):
        messages.send(handle, message, *limit)
    elif KIND == "garbage":
        os.write(handle, struct.pack("<Q", 9) + b"\xc1nonsense")
    elif KIND == "huge":
        os.write(handle, struct.pack("<Q", 1 << 60) + b"x")
    elif KIND == "gigabyte":
        os.write(handle, struct.pack("<Q", 1 << 30))
        while True:
            os.write(handle, bytes(1 << 20))
    elif KIND == "endless":
        while True:
            messages.send(handle, Working())
    elif KIND == "opened":
        messages.send(handle, DocumentFact(3, [], [], [], {}))
    else:
        messages.send(handle, _false_page(message))


def _false_page(page: PageReading) -> PageReading:
    if KIND == "state":
        page.state = "wonderful"
    elif KIND == "source":
        page.lines[0].source = "dream"
    elif KIND == "nan":
        page.lines[0].box = (0.0, math.nan, 1.0, 1.0)
    elif KIND == "block":
        page.lines[0].block = 1 << 63
    return page


def _false_document(document: DocumentFact) -> Any:
    if KIND == "pages":
        document.pages_total = 10**12
    elif KIND == "elsewhere":
        document.lines = [(9, LineFact("nowhere", None, 1, "bookmark"))]
    elif KIND == "page":
        return Working()
    elif KIND == "reason":
        return Refused("boredom", "no reason at all")
    return document


def forgetful_sweep(share: float, *, seed: int) -> Any:
    """A sweep that searches as the real one does and then loses this share of the hits, at random."""
    from docaudit.search import sweep_lines  # the child process needs no table library

    chance = random.Random(seed)

    def sweep(*arguments: Any, **named: Any) -> Any:
        hit_df, ledger_df = sweep_lines(*arguments, **named)
        kept = [row for row in range(len(hit_df)) if chance.random() >= share]
        return hit_df.iloc[kept].reset_index(drop=True), ledger_df

    return sweep


def main() -> None:
    if BROKEN:
        break_function(BROKEN)
    reader.DocumentReader = SabotagedReader  # type: ignore[misc]
    worker.send = send
    worker.main()
