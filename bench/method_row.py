"""One published number beside the one that docaudit computes."""

from __future__ import annotations

from dataclasses import dataclass

from docaudit.abstention.gate import Ratio


@dataclass(frozen=True)
class Row:
    """One number of a method.

    Attributes:
        item: Its number in the list of the method's items.
        what: What is counted.
        expected: As published.
        got: As computed; None if it was not computed, and `source` then says why.
        source: What it was computed from.
    """

    item: str
    what: str
    expected: str
    got: str | None
    source: str

    @property
    def state(self) -> str:
        if self.got is None:
            return "not run"
        return "same" if self.got == self.expected else "DIFFERS"


def percent(ratio: Ratio, digits: int) -> str:
    assert ratio.share is not None
    return f"{ratio.share * 100:.{digits}f} %"


def rest(ratio: Ratio) -> Ratio:
    return Ratio(numerator=ratio.denominator - ratio.numerator, denominator=ratio.denominator)


def both(passed: Ratio) -> str:
    return f"{passed.numerator} / {rest(passed).numerator} of {passed.denominator}"


def shown(ratio: Ratio) -> str:
    return f"{ratio.numerator} of {ratio.denominator}"


def counted(ratio: Ratio) -> str:
    return f"{shown(ratio)} = {percent(ratio, 2)}"
