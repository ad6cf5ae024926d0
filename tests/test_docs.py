"""The pages that are written from the code say what the code says, and no page leads nowhere."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

import docaudit
from docaudit.cli.app import app
from docaudit.codes import BlindSpotKind
from docaudit.concepts.lint import LintCode
from docaudit.errors import DocauditError
from docaudit.options import AuditOptions
from docaudit.tables import TABLES
from tests.pages import DOCS, GENERATED, PAGES, ROOT

WRITTEN = (
    *(one.name for one in DOCS.glob("*.md")),
    *(f"reference/{one.name}" for one in GENERATED.iterdir()),
)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(DOCS))  # as python docs/generate.py has it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


def test_no_drift(generator: ModuleType) -> None:
    for name, text in generator.PAGES.items():
        assert (DOCS / name).read_text("utf-8") == text(), f"{name}: run make docs"


def test_what_says_that_it_is_generated_is(generator: ModuleType) -> None:
    says_so = {name for name in WRITTEN if "written by docs/generate.py" in (DOCS / name).read_text("utf-8")}
    assert says_so == set(generator.PAGES)


def test_every_lint_code_is_there_with_one_sentence_and_an_order() -> None:
    text = (DOCS / "lint.md").read_text("utf-8")
    for code in LintCode:
        assert text.count(f"| `{code.value}` |") == 1
        assert code.meaning.endswith(".")
        assert not code.remedy.endswith(".")


def test_every_kind_is_there_once() -> None:
    text = (DOCS / "blind-spots.md").read_text("utf-8")
    for kind in BlindSpotKind:
        assert text.count(f"| `{kind.value}` |") == 1


def test_every_type_of_the_ledger_is_described_on_its_page(generator: ModuleType) -> None:
    text = generator.PAGES["ledger.md"]()
    types = re.findall(r"^\| `\w+` \| ([^|]*) \| (?:yes|no) \|", text, re.MULTILINE)
    assert len(types) > 80
    for name in {name for one in types for name in re.findall(r"`([A-Z]\w+)`", one)}:
        # A table of its own, a list of its values, or a table of values.
        assert re.search(
            rf"^`{name}`[:,] |^The values of `{name}`|^\| {name.lower()} \|", text, re.MULTILINE
        ), name


@pytest.mark.parametrize("kind", list(BlindSpotKind))
def test_meaning_is_one_sentence_and_the_remedy_an_order(kind: BlindSpotKind) -> None:
    assert kind.meaning.endswith(".")
    assert ". " not in kind.meaning
    for remedy in (kind.remedy, kind.remedy_after(ocr=True)):
        assert remedy
        assert remedy[0].islower()
        assert not remedy.endswith(".")
    assert "--ocr auto" not in kind.remedy_after(ocr=True)


class TestReference:
    def test_every_public_name_has_a_heading_and_text(self) -> None:
        text = (GENERATED / "library.md").read_text("utf-8")
        for name in docaudit.__all__:
            (entry,) = re.findall(rf"^### {name}\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE)
            assert re.search(r"^\w.*[.:?]$", entry, re.MULTILINE), name

    def test_every_error_is_in_the_list(self) -> None:
        text = (GENERATED / "library.md").read_text("utf-8")

        def below(error: type[DocauditError]) -> set[str]:
            return {error.__name__}.union(*(below(one) for one in error.__subclasses__()))

        # Errors of one module alone never leave it; which of them are loaded depends on the tests before.
        for name in below(DocauditError) & set(vars(docaudit.errors)) - {"DocauditError"}:
            assert f"| `{name}` |" in text

    def test_every_command_says_its_exit_code_and_every_option_is_there(self) -> None:
        text = (GENERATED / "commands.md").read_text("utf-8")
        for name in app.commands:
            (entry,) = re.findall(rf"^## docaudit {name}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
            assert re.search(r"\*\*Exit code\*\*: (of drawing: )?0", entry) or isinstance(
                app.commands[name], click.Group
            ), name
        for option in AuditOptions.model_fields:
            assert f"| `--{option.replace('_', '-')} " in text

    def test_every_column_is_there(self) -> None:
        text = (GENERATED / "tables.md").read_text("utf-8")
        for name, contract in TABLES.items():
            (entry,) = re.findall(rf"^## {name}\n(.*?)(?=^## )", text, re.DOTALL | re.MULTILINE)
            assert tuple(re.findall(r"^\| `(\w+)` \|", entry, re.MULTILINE)) == contract.columns

    @pytest.mark.parametrize("page", sorted(GENERATED.iterdir()), ids=lambda page: page.name)
    def test_nothing_is_left_unsaid(self, page: Path) -> None:
        assert not re.findall(r"^.*\|\s*\|$", page.read_text("utf-8"), re.MULTILINE)


class TestLinks:
    @pytest.mark.parametrize("page", [*PAGES, *sorted(GENERATED.iterdir())], ids=lambda page: page.name)
    def test_lead_somewhere(self, page: Path) -> None:
        for file, anchor in LINK.findall(page.read_text("utf-8")):
            target = page.parent / file if file else page
            assert target.exists(), f"{page.name}: {file}"
            assert not anchor or anchor in anchors(target), f"{page.name}: {file}#{anchor}"

    def test_the_index_names_every_page_and_the_readme_the_index(self) -> None:
        index = (DOCS / "README.md").read_text("utf-8")
        assert {file for file, _ in LINK.findall(index) if file.endswith(".md")} >= {*WRITTEN} - {"README.md"}
        assert "(docs/README.md)" in (ROOT / "README.md").read_text("utf-8")


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    heads = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M), re.M
    )
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
