"""Every sentence of the reports has a Japanese one, with the same values in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from docaudit.codes import (
    AbsenceReason,
    BlindSpotKind,
    ChunkPlace,
    Code,
    Finding,
    LedgerState,
    MatchKind,
    NearMissReason,
    Obligation,
    ObligationState,
    PageState,
    RetrievalVerdict,
    Strength,
    TextLikely,
    TextSource,
    Visibility,
)
from docaudit.concepts.check import CHOICES
from docaudit.justification import ControlGroup
from docaudit.options import AuditOptions
from docaudit.render import language as words
from docaudit.render import view
from docaudit.render.language import WHOLE_DOCUMENT, Tongue, catalogue

RENDER = Path(words.__file__).parent
VOCABULARIES: tuple[type[Code], ...] = (
    *(AbsenceReason, ChunkPlace, Finding, LedgerState, MatchKind, Obligation, ObligationState, PageState),
    *(RetrievalVerdict, Strength, TextLikely, TextSource, Visibility),
)
VALUE = re.compile(r"\{(\w+)\}")


def in_code() -> Iterator[str]:
    """First arguments of t(...), and nouns of t.count(...), in the modules of render."""
    for file in [*RENDER.glob("*.py"), RENDER.parent / "report.py", RENDER.parent / "corpus" / "matrix.py"]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = ast.unparse(node.func)
            if called in ("t", "paper.t", "self") and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value
            if called in ("t.count", "paper.t.count") and isinstance(node.args[1], ast.Constant):
                yield f"{{n}} {node.args[1].value}"


def in_templates() -> Iterator[str]:
    for file in (RENDER / "templates").rglob("report*.j2"):
        yield from _said(file)
    for folder in ("report", "corpus"):
        for file in (RENDER / "templates" / folder).glob("*.j2"):
            yield from _said(file)


def _said(file: Path) -> Iterator[str]:
    text = file.read_text("utf-8")
    yield from re.findall(r'\b_\("([^"]+)"', text)
    yield from (f"{{n}} {noun}" for noun in re.findall(r'plural\("([^"]+)"\)', text))


def vocabularies() -> Iterator[str]:
    for name in dir(words):
        table = getattr(words, name)
        if name.isupper() and isinstance(table, Mapping) and name != "OBLIGATION_MARKS":
            yield from table.values()
    yield from view.CELL_WORDS.values()
    yield from (f"{{n}} more {noun}" for noun in ("hit", "near miss", "detail"))
    yield WHOLE_DOCUMENT
    for kind in BlindSpotKind:
        yield from (kind.meaning, kind.remedy, kind.remedy_after(ocr=True))
    yield from (reason.meaning for reason in NearMissReason)
    yield from (code.label for vocabulary in VOCABULARIES for code in vocabulary)
    yield from CHOICES["status"]
    for model, field in ((AuditOptions, "scope"), (ControlGroup, "kind")):
        yield from model.model_json_schema()["properties"][field]["enum"]


SAID = sorted({*in_code(), *in_templates(), *vocabularies()})


def test_the_search_for_sentences_finds_them() -> None:
    assert len(SAID) > 150
    assert "Obligations" in SAID
    assert "{n} blind spot" in SAID


@pytest.mark.parametrize("english", SAID)
def test_there_is_a_japanese_sentence_with_the_same_values(english: str) -> None:
    japanese = catalogue()[english]
    assert sorted(VALUE.findall(japanese)) == sorted(VALUE.findall(english))


def test_no_japanese_sentence_without_its_english_one() -> None:
    assert not set(catalogue()) - set(SAID)


def test_a_sentence_that_is_not_there_is_an_error_not_a_gap() -> None:
    with pytest.raises(KeyError):
        Tongue("ja")("no such sentence")


def test_data_is_said_in_japanese_only_where_all_of_it_is_known() -> None:
    t = Tongue("ja")
    known = BlindSpotKind.OCR_NO_WORDS.remedy
    assert t.data(f"{known}; {known}") != f"{known}; {known}"
    assert t.data(f"{known}; something else") == f"{known}; something else"


def test_vocabularies_are_told_apart_in_japanese() -> None:
    t = Tongue("ja")
    for vocabulary in VOCABULARIES:
        assert len({t(code.label) for code in vocabulary}) == len(vocabulary)
