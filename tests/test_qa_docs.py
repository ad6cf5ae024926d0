"""docs/qa-tools.md runs as it stands: its command, then each program on its own, in ten lines without imports."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from docaudit.cli import main

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "qa-tools.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples and what the command of the page leaves there."""
    here = tmp_path_factory.mktemp("qa")
    (here / "samples").symlink_to(ROOT / "samples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        (commands,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
        for line in commands.splitlines():
            assert main(shlex.split(line)[1:]) == 0, line
    return here


@pytest.mark.parametrize("code", PROGRAMS)
def test_the_programs(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    exec(compile(code, "docs/qa-tools.md", "exec"), {})


@pytest.mark.parametrize("code", PROGRAMS)
def test_they_are_short(code: str) -> None:
    lines = [line for line in code.splitlines() if line and not line.startswith(("from ", "import "))]
    assert len(lines) <= 10


def test_the_readme_links_to_it() -> None:
    assert "docs/qa-tools.md" in (ROOT / "README.md").read_text("utf-8")
