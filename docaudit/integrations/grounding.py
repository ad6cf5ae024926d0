"""Other people's tools that call docaudit: one room for each, which needs the extra of that name and knows no other.

A result in the few lines that a model or a person reads; the whole evidence stays in the result itself.

Whether an answer says that there is none: a rule of thumb for English and Japanese, to be replaced where it fails.

It looks for usual phrases in the first two sentences, so that "There is no mention of steel. Copper costs more" counts
as declined. It knows no irony, no other language, and takes "I cannot say enough good of it" for what it is not.
What follows from a wrong guess: an answer taken for none is audited all the same and stays in the result (`said`); one
that declines in other words is passed on as an answer, with the passages that were retrieved.

The documents of a QA tool: each is read once, and audited for every question by one concept table.

From what a QA tool said and retrieved to what can be defended: an answer with evidence, or a justified absence.

Nothing is invented: evidence is what the tool retrieved and what stands in the document word for word. Whether the
answer follows from it is not judged.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

import docaudit
from docaudit.audit import find_hits, open_parsed, require_table
from docaudit.codes import Finding
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument, hits
from docaudit.errors import InputError, MissingExtraError, OptionError, RetrievalError
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
"""Passages that are quoted; it is said how many more there are."""


def brief(result: AbsenceJustification | AnswerWithEvidence) -> str:
    """Finding, explanation, what is unmet and what settles it, passages to read, and what the retriever missed."""
    if isinstance(result, AnswerWithEvidence):
        quoted = [f"- {view.page(one.page_num)}: {one_line(one.text)}" for one in result.evidence[:SHOWN]]
        return "\n".join([result.answer, *quoted, *_more(len(result.evidence))])
    t = Translator(result.options.language)
    name = result.document.name if result.document else ""
    lines = [
        f"{one_line(name)}: {headline(result, t)} ({result.finding.value}). {verdict(result, t)}",
        one_line(result.absence_explanation),
    ]
    for check in result.unmet:
        remedy = f" → {t.data(check.remedy)}" if check.remedy else ""
        lines.append(f"- {check.obligation.value}: {one_line(t.data(check.evidence) + remedy)}")
    to_read = view.passages_to_read(result)
    lines += [f"- {view.page(hit.page_num)}: {one_line(hit.snippet)}" for hit in to_read[:SHOWN]]
    lines += _more(len(to_read))
    if result.retrieval is not None:
        lines.append(
            " ".join([retrieval_verdict(result.retrieval, t), *retrieval_notes(result.retrieval, t)])
        )
    return "\n".join(lines)


def _more(passages: int) -> list[str]:
    return [f"- … {passages - SHOWN} more"] if passages > SHOWN else []


Declines = Callable[[str], bool]
"""Says of an answer whether it declines."""

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
    """Whether an answer is empty or declines in one of the usual phrases.

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


def need_extra(library: str, extra: str) -> None:
    """Raise MissingExtraError unless the library of an adapter can be imported."""
    try:
        import_module(library)
    except ImportError as error:
        raise MissingExtraError(
            f"{library} is not installed",
            remedy=f"install it: pip install '.[{extra}]' in the folder of docaudit",
        ) from error


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
        self._sources = _named(documents)
        self.table = (
            ConceptTable.load(Path(table)) if isinstance(table, (str, os.PathLike)) else require_table(table)
        )
        # None leaves a saved parse its own options, as `audit` does.
        self.options = AuditOptions.from_keywords(options, keywords) if options or keywords else None
        self._hit: dict[str, tuple[ParsedDocument, frozenset[str]]] = {}
        self._read: dict[str, tuple[tuple[int, ...] | None, ParsedDocument]] = {}
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
            if name not in self._read or self._read[name][0] != stamp:
                self._read[name] = (stamp, self._parse(source))
            return self._read[name][1]

    def _parse(self, source: Source) -> ParsedDocument:
        saved = open_parsed(source) if isinstance(source, (str, os.PathLike)) else None
        return saved or docaudit.parse(source, options=self.options)

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
        hit = frozenset[str]().union(*map(self._concepts_hit, self._sources))
        required = (self.options.required if self.options else ()) or self.table.required_concepts
        return tuple(name for name in required if name not in hit)

    def _concepts_hit(self, name: str) -> frozenset[str]:
        parsed = self.parsed(name)
        known = self._hit.get(name)
        if known is None or known[0] is not parsed:
            hit_df, _ = find_hits(parsed, self.table, self.options or parsed.options)
            found = (one.concept for one in hits(hit_df) if not one.match_kind.is_possible)
            known = (parsed, frozenset(found))
            self._hit[name] = known
        return known[1]

    def audit_each(
        self, question: str, retrieved: Sequence[RetrievedChunk] | None = None
    ) -> tuple[AbsenceJustification, ...]:
        """Audit every document: something is absent from a collection only if it is from each."""
        return tuple(self.audit(question, retrieved, name) for name in self._sources)


