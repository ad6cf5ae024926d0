"""A progress bar on stderr, and only where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

Progress = Callable[[int, int], None]
StageProgress = Callable[[str, int, int], None]


@contextmanager
def progress_bar(label: str, unit: str = "pages") -> Iterator[Progress | None]:
    """A callable (pages or other units done, in all) that moves a bar; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        # markup=False: a file name with brackets is a name, not an instruction.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def progress_bars(rate: str) -> Iterator[StageProgress | None]:
    """As `progress_bar` for work in stages, one after the other: a callable (stage, units done, in all).

    Args:
        rate: Unit of the rate that is shown, for each minute.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=300) as bar:
        tasks: dict[str, TaskID] = {}

        def move(stage: str, done: int, total: int) -> None:
            task = tasks.get(stage)
            if task is None:
                for other in tasks.values():
                    bar.remove_task(other)
                tasks.clear()
                task = tasks[stage] = bar.add_task(stage, total=total, rate="")
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, total=total, rate=f"{60 * speed:,.0f} {rate}" if speed else "")

        yield move
