"""Concept tables as trees (JSON, YAML): a mapping of concepts to variants, or a list of rows, to raw rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from docaudit.concept_table.rows import OWN, RawRow, RawTable, split_variants
from docaudit.errors import ConceptTableError

_FORMS = "a table is a mapping of concepts to lists of variants, or a list of rows with concept and variant"


class Doubled(dict[str, Any]):
    """A mapping that remembers keys which stood twice; a plain dict would drop the first.

    Attributes:
        doubled: These keys.
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        seen: set[str] = set()
        self.doubled: list[str] = []
        super().__init__()
        for key, value in pairs:
            name = str(key)
            if name in seen:
                self.doubled.append(name)
            seen.add(name)
            self[name] = value


def tree_rows(tree: Any, file: str) -> RawTable:
    """A mapping of concepts, or a list of rows, as raw rows; raises ConceptTableError for anything else."""
    table = RawTable((), [])
    if isinstance(tree, dict) and set(tree) <= {"variants", "info"} and _is_rows(tree.get("variants")):
        _note_doubled("the table", tree, table)
        tree = _model_rows(tree)
    if isinstance(tree, dict):
        _note_doubled("the table", tree, table)
        for concept, variants in tree.items():
            _concept_rows(concept, variants, table)
    elif isinstance(tree, list):
        for number, item in enumerate(tree, start=1):
            _object_row(f"item {number}", item, {}, table)
    else:
        raise ConceptTableError("holds no table", file=file, remedy=_FORMS)
    seen = dict.fromkeys(name for row in table.rows for name in row.cells)
    table.columns = tuple(seen) if seen else ("concept", "variant")
    return table


def _model_rows(tree: Mapping[str, Any]) -> list[Any]:
    """The rows of a table as pydantic writes it: what is said of a concept goes into each of its rows."""
    listed = tree.get("info") or []
    info = {str(about.get("name")): about for about in listed if isinstance(about, dict)}
    rows = []
    for row in tree["variants"]:
        about = info.get(str(row["concept"]), {})
        cells = {**row, **{key: about[key] for key in ("role", "description") if key in about}}
        own = cells.pop("own", None) or []
        cells.update({str(pair[0]): pair[1] for pair in own if isinstance(pair, list) and len(pair) == 2})
        rows.append(cells)
    return rows


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and "concept" in item for item in value)


def _concept_rows(concept: str, variants: Any, table: RawTable) -> None:
    where = f"concept '{concept}'"
    about: dict[str, Any] = {}
    if isinstance(variants, dict) and "variants" in variants:
        _note_doubled(where, variants, table)
        about = {key: variants[key] for key in ("role", "description") if key in variants}
        table.problems += [
            f"{where}: key '{key}' is unknown: known are role, description, variants"
            for key in variants
            if key not in ("role", "description", "variants")
        ]
        variants = variants["variants"]
    if isinstance(variants, str):
        variants = split_variants(variants) if variants.strip() else []
    if not isinstance(variants, list):
        table.problems.append(f"{where}: holds {_kind(variants)}, not a list: write a list of variants")
        return
    if not variants:
        table.problems.append(f"{where}: has no variant: write at least one")
    for number, item in enumerate(variants, start=1):
        at = f"{where}, item {number}"
        if isinstance(item, str):
            table.rows.append(RawRow(at, {"concept": concept, "variant": item, **about}))
        else:
            _object_row(
                at, {**about, **item} if isinstance(item, dict) else item, {"concept": concept}, table
            )


def _object_row(where: str, item: Any, given: Mapping[str, str], table: RawTable) -> None:
    if not isinstance(item, dict):
        table.problems.append(
            f"{where}: is {_kind(item)}: write a text, or an object with concept and variant"
        )
        return
    _note_doubled(where, item, table)
    # Keys are matched without case here, as rows of one list may write them differently.
    cells = {_key(str(key).strip()): value for key, value in item.items()}
    if len(cells) < len(item):
        table.problems.append(f"{where}: a key stands twice, once in another case: keep one of them")
    if "text" in cells and "variant" not in cells:
        cells["variant"] = cells.pop("text")
    if given and cells.get("concept", given["concept"]) != given["concept"]:
        table.problems.append(f"{where}: names another concept, '{cells['concept']}': move it there")
    if not {"variant", "variants"} & set(cells):
        table.problems.append(f"{where}: has no key 'variant': write the word or phrase under this key")
    cells = {**cells, **given}
    several = cells.pop("variants", None)
    if isinstance(several, str):
        several = split_variants(several)
    if several is None:
        table.rows.append(RawRow(where, cells))
    elif not isinstance(several, list) or not several:
        table.problems.append(
            f"{where}, key variants: is {_kind(several)}: write a list with at least one variant"
        )
    else:
        for number, text in enumerate(several, start=1):
            table.rows.append(RawRow(f"{where}, variant {number}", {**cells, "variant": text}))


def _key(name: str) -> str:
    return name if name.startswith(OWN) else name.casefold()


def _note_doubled(where: str, item: Any, table: RawTable) -> None:
    for key in getattr(item, "doubled", ()):
        table.problems.append(f"{where}: '{key}' stands twice: join the two under one key")


def _kind(value: Any) -> str:
    if value is None or value == "" or value == []:
        return "empty"
    names = {bool: "a truth value", list: "a list", dict: "an object", Doubled: "an object", str: "a text"}
    return names.get(type(value), "no text")
