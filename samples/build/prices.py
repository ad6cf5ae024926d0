"""The invented price history behind the commodity report.

Text, tables and charts all read the same numbers, so that a reader who checks one against the other
finds them in agreement. Annual averages are written by hand; months are a seeded walk scaled to them.
"""

from __future__ import annotations

import csv
import math
import random
from dataclasses import dataclass
from pathlib import Path

YEARS = (2021, 2022, 2023, 2024, 2025, 2026, 2027)
LAST_MONTH = (2025, 9)
FAMILIES = {
    "brent": "oil",
    "wti": "oil",
    "dubai": "oil",
    "coal_au": "coal",
    "coal_sa": "coal",
    "wheat_hrw": "wheat",
    "wheat_srw": "wheat",
    "soybeans": "soy",
    "soybean_meal": "soy",
}
INDEX_GROUPS = {
    "energy": ("Energy",),
    "agriculture": ("Beverages", "Oils and meals", "Grains", "Other food", "Raw materials"),
    "food": ("Oils and meals", "Grains", "Other food"),
    "grains": ("Grains",),
    "oils": ("Oils and meals",),
    "otherfood": ("Other food",),
    "raw": ("Raw materials",),
    "beverages": ("Beverages",),
    "fertilizers": ("Fertilizers",),
    "metals": ("Metals and minerals",),
    "precious": ("Precious metals",),
}


@dataclass(frozen=True)
class Commodity:
    """One price series: annual averages (forecast from 2025) and months up to September 2025."""

    id: str
    name: str
    unit: str
    group: str
    decimals: int
    annual: dict[int, float]
    monthly: dict[str, float]

    def quarters(self) -> dict[str, float]:
        """Averages of complete quarters, keyed ``2025Q3``."""
        out: dict[str, float] = {}
        for year in range(2021, 2026):
            for quarter in range(1, 5):
                keys = [f"{year}-{month:02d}" for month in range(quarter * 3 - 2, quarter * 3 + 1)]
                if all(key in self.monthly for key in keys):
                    out[f"{year}Q{quarter}"] = sum(self.monthly[key] for key in keys) / 3
        return out


def _anchor(annual: dict[int, float], position: float) -> float:
    """Log-linear path through the mid-years; the ends are held flat."""
    years = sorted(annual)
    position = min(max(position, years[0] + 0.5), years[-1] + 0.5)
    left = max(year for year in years if year + 0.5 <= position)
    if left == years[-1]:
        return annual[left]
    share = position - left - 0.5
    return math.exp((1 - share) * math.log(annual[left]) + share * math.log(annual[left + 1]))


def _months(series_id: str, annual: dict[int, float], vol: float) -> dict[str, float]:
    """A seeded monthly walk around the anchors, scaled so that each year averages to its anchor.

    Grades of one commodity share most of their noise: two crude oils never move in opposite directions.
    """
    shared = random.Random(f"prices:9:{FAMILIES.get(series_id, series_id)}")
    own = random.Random(f"prices:own:{series_id}")
    noise, walk = 0.0, {}
    for year in range(2021, 2026):
        for month in range(1, 13):
            noise = 0.72 * noise + vol * (shared.gauss(0, 0.68) + own.gauss(0, 0.12))
            walk[year, month] = _anchor(annual, year + (month - 0.5) / 12) * math.exp(noise)
    out: dict[str, float] = {}
    for year in range(2021, 2026):
        mean = sum(walk[year, month] for month in range(1, 13)) / 12
        for month in range(1, 13):
            if (year, month) <= LAST_MONTH:
                out[f"{year}-{month:02d}"] = walk[year, month] * annual[year] / mean
    return out


def load(path: Path) -> dict[str, Commodity]:
    """Read the hand-written averages and add the months."""
    out: dict[str, Commodity] = {}
    with path.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            annual = {year: float(row[str(year)]) for year in YEARS}
            months = _months(row["id"], annual, float(row["vol"]))
            out[row["id"]] = Commodity(
                row["id"], row["name"], row["unit"], row["group"], int(row["decimals"]), annual, months
            )
    return out


def index(commodities: dict[str, Commodity], name: str) -> Commodity:
    """Geometric mean of a group's prices relative to 2021, times 100."""
    members = [c for c in commodities.values() if c.group in INDEX_GROUPS[name]]

    def mean(values: list[float]) -> float:
        return 100 * math.exp(sum(math.log(value) for value in values) / len(values))

    annual = {year: mean([c.annual[year] / c.annual[2021] for c in members]) for year in YEARS}
    monthly = {key: mean([c.monthly[key] / c.annual[2021] for c in members]) for key in members[0].monthly}
    return Commodity(name, f"{name.capitalize()} index", "2021=100", "Index", 1, annual, monthly)


def load_all(path: Path) -> dict[str, Commodity]:
    """Commodities and indices together, keyed by id."""
    commodities = load(path)
    indices = {f"ix_{name}": index(commodities, name) for name in INDEX_GROUPS}
    return commodities | indices


def as_json(series: dict[str, Commodity]) -> dict[str, object]:
    """The shape the typst template reads; rounding happens there, once."""
    return {
        key: {
            "name": c.name,
            "unit": c.unit,
            "group": c.group,
            "decimals": c.decimals,
            "annual": {str(year): value for year, value in c.annual.items()},
            "q": c.quarters(),
            "m": c.monthly,
        }
        for key, c in series.items()
    }
