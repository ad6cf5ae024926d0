"""docs/evaluators.md runs as it stands, and the README links to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "evaluators.md").read_text("utf-8")


@pytest.mark.parametrize("code", re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
def test_the_programs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "context_precision" in code:
        pytest.importorskip("ir_measures", reason="the extra evaluate is not installed")
    monkeypatch.chdir(ROOT)
    exec(compile(code, "docs/evaluators.md", "exec"), {})


def test_the_readme_links_to_it() -> None:
    assert "docs/evaluators.md" in (ROOT / "README.md").read_text("utf-8")
