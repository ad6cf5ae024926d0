"""Two parts of a question set: one to choose a threshold on, one to check the choice, once.

Questions of one group stay together, and so do questions that are written almost alike: else the second part would
repeat what the first has shown. Paraphrases in other words cannot be seen here; give them one group. The file of a
split counts the looks at its held-out part: what cannot be counted is not shown.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from docaudit.abstention.results import Frozen, LabelledQuestion, listed, read_json
from docaudit.errors import GateError
from docaudit.files import write_text
from docaudit.justification import Model
from docaudit.text.folding import fold

NEAR_DUPLICATE = 90
"""From this similarity (0 to 100: edits in proportion to length) two questions count as almost the same.

Chosen, not measured: two exchanged letters of twenty; `--alike` sets another."""

_AT_ONCE = 256
"""Questions that are compared with all others at once: all pairs would fill the memory (chosen, not measured)."""


class Use(Model):
    """One look at the held-out part.

    Attributes:
        purpose: What for.
        date: On which day, if it is to be kept.
    """

    purpose: str = Field(min_length=1)
    date: str | None = None


class QuestionSplit(Model):
    """Which question is in which part.

    Attributes:
        sha256: Hash of the frozen results that were split.
        seed: Of the random choice.
        tuning, held_out: Names of questions.
        alike: From this similarity (0 to 100) questions count as written almost alike.
        joined: Questions that stay together although their groups differ, because they are written almost alike.
        uses: Every look at the held-out part; after the first it is tuning data.
    """

    sha256: str
    seed: int
    tuning: tuple[str, ...] = Field(min_length=1)
    held_out: tuple[str, ...] = Field(min_length=1)
    alike: float = Field(default=NEAR_DUPLICATE, gt=0, le=100)
    joined: tuple[tuple[str, str], ...] = ()
    uses: tuple[Use, ...] = ()

    @model_validator(mode="after")
    def _parts_are_apart(self) -> QuestionSplit:
        if both := sorted(set(self.tuning) & set(self.held_out)):
            raise ValueError(f"in both parts: {', '.join(both)}")
        return self

    def used(self, purpose: str, date: str | None = None) -> QuestionSplit:
        """The same with one more use of the held-out part."""
        return self.model_copy(update={"uses": (*self.uses, Use(purpose=purpose, date=date))})


class Leak(Model):
    """Two questions in different parts that should be in one.

    Attributes:
        kind: They have the same group, or almost the same words.
        tuning, held_out: Their names.
    """

    kind: Literal["same_group", "near_duplicate"]
    tuning: str
    held_out: str


def split(
    frozen: Frozen, *, held_out: float = 0.3, seed: int = 0, alike: float = NEAR_DUPLICATE
) -> QuestionSplit:
    """Split by groups; raises GateError if a row has no group, or if there are fewer than two groups.

    Args:
        frozen: What is split.
        held_out: Share of the groups that is held out, between 0 and 1.
        seed: Of the random choice.
        alike: From this similarity (0 to 100) questions are written almost alike; 100 joins only the same words.
    """
    from sklearn.model_selection import GroupShuffleSplit

    for name, value, right in (
        ("held-out share", held_out, 0 < held_out < 1),
        ("similarity", alike, 0 < alike <= 100),
        ("seed", seed, 0 <= seed < 2**32),
    ):
        if not right:
            ends = {"held-out share": "0 and 1", "similarity": "0 and 100", "seed": "0 and 4294967295"}[name]
            raise GateError(f"the {name} is {value:g}", remedy=f"take one between {ends}")
    without = [row for row in frozen.rows if row.group is None]
    if without:
        raise GateError(
            "questions without a group cannot be split",
            problems=(f"{listed(without)}: no group",),
            remedy="give questions about one rule, and paraphrases, the same group; others one of their own",
        )
    joined = [pair for pair in near_duplicates(frozen.rows, alike) if pair[0].group != pair[1].group]
    groups = _joined_groups(frozen.rows, joined)
    many = len(set(groups))
    if many < 2 and not joined:
        raise GateError("all questions belong to one group, so they cannot be split")
    if many < 2:
        rows = sorted({row.number: row for pair in joined for row in pair}.items())
        names = ", ".join(dict.fromkeys(str(row.group) for _, row in rows))
        raise GateError(
            f"questions are written almost alike, which joins their groups to one, so they cannot be split "
            f"(similarity {alike:g} of 100 or more)",
            problems=(f"{listed([row for _, row in rows])}: groups {names}",),
            remedy="if they ask for different rules, join only what is more alike: --alike 97",
        )
    if math.ceil(held_out * many) >= many:
        raise GateError(
            f"{held_out:g} of {many} groups leaves none for tuning", remedy="hold out a smaller share"
        )
    shuffled = GroupShuffleSplit(n_splits=1, test_size=held_out, random_state=seed)
    tuning, rest = next(shuffled.split(groups, groups=groups))
    return QuestionSplit(
        sha256=frozen.sha256,
        seed=seed,
        tuning=tuple(frozen.rows[place].id for place in tuning),
        held_out=tuple(frozen.rows[place].id for place in rest),
        alike=alike,
        joined=tuple((row.id, other.id) for row, other in joined),
    )


def _joined_groups(
    rows: Sequence[LabelledQuestion], joined: Sequence[tuple[LabelledQuestion, LabelledQuestion]]
) -> list[int]:
    """A number for each row; rows of one group, or joined, have the same."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names = {name: place for place, name in enumerate(dict.fromkeys(row.group for row in rows))}
    starts = [names[row.group] for row, _ in joined]
    stops = [names[other.group] for _, other in joined]
    links = coo_array(([1] * len(joined), (starts, stops)), shape=(len(names), len(names)))
    component = connected_components(links, directed=False)[1]
    return [int(component[names[row.group]]) for row in rows]


