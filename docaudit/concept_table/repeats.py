"""What no single row of a concept table shows: ids and variants that stand twice, concepts that rows tell apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from docaudit.concept_table.cells import NO_TEXT, is_acronym
from docaudit.wordforms import fold

Found = tuple[str, dict[str, str]]
"""Where a row stands, and its checked cells."""


def repeated_ids(found: list[Found]) -> list[str]:
    """Ids that stand in two rows."""
    first: dict[str, str] = {}
    problems = []
    for where, row in found:
        if row["id"] and first.setdefault(row["id"], where) != where:
            there = first[row["id"]]
            problems.append(
                f"{where}, column id: '{row['id']}' stands in {there} already: delete it here, a new one is made"
            )
    return problems


def concept_info(found: list[Found], problems: list[str]) -> list[dict[str, str]]:
    """Role and description of each concept that has any; every row may give them, and no two may differ."""
    info: dict[str, dict[str, str]] = {}
    first: dict[tuple[str, str], str] = {}
    for where, row in found:
        about = info.setdefault(row["concept"], {"name": row["concept"]})
        for column in ("role", "description"):
            given = row[column]
            there = first.setdefault((row["concept"], column), where) if given else where
            if given and about.setdefault(column, given) != given:
                problems.append(
                    f"{where}, column {column}: '{given}' is not what {there} says of concept"
                    f" '{row['concept']}': write it in one row only"
                )
    plain = {"role": "required", "description": ""}
    return [
        about for about in info.values() if any(about.get(key, plain[key]) != plain[key] for key in plain)
    ]


def repeated(found: list[Found], may_share: bool) -> list[str]:
    """The same variant twice in a concept, or in two concepts that are both searched or waiting."""
    problems: list[str] = []
    in_concept: dict[tuple[str, str], str] = {}
    in_any: dict[tuple[str, str], tuple[str, str]] = {}
    for where, row in found:
        if not row["variant"].strip() or not row["concept"] or NO_TEXT in (row["variant"], row["concept"]):
            continue  # reported already
        same = (row["concept"], row["variant"])
        if same in in_concept:
            problems.append(
                f"{where}, column variant: '{row['variant']}' stands in concept '{row['concept']}' already"
                f" ({in_concept[same]}): delete one of the two"
            )
            continue
        in_concept[same] = where
        if row["status"] == "rejected":
            continue  # a record of a decision: the same word may belong to another concept
        first, concept = in_any.setdefault(_key(row), (where, row["concept"]))
        if concept != row["concept"] and not may_share:
            problems.append(
                f"{where}, column variant: '{row['variant']}' stands in concept '{concept}' too ({first}):"
                " leave it in the one that it means"
            )
    return problems


def _key(row: Mapping[str, str]) -> tuple[str, str]:
    """Variants with the same key match the same text; IT and it differ where case counts."""
    text = row["variant"]
    if row["match"] == "regex":
        return "regex", text
    if row["case"] == "sensitive" or (row["case"] == "auto" and is_acronym(text)):
        return "sensitive", unicodedata.normalize("NFKC", text)
    return "folded", fold(text)
