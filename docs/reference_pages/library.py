"""The page about the library: everything in docaudit.__all__, by what it is for."""

from __future__ import annotations

from enum import Enum

import griffe

import docaudit
from reference_pages.markdown import page, row, sections, table
from reference_pages.source import package, public

HEAD = """# Library

Everything that `import docaudit` offers, by what it is for. Functions that take `**keywords` take every field of
[AuditOptions](#auditoptions) by name (`ocr="off"`). Every error that is raised on purpose is a
[DocauditError](#docauditerror). Columns of tables: [tables.md](tables.md); all fields of a justification and of its
parts: [justification.md](justification.md).

This page is written by docs/generate.py from the docstrings.
"""
GROUPS = {
    "Audit a document": (
        "audit",
        "AuditOptions",
        "AbsenceJustification",
        "Finding",
        "report",
        "redact",
        "load_justification",
    ),
    "Step by step": ("parse", "ParsedDocument", "sweep", "SweepResult", "justify", "sweep_for_absence"),
    "Concept tables": (
        "ConceptTable",
        "Concept",
        "ConceptInfo",
        "Variant",
        "first_table",
        "suggest",
        "diff_tables",
        "TableDiff",
    ),
    "Check": (
        "verify",
        "Verification",
        "compare",
        "Comparison",
        "draw_sample",
        "read_sample",
        "ElusionResult",
    ),
    "Tools that answer questions": (
        "AnswerWithEvidence",
        "GroundedAnswer",
        "RetrievedChunk",
        "load_chunks",
        "RetrievalCheck",
        "RetrievalVerdict",
        "load_ledger",
        "evaluate_ledger",
        "Evaluation",
        "diff_ledgers",
        "LedgerDiff",
    ),
    "Errors and exit codes": ("DocauditError", "ExitCode"),
}


def library_text() -> str:
    """The reference page of the library."""
    _need_every_name()
    lines = [HEAD]
    for title, names in GROUPS.items():
        lines.append(f"- {title}: {', '.join(f'[{name}](#{name.lower()})' for name in names)}")
    for title, names in GROUPS.items():
        lines += ["", f"## {title}"]
        for name in names:
            lines += ["", f"### {name}", "", *_described(name, public(name))]
    lines += ["", "### Errors", "", *_errors()]
    return page(lines)


def _need_every_name() -> None:
    grouped = {name for names in GROUPS.values() for name in names}
    if missing := set(docaudit.__all__) ^ grouped:
        raise SystemExit(
            f"docs/reference_pages/library.py: GROUPS and docaudit.__all__ differ: {sorted(missing)}"
        )


def _described(name: str, thing: griffe.Object) -> list[str]:
    """A function with its signature, a class with fields and methods, or a plain name."""
    if isinstance(thing, griffe.Function):
        return [*_code(f"docaudit.{name}", thing), *_docstring(thing)]
    if isinstance(thing, griffe.Class):
        return [*_docstring(thing), *_fields(name), *_values(name), *_methods(name, thing)]
    return [
        *_fenced(f"{name} = {thing.value}" if isinstance(thing, griffe.Attribute) else name),
        *_docstring(thing),
    ]


def _fenced(code: str) -> list[str]:
    return ["```text", *code.splitlines(), "```", ""]


def _code(shown_as: str, function: griffe.Function) -> list[str]:
    """A signature: in one line if it fits, else one parameter in each."""
    parts, star = [], False
    for one in function.parameters:
        if one.name in ("self", "cls"):
            continue
        if one.kind is griffe.ParameterKind.keyword_only and not star:
            parts.append("*")
        star = star or one.kind in (griffe.ParameterKind.keyword_only, griffe.ParameterKind.var_positional)
        stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(
            one.kind, ""
        )
        default = f" = {one.default}" if one.default is not None and not stars else ""
        parts.append(f"{stars}{one.name}: {one.annotation}{default}")
    back = f" -> {function.returns}" if function.returns else ""
    flat = f"{shown_as}({', '.join(parts)}){back}"
    if len(flat) <= 90:
        return _fenced(flat)
    return _fenced(f"{shown_as}(\n" + "".join(f"    {part},\n" for part in parts) + f"){back}")


def _docstring(thing: griffe.Object) -> list[str]:
    """Text as it is, then a table for each list of names."""
    kinds, lines = griffe.DocstringSectionKind, []
    for section in sections(thing.docstring.value if thing.docstring else ""):
        if section.kind is kinds.text:
            lines += [section.value, ""]
        elif section.kind is kinds.examples:
            lines += ["```pycon", *(text for _, text in section.value), "```", ""]
        elif section.kind in (kinds.parameters, kinds.attributes):
            head = "argument" if section.kind is kinds.parameters else "field"
            lines += [
                *table(head, "meaning"),
                *(row(f"`{one.name}`", one.description) for one in section.value),
                "",
            ]
        elif section.kind is kinds.raises:
            lines += [
                *table("raises", "if"),
                *(row(f"`{one.annotation}`", one.description) for one in section.value),
                "",
            ]
        elif section.kind in (kinds.returns, kinds.yields):
            lines += [f"Returns: {' '.join(one.description.split())}" for one in section.value] + [""]
        else:
            raise SystemExit(f"{thing.path}: no form for the section {section.kind.value}")
    return lines


def _fields(name: str) -> list[str]:
    """The fields of a model that describes them one by one, and not in its docstring."""
    fields = getattr(getattr(docaudit, name), "model_fields", {})
    described = [row(f"`{field}`", about.description) for field, about in fields.items() if about.description]
    return [*table("field", "meaning"), *described, ""] if described else []


def _values(name: str) -> list[str]:
    """The values of an enumeration."""
    kind = getattr(docaudit, name)
    if not issubclass(kind, Enum):
        return []
    return ["Values: " + ", ".join(f"`{code.name}` = `{code.value!r}`" for code in kind) + ".", ""]


def _methods(name: str, thing: griffe.Class) -> list[str]:
    """The public properties as a table, then the public methods, each with its signature and what it does."""
    public = [one for one in thing.members.values() if one.docstring and not one.name.startswith("_")]
    properties = [one for one in public if "property" in one.labels]
    lines = table("property", "type", "meaning") if properties else []
    lines += [row(f"`{one.name}`", f"`{one.annotation}`", one.docstring.value) for one in properties] + [""]
    for member in public:
        if isinstance(member, griffe.Function):
            lines += [*_code(f"{name}.{member.name}", member), *_docstring(member)]
    return lines


def _errors() -> list[str]:
    """All errors with what each means."""
    lines = table("error", "is a", "meaning")
    for error in package()["errors"].classes.values():
        if error.name.endswith("Error") and error.name != "DocauditError":
            summary = error.docstring.value.splitlines()[0]
            lines.append(row(f"`{error.name}`", f"`{error.bases[0]}`", summary))
    return lines
