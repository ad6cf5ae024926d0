"""Work that another thread ends: at once, with its processes, and never as if it had a result."""

from __future__ import annotations

import threading
import time

import pytest

import docaudit
from docaudit.errors import Stop, StoppedError, quiet, stoppable
from docaudit.extract import isolation
from tests import pdfs
from tests.test_isolation import THREE, children

PAGES = pdfs.document(*(pdfs.text(f"page {number}") for number in range(60)))
WAIT = 20.0
"""Far below the time limit of a page that hangs."""


def test_a_page_that_hangs_is_ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
    monkeypatch.setenv("DOCAUDIT_SABOTAGE", "hang:2")
    stop = Stop()
    threading.Timer(1.5, stop.stop).start()
    started = time.monotonic()
    with pytest.raises(StoppedError):
        docaudit.parse(THREE, ocr="off", page_seconds=120, progress=stop)
    assert time.monotonic() - started < 1.5 + WAIT
    assert len(children()) == 1  # the fork server


def test_work_is_ended_between_pages() -> None:
    seen: list[int] = []
    stop = Stop(lambda done, _total: seen.append(done) if done < 3 else stop.stop())
    with pytest.raises(StoppedError):
        docaudit.parse(PAGES, ocr="off", workers=2, progress=stop)
    assert seen == [1, 2]
    assert len(children()) == 1  # the fork server


def test_work_that_is_stopped_before_it_begins_does_not_begin() -> None:
    stop = Stop(lambda *_: pytest.fail("a page was read"))
    stop.stop()
    with pytest.raises(StoppedError):
        docaudit.parse(THREE, ocr="off", progress=stop)


def test_stopped_after_its_end_it_keeps_its_result() -> None:
    told: list[tuple[int, int]] = []
    stop = Stop(lambda done, total: told.append((done, total)))
    parsed = docaudit.parse(THREE, ocr="off", workers=1, progress=stop)
    stop.stop()
    assert len(parsed.page_df) == 3
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_attachments_are_ended_and_not_counted_as_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = pdfs.document(*(pdfs.text(f"inner {number}") for number in range(3)))
    outer = pdfs.document(
        pdfs.text("outer"), finish=lambda doc: doc.embfile_add("inner.pdf", inner, filename="inner.pdf")
    )
    told: list[tuple[int, int]] = []
    stop = Stop(lambda done, total: told.append((done, total)))
    docaudit.parse(outer, ocr="off", progress=stop)
    assert told == [(1, 1)]
    real = isolation.read_pages

    def stop_first(*args: object) -> object:
        stop.stop()
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("docaudit.extract.attachments.read_pages", stop_first)
    with pytest.raises(StoppedError):
        docaudit.parse(outer, ocr="off", progress=stop)


def test_an_aborted_block_gives_no_result() -> None:
    stop = Stop()
    aborted: list[str] = []
    with pytest.raises(StoppedError), stoppable(stop, lambda: aborted.append("yes")):
        stop.stop()
    assert aborted == ["yes"]
    with stoppable(print, lambda: aborted.append("never")):
        pass
    assert aborted == ["yes"]


def test_only_a_stop_has_a_quiet_part() -> None:
    assert quiet(None) is None
    assert quiet(print) is None
    stop = Stop()
    part = quiet(stop)
    assert part is not None
    stop.stop()
    with pytest.raises(StoppedError):
        part.check()
