"""A question that the gate held, with docaudit's justification for each document that was searched for it.

A low score shows no absence; a justification does. So a hold is justified only if docaudit found absence in every
document of the collection, with no obligation waived; one document that nobody audited leaves it unproven.

What the user is told when an answer is held back: what could not be confirmed, and what to do next.

Never that a thing does not exist or need not be done, never a score, and never a word about material that the user may
not read. A search that failed is an outage, not an absence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from docaudit.abstention.gate import Decision, Ratio, Reason, same_question
from docaudit.abstention.ledger.results import AbstentionEvidence
from docaudit.abstention.ledger.rows import Absence, Name, Sha256
from docaudit.abstention.results import Given
from docaudit.codes import Finding, Obligation
from docaudit.errors import GateError
from docaudit.files import write_text
from docaudit.justification import AbsenceJustification, Model
from docaudit.saved import dump
from docaudit.verify import inconsistencies


class Hold(Given):
    """A question that was held back, and what docaudit says about it.

    Raises GateError with everything that is wrong: the question passed, or a justification is about another question
    or document, was changed, was searched with another concept table, or stands twice for one document.

    Attributes:
        decision: Of the gate.
        question: What was asked.
        documents: Name and SHA-256 of each document that was searched; a hold is about all of them.
        justifications: Of these documents, for this question.
    """

    decision: Decision
    question: str = Field(min_length=1)
    documents: Mapping[Name, Sha256] = Field(min_length=1)
    justifications: tuple[AbsenceJustification, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Hold:
        problems = ["the question passed the gate"] if self.decision.passed else []
        if len(set(self.documents.values())) < len(self.documents):
            problems.append("a document is listed under two names")
        for number, one in enumerate(self.justifications, 1):
            problems += [f"justification {number}: {fault}" for fault in self._faults(one)]
        audited = [_document(one) for one in self.justifications]
        problems += [
            f"document {sha256[:12]} has {audited.count(sha256)} justifications"
            for sha256 in dict.fromkeys(audited)
            if audited.count(sha256) > 1
        ]
        if len({one.concept_table_fingerprint for one in self.justifications if not one.redacted}) > 1:
            problems.append("the justifications are of different concept tables")
        if problems:
            raise GateError(f"no hold can be made of {self.decision.query_id}", problems=tuple(problems))
        return self

    def _faults(self, one: AbsenceJustification) -> list[str]:
        found = [] if same_question(one.question, self.question) else ["is about another question"]
        if _document(one) not in self.documents.values():
            found.append(f"is about another document ({_document(one)[:12]})")
        return found + list(inconsistencies(one))

    @property
    def unaudited(self) -> tuple[str, ...]:
        """Names of the documents without a justification."""
        audited = {_document(one) for one in self.justifications}
        return tuple(name for name, sha256 in self.documents.items() if sha256 not in audited)

    @property
    def waived(self) -> Mapping[str, tuple[Obligation, ...]]:
        """For each document found without it, the obligations that a person waived: that is no proof."""
        names = {sha256: name for name, sha256 in self.documents.items()}
        return {
            names[_document(one)]: one.waived
            for one in self.justifications
            if one.finding is Finding.ABSENT and one.waived
        }

    @property
    def evidence(self) -> AbstentionEvidence:
        """Justified (absent in every document, nothing waived), unproven, wrong (mentioned after all), or not given."""
        findings = {one.finding for one in self.justifications}
        if Finding.MENTIONED in findings:
            return AbstentionEvidence.WRONG
        if not findings:
            return AbstentionEvidence.NOT_GIVEN
        proven = findings == {Finding.ABSENT} and not self.unaudited and not self.waived
        return AbstentionEvidence.JUSTIFIED if proven else AbstentionEvidence.UNPROVEN

    def keep(self, ledger: str | Path, folder: str = "justifications") -> tuple[Absence, ...]:
        """Save the justifications beside a ledger, and give what its row of the run says of them.

        Args:
            ledger: Folder of the ledger, which knows the documents by the same names.
            folder: Folder in it, made if it is not there.

        Raises:
            OutputError: A file cannot be written.
        """
        names = {sha256: name for name, sha256 in self.documents.items()}
        rows = []
        for one in self.justifications:
            path = f"{folder}/{one.digest}.json"
            write_text(Path(ledger) / path, dump(one))
            kept = {"path": path, "digest": one.digest, "finding": one.finding, "waived": one.waived}
            rows.append(Absence(document=names[_document(one)], **kept))
        return tuple(rows)


class AbstentionQuality(Model):
    """How well holds are founded; the four add up to all holds.

    Attributes:
        shares: Holds of each kind, of all holds.
        ids: Which.
        reasons: How many holds the gate gave each reason; none of these shows absence.
    """

    shares: Mapping[AbstentionEvidence, Ratio]
    ids: Mapping[AbstentionEvidence, tuple[str, ...]]
    reasons: Mapping[Reason, int]


def abstention_quality(holds: Sequence[Hold]) -> AbstentionQuality:
    """Score holds; raises GateError if a question was held twice."""
    names = [one.decision.query_id for one in holds]
    twice = [
        f"rows {', '.join(str(at) for at, other in enumerate(names, 1) if other == name)}: '{name}' is held twice"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if twice:
        raise GateError("these holds cannot be scored", problems=tuple(twice))
    ids = {
        kind: tuple(one.decision.query_id for one in holds if one.evidence is kind)
        for kind in AbstentionEvidence
    }
    return AbstentionQuality(
        shares={kind: Ratio(numerator=len(found), denominator=len(holds)) for kind, found in ids.items()},
        ids=ids,
        reasons={
            reason: sum(one.decision.reason is reason for one in holds)
            for reason in Reason
            if reason is not Reason.PASS
        },
    )


def _document(justification: AbsenceJustification) -> str:
    return justification.document.sha256 if justification.document else ""


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
