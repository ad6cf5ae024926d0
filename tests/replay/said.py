"""What docaudit says of documents, as bytes that are the same on every machine: findings, forms, tables."""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib.util
import inspect
import json
import re
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

import docaudit
from tests.replay.documents import RENDERED, Case, cases

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
LIBRARIES = (
    "pymupdf",
    "pypdfium2",
    "tesserocr",
    "rapidocr",
    "onnxruntime",
    "pandas",
    "click",
    "rich",
    "reportlab",
    "pikepdf",
)
_TEXTS = frozenset({".json", ".html", ".md", ".csv", ".txt"})
_DAY = dt.date(2001, 2, 3)
Said = Iterator[tuple[str, str]]


def versions() -> str:
    """The libraries that could explain a change, in one line."""
    return ", ".join(f"{name} {version(name)}" for name in LIBRARIES)


def finding(justification: docaudit.AbsenceJustification) -> str:
    """A justification as JSON, without versions, hash and size of the document, and what is a hash over those."""
    data = justification.model_dump(mode="json")
    del data["digest"]
    document = data["document"]
    document |= {"versions": sorted(document["versions"]), "sha256": "", "size_bytes": 0}
    for part, name in (("coverage", "pages_by_state"), ("options", "waive")):
        data[part][name] = dict(sorted(data[part][name].items()))  # their order means nothing
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def neutral(text: str, *places: Path) -> str:
    """Text without hashes, versions, times and the folder that it was made in."""
    for place in places:
        text = text.replace(str(place), "<folder>")
    text = re.sub(r"\b(?:[0-9a-f]{64}|[0-9a-f]{16})\b", "<sha256>", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?", "<time>", text)
    text = re.sub(r'("\w*seconds": )\d[\d.e-]*', r"\1<seconds>", text)
    for name, value in _recorded().items():
        between = r"(?:[^\w<]|</?\w[^>]*>|,? ?version ?){1,8}"
        text = re.sub(rf"(?i)({name}{between}){re.escape(value)}", r"\1<version>", text)
    return text


_RECORDED: dict[str, str] = {}


def _recorded() -> dict[str, str]:
    """The versions that documents are recorded with, longest first."""
    if not _RECORDED:
        known = docaudit.parse(cases()["absent"].data, ocr="auto", workers=1).identity.versions
        _RECORDED.update(sorted(known.items(), key=lambda one: -len(one[1])))
    return _RECORDED


def case(name: str) -> Said:
    """All that is kept of one generated document."""
    made = cases()[name]
    table = docaudit.ConceptTable.from_variants(
        {concept: list(texts) for concept, texts in made.variants.items()}
    )
    parsed = docaudit.parse(made.data, **{"ocr": "off", "workers": 1, **made.reading})
    for asked, options in made.asked.items():
        source = made.data if options.get("canary") else parsed
        again = {"ocr": "off", "workers": 1, **made.reading} if source is made.data else {}
        found = docaudit.audit(source, table, question=made.question, **again, **options)
        rough = parsed.options.ocr != "off"
        yield f"finding/{name}/{asked}", measured(found) if rough else finding(found)
    if name in RENDERED:
        yield from _forms(name, made, docaudit.audit(parsed, table, question=made.question))
        yield from _tables(name, parsed, docaudit.sweep(parsed, table))
    if name == "ten-tables":
        yield from _ten(parsed)


def surface() -> Said:
    """The public names, each with its signature and what it says of itself."""
    yield "surface/names", "\n".join(docaudit.__all__)
    for name in docaudit.__all__:
        thing = getattr(docaudit, name)
        text = f"{name}{_signature(thing)}\n{inspect.getdoc(thing)}\n"
        yield (
            f"surface/{name}",
            re.sub(r"\bdocaudit(?:\.[a-z_]\w*)+\.(?=[A-Z])", "", text),
        )  # where it lives may change


def _signature(thing: Any) -> str:
    """The signature and, of a class, the names and signatures of its public methods."""
    told = str(inspect.signature(thing)) if callable(thing) else ""
    if inspect.isclass(thing):
        for name, part in sorted(vars(thing).items()):
            if not name.startswith("_") and callable(getattr(thing, name)):
                told += f"\n{name}{inspect.signature(getattr(thing, name))}: {type(part).__name__}"
    return told


def sample(name: str, ocr: str) -> Said:
    """The findings of one document of samples/, for each of its questions."""
    rows = [
        row for row in json.loads((SAMPLES / "questions.json").read_text("utf-8")) if row["document"] == name
    ]
    parsed = docaudit.parse(SAMPLES / name, ocr=ocr, workers=1)
    for row in rows:
        table = docaudit.ConceptTable.load(SAMPLES / row["table"])
        found = docaudit.audit(parsed, table, question=row["question"])
        key = f"sample/{Path(row['expected']).stem}/ocr-{ocr}"
        yield key, measured(found) if ocr != "off" else finding(found)
    if ocr == "off" and name.startswith("commodity"):
        yield from _ten(parsed, "sample/commodity-report")


def _ten(parsed: docaudit.ParsedDocument, name: str = "finding/ten-tables") -> Said:
    for file in sorted((SAMPLES / "concepts").glob("*.csv")):
        table = docaudit.ConceptTable.load(file)
        yield f"{name}/{file.stem}", finding(docaudit.audit(parsed, table))


def measured(justification: docaudit.AbsenceJustification) -> str:
    """A justification without what depends on how exactly an engine of OCR measured (samples/justifications.py)."""
    spec = importlib.util.spec_from_file_location("justifications", SAMPLES / "justifications.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    data: dict[str, Any] = json.loads(module.normalised(justification))
    data["document"] |= {"sha256": "", "size_bytes": 0}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _forms(name: str, made: Case, found: docaudit.AbsenceJustification) -> Said:
    """The files of the report in both languages, with pictures and without the text of the document."""
    ways: dict[str, dict[str, Any]] = {
        "en": {"language": "en"},
        "ja": {"language": "ja"},
        "en-pictures": {"language": "en", "document": made.data},
        "en-redacted": {"language": "en", "redact": True},
    }
    for way, options in ways.items():
        with tempfile.TemporaryDirectory() as folder:
            for file in sorted(docaudit.report(found, Path(folder) / "out", searched_on=_DAY, **options)):
                if file.suffix in _TEXTS:
                    yield f"form/{name}/{way}/{file.name}", neutral(file.read_text("utf-8"), Path(folder))
                else:
                    yield f"form/{name}/{way}/{file.name}", "made" if file.stat().st_size else "empty"


def _tables(name: str, *bundles: docaudit.ParsedDocument | docaudit.SweepResult) -> Said:
    """Every table of a parse and of a sweep, as CSV."""
    for bundle in bundles:
        for one in dataclasses.fields(bundle):
            frame = getattr(bundle, one.name)
            if isinstance(frame, pd.DataFrame):
                yield f"table/{name}/{one.name}", neutral(frame.to_csv(index=False))