def near_duplicates(
    rows: Sequence[LabelledQuestion], alike: float = NEAR_DUPLICATE
) -> Iterator[tuple[LabelledQuestion, LabelledQuestion]]:
    """Pairs that are written almost alike, the earlier row first."""
    from rapidfuzz import fuzz, process

    texts = [fold(row.query) for row in rows]
    for start in range(0, len(texts), _AT_ONCE):
        block = texts[start : start + _AT_ONCE]
        scores = process.cdist(block, texts[start:], scorer=fuzz.ratio, score_cutoff=alike)
        for first, second in zip(*scores.nonzero(), strict=True):
            if first < second:
                yield rows[start + first], rows[start + second]


def leaks(frozen: Frozen, parts: QuestionSplit) -> tuple[Leak, ...]:
    """Every pair that straddles the two parts and should not."""
    tuning, held_out = frozen.only(parts.tuning).rows, frozen.only(parts.held_out).rows
    same_group = {
        (row.id, other.id)
        for row in tuning
        for other in held_out
        if row.group is not None and row.group == other.group
    }
    apart = set(parts.held_out)
    alike = {
        (row.id, other.id)
        for row, other in near_duplicates((*tuning, *held_out), parts.alike)
        if row.id not in apart and other.id in apart
    }
    return tuple(
        Leak(kind="same_group" if pair in same_group else "near_duplicate", tuning=pair[0], held_out=pair[1])
        for pair in sorted(same_group | alike)
    )


def take_part(frozen: Frozen, parts: QuestionSplit, part: Literal["tuning", "held_out"]) -> Frozen:
    """The rows of one part; raises GateError if the split is of other results, incomplete, or leaks.

    For the held-out part, record the use in the split first: QuestionSplit.used.
    """
    if parts.sha256 != frozen.sha256:
        raise GateError("the split was made of other results", remedy="split these results anew")
    left_out = sorted(frozen.by_id.keys() - {*parts.tuning, *parts.held_out})
    if left_out:
        raise GateError("the split leaves questions out", problems=tuple(left_out))
    straddling = leaks(frozen, parts)
    if straddling:
        raise GateError(
            "questions of the tuning part stand in the held-out part again",
            problems=tuple(f"{leak.tuning} and {leak.held_out} ({leak.kind})" for leak in straddling),
            remedy="split anew",
        )
    if part == "held_out" and not parts.uses:
        raise GateError("a look at the held-out part must be counted", remedy="record it with used()")
    chosen = frozen.only(parts.tuning if part == "tuning" else parts.held_out)
    return chosen.model_copy(update={"part": part, "held_out_uses": len(parts.uses)})


def load_split(path: str | Path) -> QuestionSplit:
    """The split that `docaudit gate split` wrote; raises GateError."""
    content, _ = read_json(Path(path))
    try:
        return QuestionSplit.model_validate(content)
    except ValidationError as error:
        raise GateError(
            "is not a split of results", file=str(path), remedy="make one: docaudit gate split"
        ) from error


def take_held_out(frozen: Frozen, path: str | Path, purpose: str) -> Frozen:
    """The held-out part, with this look counted in the file before anything is shown.

    Args:
        frozen: The results that were split.
        path: File of the split.
        purpose: What the look is for; kept with today's date.

    Raises:
        GateError: The file is no split of these results, or the split leaks.
        OutputError: The look cannot be counted.
    """
    parts = load_split(path).used(purpose, dt.date.today().isoformat())
    chosen = take_part(frozen, parts, "held_out")
    write_text(Path(path), parts.model_dump_json(indent=1) + "\n")
    return chosen
