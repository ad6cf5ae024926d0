"""Is a saved justification what docaudit finds in this document, and has nobody changed it?

`verify` replays it: digest -> fingerprint of the table -> hash of the document -> versions -> the audit once more, with
the recorded options -> what a retriever missed -> `cross_check`, a plain search in the text that another engine reads.
Every difference is listed; a check that cannot be made says so.

`inconsistencies` looks at the file alone: whoever edits a finding on purpose computes a new digest, but leaves the rest
behind. So the finding is drawn once more from the obligations, hits and meetings that the file itself gives.

>>> [str(one) for one in differences({"a": {"b": 1}, "c": [1, 2]}, {"a": {"b": 2}, "c": [1]})]
['a.b: saved 1, now 2', 'c: saved 2 entries, now 1: no longer there: 2']
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from docaudit.audit import audit, open_parsed
from docaudit.codes import PAGE_SOURCES, POSSIBLE_KINDS, Obligation, ObligationState, TextSource, Visibility
from docaudit.concepts.check import JOINER
from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError, Progress
from docaudit.evidence import required_concepts
from docaudit.justification import AbsenceJustification, DocumentIdentity, Hit, Model, RetrievedChunk
from docaudit.justify import explain
from docaudit.options import AuditOptions
from docaudit.redact import hides_rows, redact
from docaudit.retrieval import contradictions
from docaudit.rules import verdict
from docaudit.saved import as_data, digest_of
from docaudit.wording.choice import allowed_reasons, remark_problems, with_saved_choice

if TYPE_CHECKING:
    from docaudit.extract.source import Source


_HYPHEN_AT_END = re.compile("[\ufffe\u00ad]\\s*|(?<=[^\\W\\d_])[-\u2010]\\s*\n\\s*(?=[^\\W\\d_])")
_UNKNOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_BLANKS = re.compile(r"\s+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


class CrossCheck(Model):
    """What another engine confirms and what it contradicts.

    Attributes:
        pages_read: Pages whose text it could read.
        passages: Verbatim passages of the justification on these pages, from the text layer and in sight.
        unconfirmed: Of these, the ones whose letters it does not see on their page, each with its page.
        variants: Variants that were looked for by plain search.
        missed: Variants that it sees on a page for which the justification has no hit of them, each with its page.
    """

    pages_read: int
    passages: int
    unconfirmed: tuple[str, ...]
    variants: int
    missed: tuple[str, ...]


def cross_check(justification: AbsenceJustification, texts: Mapping[int, str | None]) -> CrossCheck:
    """What the text of the pages, as another engine reads it (None: it cannot), confirms and contradicts.

    It shares no code with the sweep: text is compatibility-decomposed and case-folded by the standard library alone,
    words are found by `str.find`, and nothing is joined but the ends of lines. So it finds less than the sweep;
    whatever it finds must be in the justification.
    """
    read = {page: text for page, text in texts.items() if text is not None}
    letters = {page: _letters(text) for page, text in read.items() if not _is_garbled(text)}
    passages = list(dict.fromkeys(_passages(justification)))
    seen = [(pages, text) for pages, text in passages if letters.keys() >= set(pages)]
    unconfirmed = [
        (pages, text) for pages, text in seen if not any(_letters(text) in letters[page] for page in pages)
    ]
    plain = [
        variant
        for variant in justification.concept_table.active
        if variant.match != "regex" and _letters(variant.text)
    ]
    return CrossCheck(
        pages_read=len(read),
        passages=len(seen),
        unconfirmed=tuple(f"page {pages[0]}: '{text}'" for pages, text in unconfirmed),
        variants=len(plain),
        missed=tuple(_missed(justification, plain, read)),
    )


def _passages(justification: AbsenceJustification) -> Iterator[tuple[tuple[int, ...], str]]:
    """Pages and text of everything quoted from the text layer where a person can see it, line by line."""
    if justification.redacted:
        return
    for hit in justification.hits:
        if _in_sight(hit):
            pages = tuple(range(hit.page_num, max(hit.page_num, hit.page_end) + 1))
            for line in hit.match_text.split("\n"):
                if _letters(line):
                    yield pages, line


def _in_sight(hit: Hit) -> bool:
    return hit.source is TextSource.TEXT_LAYER and hit.visibility is Visibility.VISIBLE and not hit.part


def _missed(
    justification: AbsenceJustification, variants: list[Variant], read: Mapping[int, str]
) -> Iterator[str]:
    """Variants on pages without a hit of them."""
    found = {(hit.concept, hit.variant, page) for hit in justification.hits for page in _pages(hit)}
    as_written = {page: _readable(text) for page, text in read.items()}
    folded = {page: text.casefold() for page, text in as_written.items()}
    unspaced = {page: text.replace(" ", "") for page, text in folded.items()}
    for variant in variants:
        needle = _readable(variant.text)
        pages = as_written
        if not variant.case_sensitive:
            needle, pages = needle.casefold(), folded
        if _CJK.search(needle):
            needle, pages = needle.replace(" ", "").casefold(), unspaced
        for page, text in pages.items():
            if (variant.concept, variant.text, page) not in found and _stands_in(needle, text):
                yield f"page {page}: '{variant.text}'"


def _pages(hit: Hit) -> Iterator[int]:
    if hit.source in PAGE_SOURCES or hit.page_num:
        yield from range(hit.page_num, hit.page_end + 1)


def _stands_in(needle: str, text: str) -> bool:
    """Whether a word or phrase stands in a text, not as a part of a longer word."""
    start = text.find(needle)
    whole = not _CJK.search(needle)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(needle) : start + len(needle) + 1]
        if not whole or not (_joins(before) or _joins(after)):
            return True
        start = text.find(needle, start + 1)
    return False


def _joins(char: str) -> bool:
    return char.isalnum() or char in "_-'’.&@/+#"


def _readable(text: str) -> str:
    """Text with blanks for all white space, compatibility forms decomposed, and words that a line end parts joined."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", _HYPHEN_AT_END.sub("", text))).strip()


