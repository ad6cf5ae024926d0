"""Self-RAG's two judgements: is a passage useful for the task, and how far does the evidence carry what was written?

Neither uses knowledge from outside, and the second does not ask whether instructions were followed.
"""

from __future__ import annotations

from enum import StrEnum

from docaudit.abstention.ledger.vocabulary import Support
from docaudit.evidence import Model


class Relevance(StrEnum):
    """Usefulness, not the same words."""

    RELEVANT = "relevant"
    IRRELEVANT = "irrelevant"


USEFUL = (
    "It gives useful information to complete the task; sharing words or a neighbouring subject is not enough."
)
ONE_AXIS = (
    "Judge by the evidence alone, never by what you know from elsewhere. "
    "Judge only whether the evidence carries the text, not whether the text follows its instructions."
)


class SupportLevel(StrEnum):
    """How far the evidence carries what was written."""

    FULLY = "fully_supported"
    PARTIALLY = "partially_supported"
    NO_SUPPORT = "no_support_or_contradictory"

    @property
    def meaning(self) -> str:
        """When the level applies."""
        return _LEVELS[self]


_LEVELS = {
    SupportLevel.FULLY: "All that was written is carried by the evidence.",
    SupportLevel.PARTIALLY: "Some of it is; something that matters is not discussed in the evidence.",
    SupportLevel.NO_SUPPORT: "The evidence is ignored, about something else, or says the contrary.",
}
_OF_THE_LEDGER = {
    Support.FULL: SupportLevel.FULLY,
    Support.PARTIAL: SupportLevel.PARTIALLY,
    Support.NONE: SupportLevel.NO_SUPPORT,
    Support.CONTRADICTED: SupportLevel.NO_SUPPORT,
}


def support_level(support: Support) -> SupportLevel | None:
    """The level of a claim in a ledger; None for a claim that is missing, of which no support can be judged."""
    return _OF_THE_LEDGER.get(support)


class SupportRule(Model):
    """Which levels pass: strictness as a parameter.

    Attributes:
        least: The lowest level that passes.
    """

    least: SupportLevel = SupportLevel.FULLY

    def passes(self, level: SupportLevel) -> bool:
        """Whether a text of this level may be returned."""
        order = list(SupportLevel)
        return order.index(level) <= order.index(self.least)


class Example(Model):
    """An example for a judge: a task, a passage, and why it is, or is not, useful."""

    task: str
    evidence: str
    explanation: str
    rating: Relevance


EXAMPLES = (
    Example(
        task="How old must one be to become a member of the US House of Representatives?",
        evidence="Nobody may sit in the House of Representatives who is younger than 25 years.",
        explanation="It states the age for the House, which is what the task asks for.",
        rating=Relevance.RELEVANT,
    ),
    Example(
        task="How old must one be to become a member of the US House of Representatives?",
        evidence="To sit in the Senate one must be 30 years old and a citizen for nine years.",
        explanation="It is about the Senate: near, but another body than the task asks about.",
        rating=Relevance.IRRELEVANT,
    ),
)
"""One example for each rating, as a judge shown only one leans to it; the second is near, but about another subject."""
