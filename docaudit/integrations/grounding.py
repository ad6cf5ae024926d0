"""What a QA tool answered and retrieved, and what of it can be defended: the part that all adapters share.

The result is an answer with evidence, or a justified absence for each document. Nothing is invented: evidence is what
the tool retrieved and what stands in the document word for word. Whether the answer follows from it is not judged.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

import docaudit
from docaudit.audit import find_hits, open_parsed, require_table
from docaudit.codes import Finding
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument, hits
from docaudit.errors import InputError, OptionError, RetrievalError
from docaudit.justification import (
    AbsenceJustification,
    AnswerWithEvidence,
    GroundedAnswer,
    Mention,
    Model,
    RetrievedChunk,
)
from docaudit.options import AuditOptions
from docaudit.render import view
from docaudit.render.language import Translator, one_line
from docaudit.render.view import headline, retrieval_notes, retrieval_verdict, verdict
from docaudit.retrieval import Passage, passages

if TYPE_CHECKING:
    from docaudit.extract.source import Source


SHOWN = 5
"""Passages that are quoted, chosen, not measured; it is said how many more there are."""


def brief(result: AbsenceJustification | AnswerWithEvidence) -> str:
    """Finding, explanation, what is unmet and what settles it, passages to read, and what the retriever missed."""
    language: Translator | None = None
    if isinstance(result, AnswerWithEvidence):
        lines = [result.answer]
        passages_shown = [(passage.page_num, passage.text) for passage in result.evidence]
    else:
        language = Translator(result.options.language)
        name = result.document.name if result.document else ""
        lines = [
            f"{one_line(name)}: {headline(result, language)} ({result.finding.value}). {verdict(result, language)}",
            one_line(result.absence_explanation),
        ]
        for check in result.unmet:
            remedy = f" → {language.data(check.remedy)}" if check.remedy else ""
            lines.append(f"- {check.obligation.value}: {one_line(language.data(check.evidence) + remedy)}")
        passages_shown = [(hit.page_num, hit.snippet) for hit in view.passages_to_read(result)]
    lines += [f"- {view.page(page_num)}: {one_line(text)}" for page_num, text in passages_shown[:SHOWN]]
    if len(passages_shown) > SHOWN:
        lines.append(f"- … {len(passages_shown) - SHOWN} more")
    if isinstance(result, AbsenceJustification) and language is not None and result.retrieval is not None:
        notes = retrieval_notes(result.retrieval, language)
        lines.append(" ".join([retrieval_verdict(result.retrieval, language), *notes]))
    return "\n".join(lines)


Declines = Callable[[str], bool]
"""Says of an answer whether it declines."""

# A rule of thumb: usual phrases of English and Japanese. It knows no irony and no other language. What follows from a
# wrong guess: an answer taken for none is audited all the same and stays in the result; one that declines in other
# words is passed on as an answer, with the passages that were retrieved.
_SENTENCE = regex.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", regex.DOTALL)
_VERBS = "mention contain provide include specify state say address discuss give offer have cover find disclose report"
_DONE = "mentioned specified stated provided found available disclosed addressed discussed"
_ENGLISH = regex.compile(
    rf"""
    \b(?:do|does|did|could|can|ca|was|were|am|is|are|has|have)(?:\ not|n['’]t)\ (?:\w+\ ){{0,2}}
        (?:know|answer|determine|find|locate|tell|say|sure|aware|{"|".join(_VERBS.split())})
    |\bcannot\ (?:\w+\ )?(?:answer|determine|find|tell|say|be\ (?:answered|determined|found))
    |\bunable\ to\ (?:\w+\ )?(?:answer|determine|find|tell|provide)
    |(?:\b(?:not|no|never)|n['’]t)\ (?:\w+\ ){{0,2}}(?:{"|".join(_DONE.split())})\b
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|answer|data|evidence|details|reference|context|results?)\b
    |\bnothing\ (?:\w+\ ){{0,3}}(?:found|mentioned|stated|said|available)\b
    |\bnone\ of\ the\ (?:\w+\ ){{0,3}}(?:{"|".join(_VERBS.split())})s?\b
    |\bno\ idea\b
    |\bnot\ (?:in|within|part\ of)\ the\ (?:\w+\ ){{0,2}}(?:text|context|documents?|reports?|passages?|sources?)\b
    |(?:\binsufficient|(?:\bnot|n['’]t)\ enough)\ (?:information|context|data|evidence)
    |\bI['’]m\ (?:sorry|afraid)\b
    |^\W*(?:none|null|n/a|unknown|empty\ response|no\ answer|unanswerable|not[\ _]found)\W*$
    """,
    regex.IGNORECASE | regex.VERBOSE,
)
_JAPANESE = regex.compile(
    r"^\W*(?:記載|該当|情報)?(?:なし|無し|不明)\W*$|知りません|触れられてい(?:ない|ません)|(?:提供|開示)されてい(?:ない|ません)"
    r"|(?:分|わ|判)かり(?:ません|かね)|分からない|わからない|不明です|存じません|(?:お)?答え(?:られ|でき|いたしかね)|回答(?:でき|いたしかね)"
    r"|(?:情報|記載|記述|言及|説明|データ)[はがもの]?(?:一切|特に|直接)?(?:ありません|ない|なく|ございません|見つか|見当た|含まれてい(?:ない|ません)|されてい(?:ない|ません)|不足)"
    r"|見つかりません|見当たりません|確認できません|特定できません|判断できません"
)


def says_nothing(answer: str) -> bool:
    """Whether an answer is empty or declines in one of the usual phrases, in its first two sentences.

    >>> says_nothing("I don't know."), says_nothing("この文書には記載がありません。"), says_nothing("Empty Response")
    (True, True, True)
    >>> says_nothing("Electricity use rose by 4 %."), says_nothing("電力の消費は4％増えた。")
    (False, False)
    """
    text = answer.strip()
    if not any(map(str.isalnum, text)):
        return True
    beginning = "".join(match[0] for match in list(_SENTENCE.finditer(text))[:2])
    return bool(_ENGLISH.search(beginning) or _JAPANESE.search(beginning))


class AuditedDocuments:
    """Documents with a concept table: what the adapters of all QA tools share.

    Args:
        documents: One document or several: paths of PDFs or of folders that `docaudit parse` wrote (named by their file
            names), or a mapping of names to paths, bytes or parsed documents. A PDF is read when it is first asked for,
            and again only if its file has changed.
        table: The concept table, or its file.
        options: Options of the audits; single ones can also be given as keywords (ocr="off").
        **keywords: Fields of AuditOptions.

    Raises:
        InputError: No document was given.
        OptionError: Two documents have one name, or an option is wrong.
        ConceptTableError: The table is wrong.
    """

    def __init__(
        self,
        documents: Any,
        table: ConceptTable | str | os.PathLike[str],
        *,
        options: AuditOptions | None = None,
        **keywords: Any,
    ) -> None:
        self._sources = _by_name(documents)
        self.table = (
            ConceptTable.load(Path(table)) if isinstance(table, (str, os.PathLike)) else require_table(table)
        )
        # None leaves a saved parse its own options, as `audit` does.
        self.options = AuditOptions.from_keywords(options, keywords) if options or keywords else None
        # What each name was last read as, with the stamp of its file; and the concepts that were hit in that reading.
        self._parsed: dict[str, tuple[tuple[int, ...] | None, ParsedDocument]] = {}
        self._concepts_hit: dict[str, tuple[ParsedDocument, frozenset[str]]] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the documents."""
        return tuple(self._sources)

    def __getstate__(self) -> dict[str, Any]:
        """Without the lock, so that an adapter can be copied and sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._lock = threading.Lock()

    def parsed(self, name: str) -> ParsedDocument:
        """A document as tables; raises what `parse` raises, and OptionError for a name that is not there."""
        if name not in self._sources:
            raise OptionError(
                f"there is no document '{name}'", remedy=f"documents are {', '.join(self._sources)}"
            )
        source = self._sources[name]
        if isinstance(source, ParsedDocument):
            return source
        with self._lock:  # two questions at once must not read it twice
            stamp = _stamp(source)
            if name not in self._parsed or self._parsed[name][0] != stamp:
                saved = open_parsed(source) if isinstance(source, (str, os.PathLike)) else None
                self._parsed[name] = (stamp, saved or docaudit.parse(source, options=self.options))
            return self._parsed[name][1]

    def audit(
        self, question: str, retrieved: Sequence[RetrievedChunk] | None = None, name: str | None = None
    ) -> AbsenceJustification:
        """Audit one document; its name may be left out if there is but one. Raises what docaudit.audit raises."""
        if name is None and len(self._sources) > 1:
            raise OptionError("there are several documents", remedy=f"name one of {', '.join(self._sources)}")
        if retrieved is not None and len(self._sources) > 1:
            # A chunk does not say of which document its page is: it must not stand for this page of each.
            retrieved = [chunk.model_copy(update={"pages": ()}) for chunk in retrieved]
        parsed = self.parsed(self.names[0] if name is None else name)
        return docaudit.audit(
            parsed, self.table, question=question, retrieved=retrieved, options=self.options
        )

    def concepts_without_hit(self) -> tuple[str, ...]:
        """Required concepts that have no hit in any document; each document is swept once. Raises what parsing does."""
        concepts_hit: set[str] = set()
        for name in self._sources:
            parsed = self.parsed(name)
            if name not in self._concepts_hit or self._concepts_hit[name][0] is not parsed:
                hit_df, _ = find_hits(parsed, self.table, self.options or parsed.options)
                sure = (hit.concept for hit in hits(hit_df) if not hit.match_kind.is_possible)
                self._concepts_hit[name] = (parsed, frozenset(sure))
            concepts_hit |= self._concepts_hit[name][1]
        required = (self.options.required if self.options else ()) or self.table.required_concepts
        return tuple(concept for concept in required if concept not in concepts_hit)

    def audit_each(
        self, question: str, retrieved: Sequence[RetrievedChunk] | None = None
    ) -> tuple[AbsenceJustification, ...]:
        """Audit every document: something is absent from a collection only if it is from each."""
        return tuple(self.audit(question, retrieved, name) for name in self._sources)


def audited_documents(documents: Any, table: Any = None, **keywords: Any) -> AuditedDocuments:
    """Documents with their table, made of what an adapter was given unless it was AuditedDocuments already."""
    if isinstance(documents, AuditedDocuments):
        if table is not None or keywords:
            raise OptionError("AuditedDocuments have their table and options", remedy="give them alone")
        return documents
    return AuditedDocuments(documents, table, **keywords)


def pages_of(
    metadata: Mapping[str, Any], key: str | None, first: int, chunk: str = "the chunk"
) -> tuple[int, ...]:
    """The physical page that the metadata of a chunk name under a key, none if they name none.

    Args:
        metadata: Of the chunk.
        key: Where its page stands; None if pages are to be found by the text alone.
        first: Number that its tool gives to the first page: many loaders count from 0.
        chunk: Its name, for errors.

    Raises:
        RetrievalError: What stands there is no page.
    """
    value = metadata.get(key) if key is not None else None
    if value is None:
        return ()
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < first:
        raise RetrievalError(
            f"{chunk}: {key} is {value!r}, and no page counted from {first}",
            remedy="name the key of the page and the number of the first page, or no key",
        )
    return (value - first + 1,)


def finite(score: float | None) -> float | None:
    """The score of a chunk; None for one that is no number, which some retrievers give for "not scored"."""
    return float(score) if score is not None and math.isfinite(score) else None


def _by_name(documents: Any) -> dict[str, Any]:
    """What AuditedDocuments takes as documents, each under its name."""

    def name_of(document: Any) -> str:
        if isinstance(document, ParsedDocument):
            return document.identity.name
        return Path(document).name if isinstance(document, (str, os.PathLike)) else "document"

    if isinstance(documents, Mapping):
        by_name = dict(documents)
    else:
        is_list = isinstance(documents, Sequence) and not isinstance(documents, (str, bytes))
        listed = list(documents) if is_list else [documents]
        names = [name_of(document) for document in listed]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise OptionError(
                f"several documents are named {', '.join(repeated)}",
                remedy="pass a mapping of names to documents",
            )
        by_name = dict(zip(names, listed, strict=True))
    if not by_name:
        raise InputError("no document was given", remedy="name at least one")
    return by_name


def _stamp(source: Source) -> tuple[int, ...] | None:
    """What changes when a file is written anew; None for bytes, and for a file that is not there (reading says so)."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    head = path / "document.json"
    try:
        state = (head if head.is_file() else path).stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino, state.st_ctime_ns


class AnswerOutcome(StrEnum):
    """What became of the answer of a QA tool."""

    ANSWERED = "answered"
    DECLINED = "declined"
    UNSUPPORTED = "unsupported"


class Grounded(Model):
    """What a QA tool said, with what its documents have to say about it.

    Attributes:
        question: What was asked.
        said: What the tool answered, whatever became of it; empty if it answered nothing.
        outcome: answered (and something that it retrieved stands in a document), declined (it said that it does not
            know, or nothing), unsupported (it answered, but nothing that it retrieved stands in any document).
        results: If it answered, AnswerWithEvidence for each document that holds something it retrieved. Else
            AbsenceJustification for every document, with `retrieval`: one with the finding `mentioned` says that the
            tool failed, and whether its retriever missed the passages.
        concepts_without_hit: If it answered, the required concepts that no document mentions: what is said of these has
            no ground in the documents, whatever passages were retrieved.
    """

    question: str
    said: str
    outcome: AnswerOutcome
    results: tuple[GroundedAnswer, ...]
    concepts_without_hit: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[AnswerWithEvidence, ...]:
        """The answers with evidence."""
        return tuple(result for result in self.results if isinstance(result, AnswerWithEvidence))

    @property
    def justifications(self) -> tuple[AbsenceJustification, ...]:
        """The justifications, one for each document, or none if it was answered."""
        return tuple(result for result in self.results if isinstance(result, AbsenceJustification))

    @property
    def mentioned_in(self) -> tuple[AbsenceJustification, ...]:
        """Justifications of the documents that mention it although the tool gave no supported answer."""
        return tuple(found for found in self.justifications if found.finding is Finding.MENTIONED)

    def __str__(self) -> str:
        """A few lines for people and models."""
        parts = [brief(result) for result in self.results]
        if self.outcome is AnswerOutcome.ANSWERED:
            doubt = f"No document mentions {', '.join(self.concepts_without_hit)}."
            return "\n\n".join([*parts, *([doubt] if self.concepts_without_hit else [])])
        first = f'No answer was given ("{self.said}").' if self.said.strip() else "No answer was given."
        if self.outcome is AnswerOutcome.UNSUPPORTED:
            first = "An answer was given, but nothing that was retrieved for it stands in the documents."
        return "\n\n".join([first, *parts])


def ground(
    documents: AuditedDocuments,
    question: str,
    said: str | None,
    chunks: Sequence[RetrievedChunk] | None,
    declines: Declines = says_nothing,
) -> Grounded:
    """What can be defended of an answer.

    Args:
        documents: What was searched, with the concept table.
        question: What was asked.
        said: What the tool answered; None or empty if nothing.
        chunks: What its retriever gave; None if that is not known.
        declines: Says of an answer that is not empty whether it declines; the default knows usual phrases.

    Raises what docaudit.audit raises: an audit that cannot run is an error, never "nothing found".
    """
    text = said or ""
    declined = not text.strip() or declines(text)
    answers = []
    for name in () if declined else documents.names:
        parsed = documents.parsed(name)
        evidence = tuple(_mention(passage) for passage in passages(parsed.line_df, chunks or ()))
        if evidence:
            answers.append(
                AnswerWithEvidence(
                    question=question, answer=text, evidence=evidence, document=parsed.identity
                )
            )
    if answers:
        return Grounded(
            question=question,
            said=text,
            outcome=AnswerOutcome.ANSWERED,
            results=tuple(answers),
            concepts_without_hit=documents.concepts_without_hit(),
        )
    return Grounded(
        question=question,
        said=text,
        outcome=AnswerOutcome.DECLINED if declined else AnswerOutcome.UNSUPPORTED,
        results=documents.audit_each(question, chunks),
    )


def _mention(passage: Passage) -> Mention:
    """A passage that was retrieved, not searched: it belongs to no concept."""
    return Mention(
        kind="mention",
        concept="",
        variant="",
        text=passage.text,
        page_num=passage.page_num,
        line_num=passage.line_num,
        snippet=passage.text,
        why_not="",
    )
