"""What lint finds: stable codes, each with its meaning, and findings. docs/lint.md is written from here."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Severity(StrEnum):
    """How much a finding weighs: a warning probably hides hits or makes false ones; an info is good to know."""

    WARNING = "warning"
    INFO = "info"


class LintCode(StrEnum):
    """What a finding is about; a code is never reused for another meaning."""

    NEAR_DUPLICATE = "near_duplicate"
    IN_TWO_CONCEPTS = "in_two_concepts"
    SHADOWED = "shadowed"
    CONCEPTS_OVERLAP = "concepts_overlap"
    TOO_SHORT = "too_short"
    COMMON_WORD = "common_word"
    TOO_COMMON = "too_common"
    REGEX_HOSTILE = "regex_hostile"
    EDGE_SPACE = "edge_space"
    MIXED_SCRIPTS = "mixed_scripts"
    LOOKALIKE = "lookalike"
    LOST_CHARACTER = "lost_character"
    EXCEL_CHANGED = "excel_changed"
    ACRONYM_CASE = "acronym_case"
    CASE_MISSES = "case_misses"
    CASE_DECIDES = "case_decides"
    ACRONYM_ALONE = "acronym_alone"
    EXPANSION_ALONE = "expansion_alone"
    UNSIGNED = "unsigned"
    CONCEPT_WITHOUT_ACCEPTED = "concept_without_accepted"
    CONCEPT_NAMES_ALIKE = "concept_names_alike"

    @property
    def meaning(self) -> str:
        """What it means, as one sentence."""
        return _CODES[self][0]

    @property
    def remedy(self) -> str:
        """What the expert can do about it, as an order."""
        return _CODES[self][1]

    @property
    def needs_document(self) -> bool:
        """Whether only a document can tell."""
        return self in (LintCode.TOO_COMMON, LintCode.CASE_DECIDES)


class LintFinding(BaseModel):
    """One thing to look at.

    Attributes:
        code: What it is about.
        severity: warning or info.
        row: Place of the row in the table, counted from 1 without the head; of the concept's first row where the
            concept as a whole is meant.
        row_id: Id of that row.
        concept: Concept concerned.
        variant: Variant concerned; empty where the concept as a whole is meant.
        message: What it is, as a sentence.
        remedy: What to do about it, as a sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: LintCode
    severity: Severity
    row: int
    row_id: str
    concept: str
    variant: str
    message: str
    remedy: str


_CODES = {
    LintCode.NEAR_DUPLICATE: (
        "Two variants of a concept differ only in case, hyphen or space, which the search takes for the same.",
        "delete one of the two",
    ),
    LintCode.IN_TWO_CONCEPTS: (
        "The same word, but for case, hyphen or space, stands in two concepts: every place counts for both.",
        "leave it in the one that it means",
    ),
    LintCode.SHADOWED: (
        "A variant stands inside a longer one of its concept: a place of the longer counts for both.",
        "keep both; unique_hits counts such a place once",
    ),
    LintCode.CONCEPTS_OVERLAP: (
        "A variant stands inside a longer one of another concept: at such a place the two meet by themselves.",
        "check that the longer one is meant to mention both, or write it in full",
    ),
    LintCode.TOO_SHORT: (
        "The variant is so short, for the way it is matched, that most hits will mean something else.",
        "write it in full, match whole words, or set case to sensitive",
    ),
    LintCode.COMMON_WORD: (
        "The variant is also a common English word.",
        "set case to sensitive, or read its hits one by one",
    ),
    LintCode.TOO_COMMON: (
        "The variant stands on most pages of the document: it hardly tells one page from another.",
        "check that it belongs to the concept, or write a longer phrase",
    ),
    LintCode.REGEX_HOSTILE: (
        "A word looks like a regular expression but is searched as it is, or an expression may run out of time.",
        "set match to regex, or write one plain variant in each row; write nested repetitions flat",
    ),
    LintCode.EDGE_SPACE: (
        "A regular expression begins or ends with a space, which the text must then have too.",
        r"delete the space, or write \s if it is meant",
    ),
    LintCode.MIXED_SCRIPTS: (
        "A word mixes letters of two scripts, one of which looks like the other: it is found nowhere.",
        "write the word again with one keyboard",
    ),
    LintCode.LOOKALIKE: (
        "A word is written with signs that look like the usual ones but are others: it is probably found nowhere.",
        "write the word again with the keyboard of its language",
    ),
    LintCode.LOST_CHARACTER: (
        "The variant holds U+FFFD, which stands for a character that was lost when the file was saved.",
        "write the real character",
    ),
    LintCode.EXCEL_CHANGED: (
        "The variant looks like what Excel makes of a word or number: a date, an exponent, an error, TRUE.",
        "format the column as text and write the variant again",
    ),
    LintCode.ACRONYM_CASE: (
        "A short acronym is matched in capitals only; the same letters in small are near misses, not hits.",
        "keep it, or set case to insensitive if the small letters mean it too",
    ),
    LintCode.CASE_MISSES: (
        "Case counts for an ordinary word: it is missed at the start of a sentence or in a heading.",
        "set case to auto",
    ),
    LintCode.CASE_DECIDES: (
        "In this document, the other setting of case would change the number of hits.",
        "look at the places, then set case to sensitive or insensitive",
    ),
    LintCode.ACRONYM_ALONE: (
        "No variant of the concept spells the acronym out.",
        "add what it stands for",
    ),
    LintCode.EXPANSION_ALONE: (
        "A concept spells phrases out and has no acronym of them, or (with --doc) the document has their initials.",
        "add the acronym if the field uses it",
    ),
    LintCode.UNSIGNED: (
        "A program brought the variant in, and nobody is named who accepted it.",
        "name the reviewer in the column of that name",
    ),
    LintCode.CONCEPT_WITHOUT_ACCEPTED: (
        "No variant of the concept is accepted, so it is not searched.",
        "accept one, or delete the concept",
    ),
    LintCode.CONCEPT_NAMES_ALIKE: (
        "Two concepts have names that differ only in case, hyphen or space, and count as two.",
        "write one name if one is meant",
    ),
}
