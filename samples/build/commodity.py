"""Document (a): the quarterly commodity outlook, its truth taken from the typst sources themselves."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import typst

from . import charts, figures, fonts, prices

HERE = Path(__file__).parent / "commodity"


def _figure_entry(figure: figures.Figure) -> dict[str, object]:
    """What the template needs to place the panels of one figure; odd figures carry alternative text."""
    suffix = "png" if figure.raster else "pdf"
    return {
        "number": figure.number,
        "title": figure.title,
        "note": figure.note,
        "alt": figure.number % 2 == 1,
        "panels": [
            {
                "letter": p.letter,
                "title": p.title,
                "file": f"charts/fig{figure.number}{p.letter}.{suffix}",
                "alt": f"Chart: {p.title.lower()}, in {p.ylabel[:1].lower()}{p.ylabel[1:]}.",
            }
            for p in figure.panels
        ],
    }


def prepare(work: Path) -> None:
    """Copy the sources into ``work`` and put the generated numbers and charts beside them."""
    shutil.copytree(HERE, work, dirs_exist_ok=True)
    series = prices.load_all(HERE / "commodities.csv")
    figure_list = figures.read_figures(HERE / "figures.txt")
    (work / "prices.json").write_text(json.dumps(prices.as_json(series)), encoding="utf-8")
    entries = {str(figure.number): _figure_entry(figure) for figure in figure_list}
    (work / "figures.json").write_text(json.dumps(entries), encoding="utf-8")
    (work / "charts").mkdir(exist_ok=True)
    charts.configure()
    for figure in figure_list:
        for panel in figure.panels:
            charts.draw(figure, panel, series, work / "charts")


def _options(work: Path) -> dict[str, Any]:
    """Only the packaged fonts are offered to typst, so every machine sets the same lines."""
    return {"root": str(work), "font_paths": [str(fonts.fira_dir())], "ignore_system_fonts": True}


def _facts(work: Path) -> dict[str, Any]:
    """Objects, references and contents entries as the typesetter itself counts them."""

    def values(selector: str) -> list[Any]:
        found = typst.query(str(work / "main.typ"), selector, **_options(work))
        return list(json.loads(found))

    objects = [item["value"] for item in values("<object>")]
    kinds = {
        kind: [o["num"] for o in objects if o["kind"] == kind]
        for kind in ("figure", "table", "box", "appendix")
    }
    headings = [h for h in values("heading") if h["level"] <= 2 and h["outlined"]]
    references = [item["value"] for item in values("<xref>")]
    return {"objects": kinds, "contents_entries": len(headings), "references": len(references)}


def build(out: Path) -> dict[str, Any]:
    """Write commodity-report.pdf and return what is known about it."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(os.path.realpath(name))
        prepare(work)
        typst.compile(str(work / "main.typ"), output=str(out / "commodity-report.pdf"), **_options(work))
        return _facts(work)
