"""docs/corpus.md runs as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from docaudit.cli import main
from tests.corpora import table

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "corpus.md").read_text("utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.mark.slow
def test_the_commands_and_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").mkdir()
    for pdf in (ROOT / "samples").glob("*.pdf"):
        (tmp_path / "samples" / pdf.name).write_bytes(pdf.read_bytes())
    (tmp_path / "samples" / "concepts").symlink_to(ROOT / "samples" / "concepts")
    told = []
    for line in block("sh").splitlines():
        assert main(shlex.split(line)[1:]) == 0, line
        told.append(capsys.readouterr().out.split(" made in ")[0])
    assert told == [
        "3 documents: 3 read now, 0 done before, 0 failed; 3 audits",
        "3 documents: 0 read now, 3 done before, 0 failed; 0 audits",
        "3 documents: 0 read now, 0 done before, 0 failed; 6 audits",
    ]
    exec(compile(block("python"), "docs/corpus.md", "exec"), {})
    assert capsys.readouterr().out == "3 0 3 {}\n"
    assert len(table(tmp_path / "store", "findings")) == 3 * 4


def test_the_readme_links_to_it() -> None:
    assert "docs/corpus.md" in (ROOT / "README.md").read_text("utf-8")
