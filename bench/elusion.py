"""Do the stated bounds of `docaudit sample` hold? Collections with known misses, drawn from and read back.

    PYTHONPATH=. python bench/elusion.py [--collections 2000] [--seed 1]

Each collection has 20 to 5,000 pages, up to three strata and 0 to 30 % misses (scattered, in runs of pages, or in one
stratum alone). It is drawn from by the real code, in one of four ways to say how much is drawn; the sheet is filled in
truthfully and read back. A bound of 95 % must be true in at least 95 of 100 collections, also among those with
misses, and in each range of rates; where nothing is missed it cannot fail.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.elusion_simulation import Trial, trials

RATES = (0.0, 0.02, 0.05, 0.1, 0.2, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collections", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    groups: dict[str, list[Trial]] = defaultdict(list)
    strata: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        for trial in trials(args.collections, args.seed, Path(folder)):
            strata += trial.strata_that_hold()
            for name in _groups(trial):
                groups[name].append(trial)
    print(f"{'':36} {'collections':>11} {'hold':>8} {'bound - true rate':>18}")
    for name in sorted(groups):
        _show(name, groups[name])
    print(f"{'each stratum by itself':36} {len(strata):>11,} {sum(strata) / len(strata):>8.2%}")


def _groups(trial: Trial) -> list[str]:
    rate = trial.missed / trial.result.overall.size
    names = ["all"]
    if trial.missed and not trial.result.overall.all_read:
        above = next(top for top in RATES if rate <= top)
        names += [
            "with misses, not all read",
            f"rate up to {above:.2f}",
            f"drawn {trial.result.draw.allocation}",
            f"misses: {trial.collection.layout}",
        ]
    return names


def _show(name: str, found: Sequence[Trial]) -> None:
    holds = sum(trial.holds for trial in found)
    gaps = [
        (trial.result.overall.at_most_share or 0) - trial.missed / trial.result.overall.size
        for trial in found
    ]
    print(f"{name:36} {len(found):>11,} {holds / len(found):>8.2%} {sum(gaps) / len(gaps):>18.3f}")


if __name__ == "__main__":
    main()
