"""Collections whose misses are known, drawn from, answered truthfully and read back by the real code.

Used by tests/test_elusion.py in small and by bench/elusion.py in large.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docaudit.codes import PageState
from docaudit.justification import AbsenceJustification, PageFact
from docaudit.render.sampling import write_review
from docaudit.sampling import Draw, draw_sample
from docaudit.sampling_sheet import ElusionResult, read_sample
from tests.factories import absent, hit, spot

SMALLEST, LARGEST = 20, 5000
HIGHEST_RATE = 0.3


@dataclass(frozen=True)
class Collection:
    """A document with its misses: pages without a hit that hold what was sought all the same."""

    justification: AbsenceJustification
    missed: frozenset[int]
    layout: str


@dataclass(frozen=True)
class Trial:
    """One collection, what its sample said, and the truth."""

    collection: Collection
    result: ElusionResult

    def missed_of(self, units: tuple[str, ...]) -> int:
        """Misses among these units."""
        return sum(int(unit) in self.collection.missed for unit in units)

    @property
    def missed(self) -> int:
        """Misses in the whole frame."""
        return sum(self.missed_of(stratum.units) for stratum in self.result.draw.strata)

    @property
    def holds(self) -> bool:
        """Whether the bound for all strata together is true."""
        return self.missed <= (self.result.overall.at_most_units or 0)

    def strata_that_hold(self) -> Iterator[bool]:
        """Whether the bound of each stratum that was not read as a whole is true."""
        for stratum, bound in zip(self.result.draw.strata, self.result.strata, strict=True):
            if not bound.all_read:
                yield self.missed_of(stratum.units) <= (bound.at_most_units or 0)


def trials(count: int, seed: int, folder: Path) -> Iterator[Trial]:
    """So many collections of all sizes, each with its sample read back."""
    source = random.Random(seed)
    for number in range(count):
        collection = simulated(source)
        draw = draw_sample(
            collection.justification, seed=source.randrange(2**32), **_size(source, collection)
        )
        yield Trial(collection, answered(draw, collection.missed, folder / str(number)))


def simulated(source: random.Random) -> Collection:
    """20 to 5,000 pages in up to three strata; up to 30 % misses, scattered, in runs, or in one stratum alone."""
    pages = round(math.exp(source.uniform(math.log(SMALLEST), math.log(LARGEST))))
    kinds = _in_runs(
        source, pages, ["plain"] * 6 + source.choice([[], ["ocr"], ["ocr", "flagged"], ["flagged"] * 4])
    )
    hits = {page for page in range(1, pages) if source.random() < source.choice([0, 0.1, 0.4])}
    open_pages = [page for page in range(1, pages + 1) if page not in hits]
    rate = source.choice([0.0, source.uniform(0, 0.1), source.uniform(0, HIGHEST_RATE)])
    layout = source.choice(["scattered", "runs", "one stratum"])
    missed = _misses(source, open_pages, kinds, round(rate * len(open_pages)), layout)
    justification = absent(
        required=("electricity",),
        pages=tuple(
            PageFact(
                page_num=page,
                page_label="",
                width_pt=595,
                height_pt=842,
                state=PageState.MIXED if kinds[page - 1] == "ocr" else PageState.TEXT,
            )
            for page in range(1, pages + 1)
        ),
        hits=tuple(hit(page) for page in sorted(hits)),
        blind_spots=tuple(spot(page) for page in open_pages if kinds[page - 1] == "flagged"),
    )
    return Collection(justification, missed, layout)


def answered(draw: Draw, missed: frozenset[int], folder: Path) -> ElusionResult:
    """Write the sheet, fill it in truthfully as a person would, and read it back."""
    write_review(draw, {}, folder)
    sheet = folder / "sheet.csv"
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["found"] = "yes" if int(row["page_num"]) in missed else "no"
    with sheet.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return read_sample(sheet)


def _in_runs(source: random.Random, pages: int, kinds: list[str]) -> list[str]:
    made: list[str] = []
    while len(made) < pages:
        made += [source.choice(kinds)] * source.randint(1, max(1, pages // 20))
    return made[:pages]


def _misses(
    source: random.Random, pages: list[int], kinds: list[str], count: int, layout: str
) -> frozenset[int]:
    if layout == "one stratum":
        stratum = source.choice(sorted({kinds[page - 1] for page in pages}))
        there = [page for page in pages if kinds[page - 1] == stratum]
        return frozenset(source.sample(there, min(count, len(there))))
    if layout == "runs":
        start = source.randrange(len(pages))
        return frozenset((pages[start:] + pages[:start])[:count])
    return frozenset(source.sample(pages, count))


def _size(source: random.Random, collection: Collection) -> dict[str, Any]:
    """One of the ways to say how much is drawn."""
    most = len(collection.justification.pages) - len(collection.justification.hits)
    return source.choice(
        [
            {},
            {"at_most": source.choice([0.02, 0.1, 0.2])},
            {"size": min(source.randint(3, 150), most)},
            {"per_stratum": source.randint(2, 60)},
        ]
    )
