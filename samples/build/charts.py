"""Small-panel charts of the commodity report, as pixels or as vectors with real text.

Half of the figures are rasters on purpose: an auditor must read their labels by OCR, so they are drawn
well above the 200 dpi at which Tesseract becomes reliable.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.font_manager import fontManager
from PIL import Image

from . import fonts
from .figures import Figure, Panel
from .prices import Commodity

SIZE = (3.3, 2.12)
DPI = 230
COLORS = ("#0b4f6c", "#d1603d", "#5c8a3a", "#8d6aa9", "#b8912b", "#5b6770")
FORECAST_FROM = 2025


def configure() -> None:
    """One look for every chart, independent of the machine's fonts and matplotlibrc."""
    matplotlib.rcdefaults()
    for path in sorted(fonts.fira_dir().glob("FiraSans-*.ttf")):
        fontManager.addfont(str(path))
    plt.rcParams.update(
        {
            "font.family": "Fira Sans",
            "font.size": 8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": "#444444",
            "axes.linewidth": 0.6,
            "xtick.major.width": 0.6,
            "ytick.major.width": 0.6,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "grid.color": "#dddddd",
            "grid.linewidth": 0.5,
            "axes.axisbelow": True,
            "lines.linewidth": 1.5,
            "legend.frameon": False,
            "legend.fontsize": 7.6,
            "pdf.fonttype": 42,
        }
    )


def _label(series: dict[str, Commodity], key: str, full: bool = False) -> str:
    """Short legend names: "Crude oil, Brent" becomes "Brent", an index loses the word."""
    name = series[key].name
    if full and key in ("gas_us", "coal_au", "wheat_hrw"):
        return {"gas_us": "U.S. gas", "coal_au": "Coal", "wheat_hrw": "Wheat"}[key]
    if key.startswith("ix_"):
        return {"ix_oils": "Oils and meals", "ix_otherfood": "Other food", "ix_raw": "Raw materials"}.get(
            key, name.removesuffix(" index")
        )
    head, _, tail = name.partition(", ")
    if head in ("Crude oil", "Natural gas", "Coal", "Wheat", "Coffee"):
        return tail
    return {"Liquefied natural gas": "LNG, Japan"}.get(head, head)


def _legend(ax: Axes, count: int) -> None:
    if count > 1:
        ax.legend(
            loc="lower center",
            bbox_to_anchor=(0.46, 1.0),
            ncols=min(count, 4),
            handlelength=1.2,
            columnspacing=1.0,
            borderaxespad=0.2,
            handletextpad=0.5,
        )


