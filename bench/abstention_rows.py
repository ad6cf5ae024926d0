"""What a BM25 search over pages and an absence audit say about phrases that stand in a document, or do not."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from parsed import documents_in

import docaudit
from docaudit.abstention.experiment import BM25, Document, tokens
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument
from docaudit.errors import GateError

K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Measured:
    """One question: does this document say this phrase?

    Attributes:
        id: Name of the question.
        document: Name of the document.
        phrase: The phrase, which is also the query.
        evidence: `present` or `absent`, as labelled.
        kind: Where the label comes from.
        searched: Whether BM25 could search at all: it knows no Cyrillic, for example.
        score: Of the best page; None if no page has a word of the phrase.
        words: Different tokens of the phrase.
        finding: What the audit concludes.
    """

    id: str
    document: str
    phrase: str
    evidence: str
    kind: str
    searched: bool
    score: float | None
    words: int
    finding: str


def measure(folder: Path, documents: Path, cache: Path, kept: Path) -> list[Measured]:
    """Rows for every document that lies in `documents`; those that `kept` has already are not measured again."""
    rows = [Measured(**json.loads(line)) for line in _lines(kept)]
    known = {row.document for row in rows}
    wanted = _questions(folder)
    begun = perf_counter()
    names = sorted({*wanted} - known)
    for name, parsed in documents_in(documents, cache, names) if names else ():
        if name not in names:  # another document whose name holds this one
            continue
        made = list(_measured(name, parsed, wanted[name]))
        with kept.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in made)
        rows += made
        print(f"{perf_counter() - begun:6.0f} s  {len(made):3} questions  {name}", flush=True)
    missing = sorted({*wanted} - {row.document for row in rows})
    if missing:
        print(f"not measured ({len(missing)} documents): {', '.join(missing)}")
    return rows


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _questions(folder: Path) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for evidence, file, kind in (("present", "facts.jsonl", "ground"), ("absent", "absent.jsonl", "kind")):
        for line in _lines(folder / file):
            raw = json.loads(line)
            found[raw["pdf"]].append(
                {"id": raw["id"], "phrase": raw["phrase"], "evidence": evidence, "kind": raw[kind]}
            )
    return found


def _measured(name: str, parsed: ParsedDocument, questions: list[dict[str, str]]) -> Iterator[Measured]:
    index = _index(parsed)
    for question in questions:
        phrase = question["phrase"]
        found = index.search(phrase) if index else []
        known = set(tokens(phrase))
        table = ConceptTable.from_variants({"phrase": [phrase]})
        yield Measured(
            **question,
            document=name,
            searched=bool(index and known),
            score=found[0][1] if found else None,
            words=len(known),
            finding=docaudit.audit(parsed, table).finding.value,
        )


def _index(parsed: ParsedDocument) -> BM25 | None:
    """One entry for each page that has a line; None if the document has no word that BM25 knows."""
    text = parsed.line_df.groupby("page_num")["text"].agg(" ".join)
    pages = [Document(id=str(page), title="", text=words) for page, words in text.items()]
    try:
        return BM25(pages, k1=K1, b=B)
    except GateError:
        return None
