"""Every sentence of the reports has a Japanese one, with the same values in it."""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterator

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
from docaudit.corpus.matrix import MatrixFinding
from docaudit.justification import (
    ControlGroup,
)
from docaudit.options import AuditOptions
from docaudit.render import language, markdown, sampling
from docaudit.render.html import environment
from docaudit.render.language import ENGLISH, LOCALE, WHOLE_DOCUMENT, Translator
from docaudit.render.view import CellState

PACKAGE = LOCALE.parent.parent
PO = LOCALE / "ja" / "LC_MESSAGES" / "docaudit.po"
ENGLISH_ONLY = ("page_map.html.j2", "ledger.html.j2")
VOCABULARIES: tuple[type[Code], ...] = (
    *(AbsenceReason, CellState, ChunkPlace, Finding, LedgerState, MatchKind, Obligation, ObligationState),
    *(MatrixFinding, PageState, RetrievalVerdict, Strength, TextLikely, TextSource, Visibility),
)
VALUE = re.compile(r"\{(\w+)\}")
Key = tuple[str, str | None]
"""A sentence, and its plural form if it is counted."""


def in_code() -> Iterator[Key]:
    """First arguments of t(...) and t.ngettext(...), and the like, in the modules that write reports."""
    for file in [
        *(PACKAGE / "render").glob("*.py"),
        *(PACKAGE / "corpus").glob("*.py"),
        PACKAGE / "report.py",
    ]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                called, first = ast.unparse(node.func), node.args[0].value
                if called in ("t", "out.t", "paper.t", "self.t", "self"):
                    yield first, None
                elif called.endswith("t.ngettext") and isinstance(node.args[1], ast.Constant):
                    yield first, node.args[1].value


def in_templates() -> Iterator[Key]:
    templates = environment(ENGLISH)
    for file in (PACKAGE / "render" / "templates").rglob("*.j2"):
        if file.name not in ENGLISH_ONLY:
            for _, function, message in templates.extract_translations(file.read_text("utf-8")):
                texts = [text for text in (message if isinstance(message, tuple) else (message,)) if text]
                if texts:  # none is a constant in _(code.label)
                    plural = texts[1] if function == "ngettext" else None
                    yield texts[1 if function == "pgettext" else 0], plural


def in_vocabularies() -> Iterator[str]:
    yield WHOLE_DOCUMENT
    yield from (code.label for vocabulary in VOCABULARIES for code in vocabulary)
    yield from (reason.meaning for reason in NearMissReason)
    for kind in BlindSpotKind:
        yield from (kind.meaning, kind.remedy, kind.remedy_after(ocr=True))
    for table in (markdown.MATCH_MODES, markdown.CASES, markdown.INFLECTIONS, sampling.STRATA):
        yield from table.values()
    yield from CHOICES["status"]
    for model, field in ((AuditOptions, "scope"), (ControlGroup, "kind")):
        yield from model.model_json_schema()["properties"][field]["enum"]


KEYS: list[Key] = sorted(
    {*in_code(), *in_templates(), *((text, None) for text in in_vocabularies())}, key=lambda key: key[0]
)


def catalogue() -> dict[Key, str]:
    """docaudit.po as it is written: (sentence, plural) -> Japanese; the context is left out."""
    entries: dict[Key, str] = {}
    for block in PO.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith(("msg", '"'))]
        fields: dict[str, str] = {}
        name = ""
        for line in lines:
            keyword, quote, text = line.partition('"')
            name = keyword.strip() or name
            fields[name] = fields.get(name, "") + ast.literal_eval(quote + text)
        if fields.get("msgid"):
            key = (fields["msgid"], fields.get("msgid_plural"))
            entries[key] = fields["msgstr" if key[1] is None else "msgstr[0]"]
    return entries


def test_the_search_for_sentences_finds_them() -> None:
    assert len(KEYS) > 400
    assert ("Obligations", None) in KEYS
    assert ("{n} blind spot", "{n} blind spots") in KEYS
    assert ("yes", None) in KEYS


def test_each_sentence_has_a_japanese_one_with_the_same_values() -> None:
    entries = catalogue()
    assert [key for key in KEYS if not entries.get(key)] == []
    assert [
        key for key, text in entries.items() if sorted(VALUE.findall(key[0])) != sorted(VALUE.findall(text))
    ] == []


def test_no_japanese_sentence_without_its_english_one() -> None:
    assert set(catalogue()) - set(KEYS) == set()


def test_what_is_read_is_what_was_written() -> None:
    """`make catalogue` was run after the last change of docaudit.po."""
    compiled = gettext.translation("docaudit", LOCALE, ["ja"])
    for (singular, plural), japanese in catalogue().items():
        if plural is not None:
            assert compiled.ngettext(singular, plural, 2) == japanese
        else:
            assert japanese in (compiled.gettext(singular), compiled.pgettext("answer", singular))
    size = int.from_bytes(PO.with_suffix(".mo").read_bytes()[8:12], "little")
    assert size == PO.read_text("utf-8").count("\nmsgid "), "the compiled catalogue holds something else"


def test_data_is_said_in_japanese_only_where_all_of_it_is_known() -> None:
    t = Translator("ja")
    known = BlindSpotKind.OCR_NO_WORDS.remedy
    assert t.data(f"{known}; {known}") != f"{known}; {known}"
    assert t.data(f"{known}; something else") == f"{known}; something else"
    assert t.data("") == ""


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_codes_are_told_apart_in_japanese(vocabulary: type[Code]) -> None:
    t = Translator("ja")
    assert len({t(code.label) for code in vocabulary}) == len(vocabulary)


def test_english_needs_no_catalogue() -> None:
    assert language.catalogue("en").gettext("anything") == "anything"
    assert Translator("en").ngettext("{n} page", "{n} pages", 1200) == "1,200 pages"
