"""What the user is told when an answer is held back: what could not be confirmed, and what to do next.

Never that a thing does not exist or need not be done, never a score, and never a word about material that the user may
not read. A search that failed is an outage, not an absence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from docaudit.abstention.gate import Reason
from docaudit.errors import GateError

Language = Literal["en", "ja"]

_UNCONFIRMED = {
    "en": "We could not confirm {items} in the material that was searched. {next_step}",
    "ja": "{items}を裏付ける資料を、現在の検索範囲では確認できませんでした。{next_step}",
}
_OUTAGE = {
    "en": "The search could not be carried out, so we withhold judgement on {items}. {next_step}",
    "ja": "検索を実行できず資料を参照できなかったため、{items}についての判断を保留しました。{next_step}",
}
_PARTIAL = {
    "en": "Confirmed: {confirmed}. Not confirmed: {items}. {next_step}",
    "ja": "確認できた事項：{confirmed}。未確認の事項：{items}。{next_step}",
}
_JOIN = {"en": ", ", "ja": "、"}

FORBIDDEN = (
    r"\b(?:do(?:es)? not|do(?:es)?n['’]t) (?:\w+ to )?exist\b|\bno such\b|\bnon-?existent\b",
    r"\bthere (?:is|are) no(?:t an\w*|ne)?\b|\bthere (?:isn|aren)['’]t\b",
    r"\bno (?:rules?|polic(?:y|ies)|documents?|sources?|provisions?)\b",
    r"\bnot (?:required|necessary|needed)\b|\bno need to\b|\bneed not\b|\bunnecessary\b",
    r"\b(?:do not|don['’]t) (?:need|have) to\b|\bwithout (?:\w+ )?approval\b",
    r"\bscores?\b|\bsimilarity\b|\bthreshold\b|\bconfidential\b|\brestricted\b",
    r"\b(?:not )?authori[sz]ed\b|\bpermissions?\b",
    r"存在しません|存在しない|ありません(?!でした)|ございません|(?:規程|規定|資料|文書|記載)(?:は|が)(?:ない|無い)",
    r"(?:書かれて|記載されて|定められて)(?:は)?い(?:ません|ない)",
    r"不要(?:です|である|。|$)|必要(?:は|が)?ありません|しなくて(?:も)?(?:よい|良い|いい)",
    r"スコア|閾値|しきい値|機密|権限外|閲覧制限",
)
"""Phrases that say more than is known (nothing exists, nothing is needed) or that give away what is held back."""

_FORBIDDEN = re.compile("|".join(FORBIDDEN), re.IGNORECASE)


def hold_message(
    reason: Reason,
    unconfirmed: Sequence[str],
    next_step: str,
    *,
    confirmed: Sequence[str] = (),
    language: Language = "en",
    restricted: Iterable[str] = (),
) -> str:
    """The message for a question that was held.

    Args:
        reason: Why; a failed search gets words of its own, all others the same.
        unconfirmed: What could not be confirmed, in the words of the user.
        next_step: What to do next, as a sentence; only places that the user may know of.
        confirmed: What was confirmed, each with its source, if a part of the answer stands.
        language: Of the message.
        restricted: Names and titles that the user may not learn of.

    Raises:
        GateError: The question passed, a part is empty, or the message would say what it must not.
    """
    if reason is Reason.PASS:
        raise GateError("a question that passed is not held")
    if not [one for one in unconfirmed if one.strip()] or not next_step.strip():
        raise GateError("a message names what could not be confirmed, and a next step")
    held = _PARTIAL if confirmed else _UNCONFIRMED
    form = _OUTAGE if reason is Reason.RETRIEVAL_FAILED else held
    join = _JOIN[language]
    text = form[language].format(
        items=join.join(unconfirmed), confirmed=join.join(confirmed), next_step=next_step
    )
    check_message(text, restricted)
    return text


def check_message(text: str, restricted: Iterable[str] = ()) -> None:
    """Raise GateError if a text for users says more than is known, or gives away what they may not learn."""
    found = _FORBIDDEN.search(_folded(text, str.strip))
    if found:
        raise GateError(f"a message must not say '{found.group()}'", remedy="say what could not be confirmed")
    folded = _folded(text, str.casefold)
    if any(_folded(name, str.casefold) in folded for name in restricted if name.strip()):
        # Not which one: this error may be logged where the user can read it.
        raise GateError("the message names something that the user may not learn of")


def _folded(text: str, then: Callable[[str], str]) -> str:
    """One width of letters and single blanks: a line break within a name hides nothing."""
    return then(re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip())