def _price(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    keys = panel.data[0].split()
    for color, key in zip(COLORS, keys, strict=False):
        months = series[key].monthly
        x = [int(m[:4]) + (int(m[5:]) - 0.5) / 12 for m in months]
        ax.plot(x, list(months.values()), color=color, label=_label(series, key))
    ax.set_xticks(range(2021, 2027))
    _legend(ax, len(keys))


def _annual(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    keys = panel.data[0].split()
    ax.axvspan(FORECAST_FROM - 0.5, 2027.4, color="#eef2f4", zorder=0)
    for color, key in zip(COLORS, keys, strict=False):
        annual = series[key].annual
        ax.plot(
            list(annual), list(annual.values()), color=color, marker="o", ms=3.2, label=_label(series, key)
        )
    ax.set_xlim(2020.6, 2027.4)
    ax.text(2026, ax.get_ylim()[1], "Forecast", ha="center", va="top", color="#444444", fontsize=7.6)
    _legend(ax, len(keys))


def _change(then: str) -> Callable[[Axes, Panel, dict[str, Commodity]], None]:
    """Horizontal bars of the change of the last quarter on the quarter ``then``."""

    def draw(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
        keys = panel.data[0].split()[::-1]
        quarters = [series[key].quarters() for key in keys]
        values = [(q["2025Q3"] / q[then] - 1) * 100 for q in quarters]
        _horizontal(ax, [_label(series, key, full=True) for key in keys], [round(v, 1) for v in values])

    return draw


def _numbers(values: list[float]) -> list[str]:
    """Bar labels with the same number of decimals throughout a panel."""
    places = max(len(f"{value:g}".partition(".")[2]) for value in values)
    return [f"{value:,.{places}f}" for value in values]


def _horizontal(ax: Axes, names: list[str], values: list[float]) -> None:
    colors = [COLORS[1] if value < 0 else COLORS[0] for value in values]
    bars = ax.barh(names, values, color=colors, height=0.62)
    ax.bar_label(bars, _numbers(values), padding=2, fontsize=7.6)
    ax.axvline(0, color="#444444", lw=0.6)
    ax.margins(x=0.16)
    ax.grid(axis="y", visible=False)


def _groups(panel: Panel) -> tuple[list[str], dict[str, list[float]]]:
    groups = {}
    for part in panel.data[1:]:
        name, values = part.split(":")
        groups[name.strip()] = [float(value) for value in values.split()]
    return panel.data[0].split(), groups


def _bars(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    names, groups = _groups(panel)
    width = 0.76 / len(groups)
    for number, (name, values) in enumerate(groups.items()):
        at = [i + (number - (len(groups) - 1) / 2) * width for i in range(len(names))]
        bars = ax.bar(at, values, width * 0.92, color=COLORS[number], label=name)
        if len(groups) == 1:
            ax.bar_label(bars, _numbers(values), padding=1.5, fontsize=7.6)
    ax.set_xticks(range(len(names)), names)
    ax.axhline(0, color="#444444", lw=0.6)
    ax.margins(y=0.14)
    _legend(ax, len(groups))


def _stack(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    names, groups = _groups(panel)
    up, down = [0.0] * len(names), [0.0] * len(names)
    for color, (name, values) in zip(COLORS, groups.items(), strict=False):
        base = [u if v >= 0 else d for u, d, v in zip(up, down, values, strict=True)]
        ax.bar(names, values, 0.6, bottom=base, color=color, label=name)
        up = [u + max(v, 0) for u, v in zip(up, values, strict=True)]
        down = [d + min(v, 0) for d, v in zip(down, values, strict=True)]
    ax.axhline(0, color="#444444", lw=0.6)
    _legend(ax, len(groups))


def _hbar(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    pairs = [part.strip().rsplit(" ", 1) for part in panel.data[0].split(";")][::-1]
    _horizontal(ax, [name for name, _ in pairs], [float(value) for _, value in pairs])


def _walk(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    """A seeded path between two given values, for series the price file does not carry."""
    parts = [part.strip().rsplit(" ", 3) for part in panel.data[0].split(";")]
    x = [2021 + (i + 0.5) / 12 for i in range(57)]
    for color, (name, first, last, vol) in zip(COLORS, parts, strict=False):
        rng, noise, y = random.Random(f"walk:{panel.title}:{name}"), 0.0, []
        for i in range(57):
            bridge = min(1.0, i / 6, (56 - i) / 6)
            noise = 0.85 * noise + rng.gauss(0, float(vol))
            y.append((float(first) + (float(last) - float(first)) * i / 56) * (1 + noise * bridge))
        ax.plot(x, y, color=color, label=name)
    ax.set_xticks(range(2021, 2027))
    _legend(ax, len(parts))


def _band(ax: Axes, panel: Panel, series: dict[str, Commodity]) -> None:
    """Seasonal five-year range with this year's line, as storage is usually shown."""
    low, high, start, end = (float(value) for value in panel.data[0].split())
    rng = random.Random(f"band:{panel.title}")
    shape = [0.42, 0.24, 0.14, 0.16, 0.28, 0.42, 0.56, 0.70, 0.82, 0.88, 0.80, 0.62]
    span = high - low
    lower = [low + span * 0.75 * s for s in shape]
    upper = [low + span * (0.35 + 0.72 * s) for s in shape]
    share = [start + (end - start) * month / 8 for month in range(9)]
    year = [lo + (hi - lo) * s for lo, hi, s in zip(lower, upper, share, strict=False)]
    year = [value + rng.gauss(0, span * 0.008) for value in year]
    months = list("JFMAMJJASOND")
    ax.fill_between(range(12), lower, upper, color="#cfdbe1", lw=0, label="Range 2020–24")
    ax.plot(range(9), year, color=COLORS[1], label="2025")
    ax.set_xticks(range(12), months)
    _legend(ax, 2)


DRAW: dict[str, Callable[[Axes, Panel, dict[str, Commodity]], None]] = {
    "price": _price,
    "annual": _annual,
    "qchg": _change("2025Q2"),
    "ychg": _change("2024Q3"),
    "bars": _bars,
    "stack": _stack,
    "hbar": _hbar,
    "walk": _walk,
    "band": _band,
}


def _flatten(path: Path) -> None:
    """Drop the transparency and most colours: the same sharp labels in half the bytes."""
    with Image.open(path) as image:
        flat = image.convert("RGB").quantize(40, dither=Image.Dither.NONE).convert("RGB")
    flat.save(path, optimize=True)


def draw(figure: Figure, panel: Panel, series: dict[str, Commodity], out: Path) -> Path:
    """Write one panel and return its path; no creation date enters the file."""
    fig, ax = plt.subplots(figsize=SIZE, layout="constrained")
    DRAW[panel.kind](ax, panel, series)
    if panel.kind in ("hbar", "qchg", "ychg"):
        ax.set_xlabel(panel.ylabel)
    else:
        ax.set_ylabel(panel.ylabel)
        if ax.get_ylim()[1] > 1000:
            ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.tick_params(length=2.5)
    path = out / f"fig{figure.number}{panel.letter}.{'png' if figure.raster else 'pdf'}"
    if figure.raster:
        fig.savefig(path, dpi=DPI, metadata={"Software": None})
        _flatten(path)
    else:
        fig.savefig(path, metadata={"CreationDate": None, "Creator": None, "Producer": None})
    plt.close(fig)
    return path