def need_documents(documents: Any, table: Any = None, **keywords: Any) -> AuditedDocuments:
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


def _named(documents: Any) -> dict[str, Any]:
    if isinstance(documents, Mapping):
        named = dict(documents)
    elif isinstance(documents, Sequence) and not isinstance(documents, (str, bytes)):
        names = [_name(one) for one in documents]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise OptionError(
                f"several documents are named {', '.join(twice)}",
                remedy="pass a mapping of names to documents",
            )
        named = dict(zip(names, documents, strict=True))
    else:
        named = {_name(documents): documents}
    if not named:
        raise InputError("no document was given", remedy="name at least one")
    return named


def _name(document: Any) -> str:
    if isinstance(document, ParsedDocument):
        return document.identity.name
    return Path(document).name if isinstance(document, (str, os.PathLike)) else "document"


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


class Outcome(StrEnum):
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
    outcome: Outcome
    results: tuple[GroundedAnswer, ...]
    concepts_without_hit: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[AnswerWithEvidence, ...]:
        """The answers with evidence."""
        return tuple(one for one in self.results if isinstance(one, AnswerWithEvidence))

    @property
    def justifications(self) -> tuple[AbsenceJustification, ...]:
        """The justifications, one for each document, or none if it was answered."""
        return tuple(one for one in self.results if isinstance(one, AbsenceJustification))

    @property
    def mentioned_in(self) -> tuple[AbsenceJustification, ...]:
        """Justifications of the documents that mention it although the tool gave no supported answer."""
        return tuple(one for one in self.justifications if one.finding is Finding.MENTIONED)

    def __str__(self) -> str:
        """A few lines for people and models."""
        if self.outcome is Outcome.ANSWERED:
            doubt = f"No document mentions {', '.join(self.concepts_without_hit)}."
            return "\n\n".join([*map(brief, self.results), *([doubt] if self.concepts_without_hit else [])])
        said = f'No answer was given ("{self.said}").' if self.said.strip() else "No answer was given."
        if self.outcome is Outcome.UNSUPPORTED:
            said = "An answer was given, but nothing that was retrieved for it stands in the documents."
        return "\n\n".join([said, *map(brief, self.results)])


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
    if not declined:
        answers = _answers(documents, question, text, chunks or ())
        if answers:
            return Grounded(
                question=question,
                said=text,
                outcome=Outcome.ANSWERED,
                results=answers,
                concepts_without_hit=documents.concepts_without_hit(),
            )
    return Grounded(
        question=question,
        said=text,
        outcome=Outcome.DECLINED if declined else Outcome.UNSUPPORTED,
        results=documents.audit_each(question, chunks),
    )


def _answers(
    documents: AuditedDocuments, question: str, said: str, chunks: Sequence[RetrievedChunk]
) -> tuple[AnswerWithEvidence, ...]:
    found = []
    for name in documents.names:
        parsed = documents.parsed(name)
        evidence = tuple(_mention(one) for one in passages(parsed.line_df, chunks))
        if evidence:
            found.append(
                AnswerWithEvidence(
                    question=question, answer=said, evidence=evidence, document=parsed.identity
                )
            )
    return tuple(found)


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