def _is_garbled(text: str) -> bool:
    """Where the engine does not know its signs, that it lacks a word says nothing."""
    return 100 * len(_UNKNOWN.findall(text)) > len(text)


def _letters(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalnum())


_SHOWN = 200


class Difference(Model):
    """One field that differs; its values as JSON, cut if they are long.

    Attributes:
        field: Path of the field, as hits[3].page_num.
        saved: Its value in the saved justification; empty if it has no such field.
        now: Its value now; empty if there is no such field.
        detail: For lists of different lengths what is only in one of them.
    """

    field: str
    saved: str
    now: str
    detail: str = ""

    def __str__(self) -> str:
        """One line for people."""
        said = f"{self.field}: saved {self.saved or 'nothing'}, now {self.now or 'nothing'}"
        return f"{said}: {self.detail}" if self.detail else said


def differences(
    saved: dict[str, Any], now: dict[str, Any], ignore: Collection[str] = ()
) -> tuple[Difference, ...]:
    """Every field in which two saved forms differ, those with these paths left out."""
    return tuple(one for one in _compare("", saved, now) if one.field not in ignore)


def _compare(path: str, saved: Any, now: Any) -> Iterator[Difference]:
    if isinstance(saved, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*saved, *now]):
            inner = f"{path}.{name}" if path else str(name)
            if name in saved and name in now:
                yield from _compare(inner, saved[name], now[name])
            else:
                yield Difference(field=inner, saved=_shown(saved, name), now=_shown(now, name))
        if list(saved) != list(now) and set(saved) == set(now):
            yield Difference(
                field=path, saved=_json(list(saved)), now=_json(list(now)), detail="another order"
            )
    elif isinstance(saved, list) and isinstance(now, list):
        if len(saved) == len(now):
            for index, (one, other) in enumerate(zip(saved, now, strict=True)):
                yield from _compare(f"{path}[{index}]", one, other)
        else:
            yield _lengths(path, saved, now)
    # 1 and true, and 1 and 1.0, are equal to Python, but not the same in a file.
    elif type(saved) is not type(now) or saved != now:
        yield Difference(field=path, saved=_json(saved), now=_json(now))


