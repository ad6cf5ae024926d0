"""Document (b): a Japanese company rule with horizontal and vertical pages and full-width digits."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import typst

from . import annex, fonts, vertical

HERE = Path(__file__).parent / "policy"


def build(out: Path) -> dict[str, Any]:
    """Write jp-policy.pdf and return what is known about it."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(os.path.realpath(name))
        shutil.copytree(HERE, work, dirs_exist_ok=True)
        vertical.build(HERE / "vertical.txt", work / "vertical.pdf")
        font_dir = str(fonts.ipaex_gothic().parent)
        options: dict[str, Any] = {"root": str(work), "font_paths": [font_dir], "ignore_system_fonts": True}
        typst.compile(str(work / "main.typ"), output=str(out / "jp-policy.pdf"), **options)
        return annex.facts(work, options)
