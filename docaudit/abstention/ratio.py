"""A share that never leaves its numerator and denominator behind."""

from __future__ import annotations

from typing import Any

from pydantic import computed_field, model_validator

from docaudit.evidence import Model

CONFIDENCE = 0.95


def percent(share: float) -> str:
    """``28.0 %``."""
    return f"{share * 100:.1f} %"


class Ratio(Model):
    """So many of so many; of nothing there is no share, and zero errors in few questions promise little.

    Attributes:
        numerator: How many.
        denominator: Of how many.
    """

    numerator: int
    denominator: int

    @model_validator(mode="before")
    @classmethod
    def _computed_anew(cls, given: Any) -> Any:
        """A saved ratio also has its share and interval; they follow from the counts."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in ("share", "interval")}

    @model_validator(mode="after")
    def _a_part_of_the_whole(self) -> Ratio:
        if not 0 <= self.numerator <= self.denominator:
            raise ValueError(f"{self.numerator} of {self.denominator} is not a share")
        return self

    @computed_field  # type: ignore[prop-decorator]
    @property
    def share(self) -> float | None:
        """Between 0 and 1; None if the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def interval(self) -> tuple[float, float] | None:
        """Exact interval (Clopper-Pearson, 95 % two-sided) of the share in all such questions; None of nothing."""
        if not self.denominator:
            return None
        from scipy.stats import binomtest  # slow to import, and the command line must start fast

        found = binomtest(self.numerator, self.denominator).proportion_ci(CONFIDENCE, method="exact")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        """``21 of 75 (28.0 %)``; with the bound where all or none were counted."""
        counts = f"{self.numerator} of {self.denominator}"
        if self.share is None or self.interval is None:
            return f"{counts} (not measurable)"
        low, high = self.interval
        bound = ""
        if self.numerator == 0:
            bound = f"; exact 95 % interval up to {percent(high)}"
        elif self.numerator == self.denominator:
            bound = f"; exact 95 % interval from {percent(low)}"
        return f"{counts} ({percent(self.share)}{bound})"