def _lengths(path: str, saved: list[Any], now: list[Any]) -> Difference:
    before, after = Counter(map(_whole, saved)), Counter(map(_whole, now))
    gone, new = list((before - after).elements()), list((after - before).elements())
    parts = [f"{what}: {_listed(some)}" for what, some in (("no longer there", gone), ("new", new)) if some]
    entries = "entry" if len(saved) == 1 else "entries"
    return Difference(field=path, saved=f"{len(saved)} {entries}", now=str(len(now)), detail="; ".join(parts))


def _listed(some: list[str]) -> str:
    more = f" and {len(some) - 3} more" if len(some) > 3 else ""
    return ", ".join(_cut(one) for one in some[:3]) + more


def _shown(part: dict[str, Any], name: str) -> str:
    return _json(part[name]) if name in part else ""


def _json(value: Any) -> str:
    return _cut(_whole(value))


def _whole(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


class Step(StrEnum):
    """What is checked."""

    DIGEST = "digest"
    FINGERPRINT = "fingerprint"
    DOCUMENT = "document"
    VERSIONS = "versions"
    REPLAY = "replay"
    RETRIEVAL = "retrieval"
    SECOND_ENGINE = "second_engine"


class Check(Model):
    """One check with its result.

    Attributes:
        step: What was checked.
        state: confirmed, differs, or not_run.
        evidence: What was compared, or why it could not be, as a sentence.
        differences: Fields that differ, one by one.
    """

    step: Step
    state: Literal["confirmed", "differs", "not_run"]
    evidence: str
    differences: tuple[Difference, ...] = ()


class Verification(Model):
    """The result of a replay.

    Attributes:
        document: Name of the document as the justification gives it.
        checks: All checks in order.
    """

    document: str
    checks: tuple[Check, ...]

    @property
    def verified(self) -> bool:
        """Whether nothing differs and the audit was repeated. Other versions alone are no difference in the result."""
        states = {check.step: check.state for check in self.checks}
        return states[Step.REPLAY] == "confirmed" and not any(
            state == "differs" for step, state in states.items() if step is not Step.VERSIONS
        )


@dataclass(frozen=True)
class Opened:
    """The document to check against: a file, or a parse of one that was kept."""

    sha256: str
    file: Path
    parsed: ParsedDocument | None


@contextmanager
def opened(source: Source | ParsedDocument) -> Iterator[Opened]:
    """The source, with its hash; bytes and open files lie in a temporary file for the time of the block.

    Raises InputError and its subclasses.
    """
    parsed = source if isinstance(source, ParsedDocument) else None
    if isinstance(source, (str, os.PathLike)):
        parsed = open_parsed(source)
    if parsed is not None:
        yield Opened(parsed.identity.sha256, Path(), parsed)
        return
    from docaudit.extract.source import identified

    assert not isinstance(source, ParsedDocument)
    with identified(source) as file:
        yield Opened(file.sha256, file.path, None)


NOT_REPLAYED = frozenset({"digest", "document.name", "options.workers"})
"""Fields that a replay cannot confirm: the file may have another name here, and the number of workers changes nothing.
The digest covers them."""


_TAKEN_OVER = (
    "digest",
    "document.name",
    "question",
    "concept_table.info (descriptions)",
    "concept_table.variants (id, source, reference, name of the reviewer, date, note, own columns, order)",
    "options (workers, reasons of waivers, and what makes no difference for this document)",
)


def verify(
    justification: AbsenceJustification,
    source: Source | ParsedDocument,
    *,
    password: str | None = None,
    retrieved: Sequence[RetrievedChunk] | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a justification against its document.

    Args:
        justification: As it was saved and loaded again (docaudit.load_justification).
        source: The document: a PDF as `audit` takes it. A saved parse, or its folder, is swept and justified again, but
            not read again, and the result says so.
        password: Password of an encrypted document; it is in no justification.
        retrieved: The chunks that the audit was given. Without them it cannot be repeated what they held, only whether
            the hits that they are compared with are those of the document.
        progress: Called with pages done and pages in all.

    Raises what `audit` raises if the document cannot be opened.
    """
    identity, table = justification.document, justification.concept_table
    with opened(source) as document:
        checks = [_digest(justification), _fingerprint(justification), _document(identity, document)]
        if document.sha256 != identity.sha256:
            checks += [_not_run(step, "this is another document") for step in _NEED_THE_DOCUMENT]
            return Verification(document=identity.name, checks=tuple(checks))
        # A file may not make anybody send text to a model: its choice is checked, not asked for again.
        options = justification.options.model_copy(update={"password": password, "explain_with": "template"})
        now = audit(
            document.parsed or document.file,
            table,
            question=justification.question,
            retrieved=retrieved,
            options=options,
            progress=progress,
        )
        if justification.options.explain_with == "model":
            now = with_saved_choice(now, justification)
        if justification.redacted:
            now = redact(now)
        checks += [
            _versions(justification, now),
            _replay(justification, now, read_again=document.parsed is None),
        ]
        if justification.retrieval is not None or retrieved is not None:
            checks.append(_retrieval(justification, now))
        checks.append(_second_engine(justification, document, options))
        checks[0] = _where_to_look(justification, checks)
    return Verification(document=identity.name, checks=tuple(checks))


def _digest(saved: AbsenceJustification) -> Check:
    whole = digest_of(saved) == saved.digest
    said = "its content fits the digest" if whole else "its content was changed after docaudit wrote it"
    return Check(step=Step.DIGEST, state="confirmed" if whole else "differs", evidence=said)


def _where_to_look(saved: AbsenceJustification, checks: Sequence[Check]) -> Check:
    """The check of the digest; where only it differs, with the fields that a replay takes over as they stand."""
    digest = checks[0]
    if digest.state != "differs" or any(check.state == "differs" for check in checks[1:]):
        return digest
    fields = [
        *_TAKEN_OVER,
        *(["model_remark"] if saved.model_remark is not None else []),
        *(["concept_table_fingerprint"] if hides_rows(saved) else []),
    ]
    where = (
        f"{digest.evidence}; the audit gives the same, so it is one of the fields that a replay takes over and cannot "
        f"confirm: {', '.join(fields)}"
    )
    return digest.model_copy(update={"evidence": where})


def _fingerprint(saved: AbsenceJustification) -> Check:
    if hides_rows(saved):
        return _not_run(
            Step.FINGERPRINT,
            "rows of its concept table that nobody accepted are redacted: the fingerprint is of the whole table",
        )
    now = saved.concept_table.fingerprint
    if now == saved.concept_table_fingerprint:
        return Check(
            step=Step.FINGERPRINT, state="confirmed", evidence="its concept table fits the fingerprint"
        )
    return Check(
        step=Step.FINGERPRINT,
        state="differs",
        evidence="its concept table is not the one that the fingerprint was made of",
        differences=(
            Difference(field="concept_table_fingerprint", saved=saved.concept_table_fingerprint, now=now),
        ),
    )


def _document(identity: DocumentIdentity, document: Opened) -> Check:
    if document.sha256 == identity.sha256:
        return Check(
            step=Step.DOCUMENT, state="confirmed", evidence=f"the file is the one audited ({document.sha256})"
        )
    return Check(
        step=Step.DOCUMENT,
        state="differs",
        evidence="the file is another one, or was changed; `docaudit compare` audits it as a new edition",
        differences=(Difference(field="document.sha256", saved=identity.sha256, now=document.sha256),),
    )


def _versions(saved: AbsenceJustification, now: AbsenceJustification) -> Check:
    found = differences(_sorted(saved.document.versions), _sorted(now.document.versions))
    if not found:
        return Check(step=Step.VERSIONS, state="confirmed", evidence="by the same versions of all engines")
    named = tuple(one.model_copy(update={"field": f"document.versions.{one.field}"}) for one in found)
    said = "written by other versions: a difference in the replay may come from them"
    return Check(step=Step.VERSIONS, state="differs", evidence=said, differences=named)


def _replay(saved: AbsenceJustification, now: AbsenceJustification, *, read_again: bool) -> Check:
    ignored = NOT_REPLAYED | ({"concept_table_fingerprint"} if hides_rows(saved) else set())
    found = tuple(
        one
        for one in differences(_without_retrieval(saved), _without_retrieval(now), ignored)
        if not one.field.startswith("document.versions")
    )
    how = "" if read_again else " (the pages were not read again: this is a saved parse)"
    if not found:
        return Check(
            step=Step.REPLAY, state="confirmed", evidence=f"the audit gives the same in every field{how}"
        )
    fields = "1 field" if len(found) == 1 else f"{len(found)} fields"
    return Check(
        step=Step.REPLAY,
        state="differs",
        evidence=f"the audit gives another result in {fields}{how}",
        differences=found,
    )


def _without_retrieval(justification: AbsenceJustification) -> dict[str, Any]:
    return {name: part for name, part in as_data(justification).items() if name != "retrieval"}


def _retrieval(saved: AbsenceJustification, now: AbsenceJustification) -> Check:
    """What the chunks held, where they are given; else only whether it is said of hits that are there."""
    if now.retrieval is not None:
        parts = [as_data(one).get("retrieval", {}) for one in (saved, now)]
        found = tuple(
            one.model_copy(update={"field": f"retrieval.{one.field}"})
            for one in differences(parts[0], parts[1])
        )
        said = "the chunks hold other hits than it says" if found else "the chunks hold the hits that it says"
        state: Literal["confirmed", "differs"] = "differs" if found else "confirmed"
        return Check(step=Step.RETRIEVAL, state=state, evidence=said, differences=found)
    assert saved.retrieval is not None, "one of them has chunks"
    wrong = contradictions(saved.retrieval, now.hits, now.cooccurrences, now.required)
    if wrong:
        differing = tuple(Difference(field="retrieval", saved="", now=one) for one in wrong)
        return Check(
            step=Step.RETRIEVAL,
            state="differs",
            evidence="it compares chunks with other hits than those of the audit",
            differences=differing,
        )
    return _not_run(
        Step.RETRIEVAL,
        "it speaks of hits that are there; which of them the chunks held can be repeated only with the chunks",
    )


def _second_engine(saved: AbsenceJustification, document: Opened, options: AuditOptions) -> Check:
    """What PDFium alone sees, searched without the sweep."""
    if document.parsed is not None:
        return _not_run(Step.SECOND_ENGINE, "a saved parse has no pages that another engine could read")
    from docaudit.extract.tasks import read_second_text

    pages = range(1, saved.document.pages_total + 1)
    seen = cross_check(saved, read_second_text(document.file, options, pages))
    if not seen.pages_read:
        return _not_run(Step.SECOND_ENGINE, "the second engine cannot read this document")
    found = [Difference(field="hits", saved=one, now="not seen by PDFium") for one in seen.unconfirmed]
    found += [Difference(field="hits", saved="", now=f"seen by PDFium: {one}") for one in seen.missed]
    said = (
        f"PDFium reads {seen.pages_read} of {len(pages)} pages; it confirms {seen.passages - len(seen.unconfirmed)} of "
        f"{seen.passages} passages, and sees {len(seen.missed)} places of {seen.variants} variants that have no hit"
    )
    return Check(
        step=Step.SECOND_ENGINE,
        state="differs" if found else "confirmed",
        evidence=said,
        differences=tuple(found),
    )


def _sorted(versions: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(versions.items()))


def _not_run(step: Step, why: str) -> Check:
    return Check(step=step, state="not_run", evidence=why)


_NEED_THE_DOCUMENT = (Step.VERSIONS, Step.REPLAY, Step.SECOND_ENGINE)


MAY_BE_NOT_RUN = frozenset({Obligation.QUESTION_COVERED, Obligation.CONTROL_FOUND, Obligation.READERS_AGREE})
"""Obligations for which there may be nothing to check; all others are run in every audit."""


def inconsistencies(justification: AbsenceJustification) -> tuple[str, ...]:
    """What does not follow from the rest of the justification, as phrases; empty if all of it does."""
    return tuple(dict.fromkeys(_all(justification)))


def _all(j: AbsenceJustification) -> Iterator[str]:
    if j.digest != digest_of(j):
        yield "does not fit its digest"
    if not hides_rows(j) and j.concept_table.fingerprint != j.concept_table_fingerprint:
        yield "its concept table does not fit its fingerprint"
    broken = [*_obligations(j), *_counts(j)]
    yield from broken
    if not broken:  # else the verdict and its sentence have nothing to follow from
        yield from _verdict(j)
        yield from _sentence(j)


def _obligations(j: AbsenceJustification) -> Iterator[str]:
    counted = Counter(check.obligation for check in j.obligations)
    for one in Obligation:
        if counted[one] != 1:
            yield f"has the obligation {one.value} {counted[one]} times"
    for check in j.obligations:
        code = check.obligation
        idle = code in MAY_BE_NOT_RUN and not (code is Obligation.QUESTION_COVERED and j.question is not None)
        if check.state is ObligationState.NOT_RUN and not idle:
            yield f"the obligation {code.value} was not run"
        if check.state is ObligationState.WAIVED and code.value not in j.options.waive:
            yield f"the obligation {code.value} is waived, and the options waive it not"
        if (
            check.state is ObligationState.MET
            and code is Obligation.VARIANTS_REVIEWED
            and j.concept_table.proposed
        ):
            yield "variants wait for a decision, and variants_reviewed is met"


def _counts(j: AbsenceJustification) -> Iterator[str]:
    """Counts and pages of each concept are those of its hits; possible hits do not count."""
    hits = [hit for hit in j.hits if hit.match_kind not in POSSIBLE_KINDS]
    counted = Counter(hit.concept for hit in hits)
    if set(j.concept_hits) != set(j.concept_table.active_concepts) or counted.keys() - set(j.concept_hits):
        yield "concept_hits are not those of the concepts that were searched"
    for name, many in j.concept_hits.items():
        if counted[name] != many:
            yield f"concept_hits says {many} of {name}, and there are {counted[name]}"
    pages = {name: sorted({hit.page_num for hit in hits if hit.concept == name}) for name in j.concept_hits}
    if {name: list(found) for name, found in j.concept_pages.items()} != pages:
        yield "concept_pages are not those of the hits"
    try:
        required = required_concepts(j.concept_table, j.options)
    except DocauditError as error:
        yield error.cause
    else:
        if j.required != required:
            yield "the required concepts are not those of table and options"


def _verdict(j: AbsenceJustification) -> Iterator[str]:
    mentioned = j.concept_hits[j.required[0]] > 0 if len(j.required) == 1 else _meet(j)
    missing = any(not j.concept_hits[name] for name in j.required)
    finding, reason, strength = verdict(j.obligations, mentioned=mentioned, missing=missing)
    if j.finding is not finding:
        yield f"says {j.finding.value}, and its evidence comes to {finding.value}"
        return
    if j.strength is not strength:
        yield f"says {j.strength.value}, and its evidence is {strength.value}"
    by_model = j.explained_by.model != ""
    if j.reason not in (allowed_reasons(j) if by_model else (reason,)):
        yield f"gives the reason {j.reason}, and its evidence gives {reason}"


def _meet(j: AbsenceJustification) -> bool:
    return JOINER.join(j.required) in {JOINER.join(meeting.concepts) for meeting in j.cooccurrences}


def _sentence(j: AbsenceJustification) -> Iterator[str]:
    """The template's own words, and a remark of a model only where one was asked and it holds."""
    if j.absence_explanation != explain(j, j.options.language):
        yield "its explanation is not that of its evidence"
    if j.model_remark is not None and (
        j.explained_by.method != "model" or remark_problems(j.model_remark, j)
    ):
        yield "its remark does not hold by its evidence"
