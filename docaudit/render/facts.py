"""Names with values, as the readable reports list them: coverage, options, and how to check a justification."""

from __future__ import annotations

import shlex

from docaudit.evidence import ParseCoverage
from docaudit.justification import AbsenceJustification
from docaudit.render import words
from docaudit.render.clean import one_line
from docaudit.render.tongue import Tongue

Facts = list[tuple[str, str]]


def coverage_facts(coverage: ParseCoverage | None, t: Tongue) -> Facts:
    """What was read, in numbers."""
    c = coverage
    if c is None:
        return []
    states = ", ".join(f"{n:,} {t(words.PAGE_STATES[state])}" for state, n in c.pages_by_state.items() if n)
    images = t(
        "{n} placed: {read} read by OCR, {blank} without text, {unread} unread",
        n=f"{c.images_total:,}",
        read=f"{c.images_read:,}",
        blank=f"{c.images_without_text:,}",
        unread=f"{c.images_unread:,}",
    )
    return [
        (t("Pages"), _pages(c, t)),
        (t("Pages by state"), states),
        (t("Ink under text that was read"), t.share(c.ink_read_share)),
        (t("Images"), images),
        (t("Contents entries"), f"{c.toc_entries:,}"),
        (t("Cross-references"), f"{c.cross_refs_total:,}"),
        (t("Named objects (figures, tables, annexes)"), f"{c.objects_registered:,}"),
        (t("Words that only the second reader saw"), t.number(c.words_second_reader_only)),
        (t("Words that the second reader did not see"), t.number(c.words_first_reader_only)),
    ]


def _pages(c: ParseCoverage, t: Tongue) -> str:
    total, with_text, alone = f"{c.pages_total:,}", f"{c.pages_with_text:,}", c.pages_by_ocr_alone
    if alone is None:
        return t("{total}, of which {n} with a text layer", total=total, n=with_text)
    return t(
        "{total}, of which {n} with a text layer and {m} read by OCR alone",
        total=total,
        n=with_text,
        m=f"{alone:,}",
    )


def coverage_lists(coverage: ParseCoverage | None, t: Tongue) -> Facts:
    """What does not fit together in the document."""
    c = coverage
    if c is None:
        return []

    def listed(values: tuple[str, ...]) -> str:
        return "; ".join(values) or t("none")

    return [
        (t("Unresolved cross-references"), listed(c.unresolved_cross_refs)),
        (t("References to other documents"), listed(c.external_refs)),
        (t("Gaps in page labels"), listed(c.page_label_gaps)),
        (t("Pages whose printed number is not their label"), listed(c.page_label_mismatches)),
        (t("Gaps in numbers of figures, tables and the like"), listed(c.number_gaps)),
        (t("Contents entries not on their page"), listed(c.contents_not_found)),
        (t("Pages with warnings of the engine"), t.ranges(c.pages_with_warnings) or t("none")),
        (t("Pages that readers read differently"), t.ranges(c.pages_readers_disagree) or t("none")),
    ]


def option_facts(justification: AbsenceJustification, t: Tongue) -> Facts:
    """Every option of the audit with its value."""
    options = justification.options.model_dump(mode="json")
    return [(name, _option(value, t)) for name, value in options.items()]


def _option(value: object, t: Tongue) -> str:
    if value is None or value in ([], {}):
        return t("none")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text}" for key, text in value.items())
    return str(value)


def steps_to_check(justification: AbsenceJustification, t: Tongue) -> list[tuple[str, str]]:
    """What a sceptical reader does, each with the command for it (empty: none)."""
    name = shlex.quote(one_line(justification.document.name if justification.document else ""))
    steps = [
        (
            t("The document is the one that was audited: its SHA-256 is the one given below."),
            f"sha256sum {name}",
        ),
        (
            t(
                "Everything can be repeated: the audit is run again with its options and compared field by field."
            ),
            f"docaudit verify justification.json {name}",
        ),
    ]
    if not justification.redacted:
        steps.append(
            (
                t(
                    "Each hit stands where it is said to: the annotated copy of the document has a bookmark for each."
                ),
                f"docaudit report justification.json --doc {name} --out report",
            )
        )
    steps.append(
        (
            t("The words that were looked for are the ones that the question needs: read the keyword table."),
            "",
        )
    )
    return steps


def worded_by(justification: AbsenceJustification, t: Tongue) -> str:
    """Who worded the explanation."""
    record = justification.explained_by
    if record.method == "model":
        return t("worded by the language model {model} and checked against the evidence", model=record.model)
    if record.model:
        return t(
            "worded by the template of docaudit: {n} of the language model {model} did not hold",
            n=t.count(len(record.refused), "wording"),
            model=record.model,
        )
    return t("worded by the template of docaudit")
