"""Document (c): an inspection report whose answer is on a scanned form that no OCR reads."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import typst

from . import charts, fonts, scans

HERE = Path(__file__).parent / "annex"


def _co2_chart(target: Path) -> None:
    """The only figure, drawn from the same room list as the table of Annex A."""
    with (HERE / "rooms.csv").open(encoding="utf-8", newline="") as handle:
        rooms = [(row["room"], int(row["co2"])) for row in csv.DictReader(handle) if row["co2"]]
    fig, ax = plt.subplots(figsize=(6.2, 2.7), layout="constrained")
    colors = ["#b5543a" if value > 1500 else "#274c3a" for _, value in rooms]
    bars = ax.bar([name for name, _ in rooms], [value for _, value in rooms], 0.66, color=colors)
    ax.bar_label(bars, [f"{value:,}" for _, value in rooms], padding=2, fontsize=8)
    ax.axhline(1500, color="#444444", lw=0.9, ls="--")
    ax.text(len(rooms) - 0.5, 1530, "Limit 1,500", ha="right", fontsize=8.5)
    ax.set_ylabel("Parts per million")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    fig.savefig(target, dpi=230, metadata={"Software": None})
    plt.close(fig)


def build(out: Path) -> dict[str, Any]:
    """Write scanned-annex-report.pdf and return what is known about it."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(os.path.realpath(name))
        shutil.copytree(HERE, work, dirs_exist_ok=True)
        charts.configure()
        _co2_chart(work / "co2.png")
        scans.clean_scan(work / "scan1.typ", work / "scan1.jpg", 11, 0.35)
        scans.clean_scan(work / "scan2.typ", work / "scan2.jpg", 12, -0.28)
        scans.fax_scan(work / "scan3.typ", work / "scan3.jpg", 13)
        options: dict[str, Any] = {
            "root": str(work),
            "font_paths": [str(fonts.fira_dir())],
            "ignore_system_fonts": True,
        }
        typst.compile(str(work / "main.typ"), output=str(out / "scanned-annex-report.pdf"), **options)
        return facts(work, options)


def facts(work: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Objects, references and contents entries as the typesetter counts them."""

    def values(selector: str) -> list[Any]:
        return list(json.loads(typst.query(str(work / "main.typ"), selector, **options)))

    objects = [item["value"] for item in values("<object>")]
    kinds = {
        kind: [o["num"] for o in objects if o["kind"] == kind] for kind in ("figure", "table", "box", "annex")
    }
    headings = [h for h in values("heading") if h["level"] <= 2 and h["outlined"]]
    return {"objects": kinds, "contents_entries": len(headings), "references": len(values("<xref>"))}
