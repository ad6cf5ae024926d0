"""A question that was held: what docaudit says of the absence behind it, and what the user is told.

A low score shows no absence; a justification does. A hold is justified only if docaudit found absence in every document
of the collection, with no obligation waived. The user is told what could not be confirmed and what to do next: never
that a thing does not exist, never a score, never a word about material that the user may not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from docaudit.abstention.gate import GateDecision, Reason, same_question
from docaudit.abstention.ledger.results import AbstentionEvidence
from docaudit.abstention.ledger.rows import Absence, Name, Sha256
from docaudit.abstention.results import Given, repeated
from docaudit.codes import Finding, Obligation
from docaudit.errors import GateError
from docaudit.files import write_text
from docaudit.justification import AbsenceJustification
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

    decision: GateDecision
    question: str = Field(min_length=1)
    documents: Mapping[Name, Sha256] = Field(min_length=1)
    justifications: tuple[AbsenceJustification, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Hold:
        problems = ["the question passed the gate"] if self.decision.passed else []
        if repeated(self.documents.values()):
            problems.append("a document is listed under two names")
        hashes = [_sha256(justification) for justification in self.justifications]
        for number, (justification, sha256) in enumerate(zip(self.justifications, hashes, strict=True), 1):
            where = f"justification {number}"
            if not same_question(justification.question, self.question):
                problems.append(f"{where}: is about another question")
            if sha256 not in self.documents.values():
                problems.append(f"{where}: is about another document ({sha256[:12]})")
            problems += [f"{where}: {fault}" for fault in inconsistencies(justification)]
        problems += [
            f"document {sha256[:12]} has {hashes.count(sha256)} justifications" for sha256 in repeated(hashes)
        ]
        if len({one.concept_table_fingerprint for one in self.justifications if not one.redacted}) > 1:
            problems.append("the justifications are of different concept tables")
        if problems:
            raise GateError(f"no hold can be made of {self.decision.query_id}", problems=tuple(problems))
        return self

    @property
    def unaudited(self) -> tuple[str, ...]:
        """Names of the documents without a justification."""
        audited = set(map(_sha256, self.justifications))
        return tuple(name for name, sha256 in self.documents.items() if sha256 not in audited)

    @property
    def waived(self) -> Mapping[str, tuple[Obligation, ...]]:
        """For each document found without it, the obligations that a person waived: that is no proof."""
        return {
            self._name(justification): justification.waived
            for justification in self.justifications
            if justification.finding is Finding.ABSENT and justification.waived
        }

    @property
    def evidence(self) -> AbstentionEvidence:
        """Justified (absent in every document, nothing waived), unproven, wrong (mentioned after all), or not given."""
        findings = {justification.finding for justification in self.justifications}
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
        rows = []
        for justification in self.justifications:
            path = f"{folder}/{justification.digest}.json"
            write_text(Path(ledger) / path, dump(justification))
            rows.append(
                Absence(
                    document=self._name(justification),
                    path=path,
                    digest=justification.digest,
                    finding=justification.finding,
                    waived=justification.waived,
                )
            )
        return tuple(rows)

    def _name(self, justification: AbsenceJustification) -> str:
        return next(name for name, sha256 in self.documents.items() if sha256 == _sha256(justification))


def _sha256(justification: AbsenceJustification) -> str:
    """Hash of the document; empty where a justification names none."""
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
    if not "".join(unconfirmed).strip() or not next_step.strip():
        raise GateError("a message names what could not be confirmed, and a next step")
    template = _PARTIAL if confirmed else _UNCONFIRMED
    if reason is Reason.RETRIEVAL_FAILED:
        template = _OUTAGE
    join = _JOIN[language]
    text = template[language].format(
        items=join.join(unconfirmed), confirmed=join.join(confirmed), next_step=next_step
    )
    check_message(text, restricted)
    return text


def check_message(text: str, restricted: Iterable[str] = ()) -> None:
    """Raise GateError if a text for users says more than is known, or gives away what they may not learn."""
    if forbidden := _FORBIDDEN.search(_one_width(text)):
        raise GateError(
            f"a message must not say '{forbidden.group()}'", remedy="say what could not be confirmed"
        )
    folded = _one_width(text).casefold()
    if any(_one_width(name).casefold() in folded for name in restricted if name.strip()):
        # Not which one: this error may be logged where the user can read it.
        raise GateError("the message names something that the user may not learn of")


def _one_width(text: str) -> str:
    """One width of letters and single blanks: a line break within a name hides nothing."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()
