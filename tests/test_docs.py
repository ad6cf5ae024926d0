"""The reference pages say what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from docaudit.linting.codes import LintCode
from docaudit.reasons import BlindSpotKind

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["blind-spots.md", "lint.md", "ledger.md", "store-tables.md"])
def test_no_drift(generator: ModuleType, name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == generator.PAGES[name](), "run: make docs"


def test_every_lint_code_is_there_with_one_sentence_and_an_order(generator: ModuleType) -> None:
    text = generator.lint_text()
    for code in LintCode:
        assert text.count(f"| `{code.value}` |") == 1
        assert code.meaning.endswith(".")
        assert not code.remedy.endswith(".")


def test_every_kind_is_there_once(generator: ModuleType) -> None:
    text = generator.page_text()
    for kind in BlindSpotKind:
        assert text.count(f"| `{kind.value}` |") == 1


@pytest.mark.parametrize("kind", list(BlindSpotKind))
def test_meaning_is_one_sentence_and_the_remedy_an_order(kind: BlindSpotKind) -> None:
    assert kind.meaning.endswith(".")
    assert ". " not in kind.meaning
    for remedy in (kind.remedy, kind.remedy_after(ocr=True)):
        assert remedy
        assert remedy[0].islower()
        assert not remedy.endswith(".")
    assert "--ocr auto" not in kind.remedy_after(ocr=True)


def test_the_readme_links_to_them() -> None:
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    assert "docs/blind-spots.md" in readme
    assert "docs/lint.md" in readme
    assert "docs/ledger.md" in readme
