"""Justifications made by hand: what the tests of the renderers, of the JSON form and of the schemas look at."""

from __future__ import annotations

from typing import Any

from docaudit.codes import (
    AbsenceReason,
    BlindSpotKind,
    Finding,
    LedgerState,
    MatchKind,
    Obligation,
    ObligationState,
    PageState,
    Strength,
    TextLikely,
    TextSource,
    Visibility,
)
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.justification import (
    AbsenceJustification,
    BlindSpot,
    DocumentIdentity,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    ObligationCheck,
    ParseCoverage,
)
from docaudit.justify import explain
from docaudit.options import AuditOptions
from docaudit.saved import with_digest

PAGES = 64
EVIDENCE = {
    Obligation.PAGES_READABLE: "64 of 64 pages are in the state text, mixed or blank.",
    Obligation.INK_READ: "99.6 % of the ink on 64 pages lies under text that was read; the rest are rules and frames.",
    Obligation.PARTS_OPENED: "No attachment, no layer, no form; one revision.",
    Obligation.REFERENCES_RESOLVED: "41 of 41 internal references resolve; page labels run from i to 64 without a gap.",
    Obligation.VARIANTS_SEARCHED: "19 of 19 variants were searched on 64 pages.",
    Obligation.VARIANTS_REVIEWED: "No variant is proposed.",
    Obligation.QUESTION_COVERED: "electricity → electricity; AI → AI; consume is no content word of the table.",
    Obligation.CONTROL_FOUND: "12 of 12 control phrases drawn from the pages were found again.",
    Obligation.READERS_AGREE: "The second reader was not run.",
}
TABLE = ConceptTable(
    variants=tuple(
        Variant(concept=concept, text=text)
        for concept, texts in {
            "AI": (
                "AI artificial_intelligence machine_learning deep_learning neural_network GenAI LLM "
                "large_language_model"
            ),
            "data center": "data_center data_centre datacenter hyperscaler",
            "electricity": "electricity power_demand power_consumption kWh",
        }.items()
        for text in (word.replace("_", " ") for word in texts.split())
    )
)
SNIPPETS = (
    (
        30,
        "Natural gas prices in Europe fell as mild weather cut\nelectricity demand and hydropower recovered",
    ),
    (
        30,
        "the share of coal in electricity generation rose again in the second quarter, mainly in South Asia",
    ),
    (30, "Higher electricity tariffs weighed on aluminium smelters, which closed a tenth of their capacity"),
    (31, "electricity"),
    (31, "In Japan, 電力 (electricity) prices are set by the regulator for small customers"),
    (
        31,
        "Figure 3.D shows the cost of electricity for industry in selected economies, 2019 to 2025, in real terms",
    ),
    (31, "copper is the metal of electricity grids, and demand for it follows the building of new lines"),
)


def checks(**states: tuple[ObligationState, dict[str, Any]]) -> tuple[ObligationCheck, ...]:
    """All obligations: met, unless another state with its fields is given by code."""
    made = []
    for obligation in Obligation:
        default = ObligationState.NOT_RUN if obligation is Obligation.READERS_AGREE else ObligationState.MET
        state, fields = states.get(obligation.value, (default, {}))
        made.append(
            ObligationCheck(
                obligation=obligation, state=state, **{"evidence": EVIDENCE[obligation], **fields}
            )
        )
    return tuple(made)


def hit(page: int = 30, snippet: str = SNIPPETS[0][1], **fields: Any) -> Hit:
    given: dict[str, Any] = {
        "concept": "electricity",
        "variant": "electricity",
        "match_text": "electricity",
        "match_kind": MatchKind.EXACT,
        "page_num": page,
        "line_num": 12,
        "page_end": page,
        "line_end": 12,
        "bbox": (72.0, 400.5, 130.2, 412.0),
        "snippet": snippet,
        "source": TextSource.TEXT_LAYER,
        "visibility": Visibility.VISIBLE,
        "section": "3 Energy: gas and power",
        "negated": False,
        "nested": False,
    }
    return Hit(**{**given, **fields})


def hits() -> tuple[Hit, ...]:
    return tuple(hit(page, snippet, line_num=10 + n) for n, (page, snippet) in enumerate(SNIPPETS))


def mentions() -> tuple[Mention, ...]:
    return tuple(
        Mention(
            kind="mention",
            concept="electricity",
            variant="electricity",
            text="electricity",
            page_num=page,
            line_num=10 + n,
            snippet=snippet,
            why_not="AI has no hit in the document.",
        )
        for n, (page, snippet) in enumerate(SNIPPETS[:5])
    )


def near_miss(**fields: Any) -> Mention:
    given: dict[str, Any] = {
        "kind": "near_miss",
        "concept": "AI",
        "variant": "AI",
        "text": "Ai",
        "page_num": 9,
        "line_num": 3,
        "snippet": "The Ai Group survey of manufacturers in Australia",
        "distance": 1.0,
        "why_not": "Same letters in another case; the variant is matched case-sensitively.",
    }
    return Mention(**{**given, **fields})


def spot(page: int, kind: BlindSpotKind = BlindSpotKind.IMAGE_NOT_READ, **fields: Any) -> BlindSpot:
    given: dict[str, Any] = {
        "text_likely": TextLikely.UNKNOWN,
        "bbox": (72.0, 100.0, 300.0, 220.0),
        "area_share": 0.11,
        "detail": "image 1, 640 x 480 pixels",
    }
    return BlindSpot(page_num=page, kind=kind, **{**given, **fields})


def ledger(found: dict[str, int]) -> tuple[LedgerRow, ...]:
    return tuple(
        LedgerRow(
            concept=variant.concept,
            variant=variant.text,
            pattern=rf"(?<!\w){variant.text}(?!\w)",
            state=LedgerState.SEARCHED,
            pages_searched=PAGES,
            pages_not_searchable=0,
            hits=found.get(variant.text, 0),
            pages_with_hits=2 if found.get(variant.text) else 0,
            unique_hits=found.get(variant.text, 0),
            detail="",
        )
        for variant in TABLE.variants
    )


def coverage(**fields: Any) -> ParseCoverage:
    given: dict[str, Any] = {
        "pages_total": PAGES,
        "pages_with_text": PAGES,
        "images_total": 11,
        "toc_entries": 23,
        "cross_refs_total": 41,
        "objects_registered": 38,
        "pages_by_state": {PageState.TEXT: 53, PageState.MIXED: 11},
        "ink_read_share": 0.996,
        "images_read": 4,
        "images_without_text": 7,
        "images_unread": 0,
        "unresolved_cross_refs": (),
        "external_refs": ("Annex B (published separately)",),
        "page_label_gaps": (),
        "number_gaps": (),
        "contents_not_found": (),
        "pages_with_warnings": (),
    }
    return ParseCoverage(**{**given, **fields})


def absent(**fields: Any) -> AbsenceJustification:
    """The article's case: electricity seven times on two pages, AI and data center not at all."""
    found = hits()
    given: dict[str, Any] = {
        "question": "How much electricity does AI consume?",
        "finding": Finding.ABSENT,
        "reason": AbsenceReason.CONCEPT_NOT_FOUND,
        "strength": Strength.STRONG,
        "absence_explanation": (
            "Within the stated coverage, commodity-report.pdf does not mention AI or data center: 0 hits on 64 pages; "
            "electricity has 7 hits, on pages 30 and 31, none of them together with AI."
        ),
        "concept_hits": {"AI": 0, "data center": 0, "electricity": len(found)},
        "concept_pages": {"AI": (), "data center": (), "electricity": (30, 31)},
        "required": ("AI", "electricity"),
        "obligations": checks(),
        "unmet": (),
        "closest_mentions": mentions(),
        "near_misses": (near_miss(),),
        "hits": found,
        "cooccurrences": (),
        "ledger": ledger({"electricity": len(found)}),
        "blind_spots": (
            spot(7, text_likely=TextLikely.NO, detail="a logo that repeats on 11 pages"),
            spot(30, text_likely=TextLikely.NO, detail="a photograph without text"),
        ),
        "coverage": coverage(),
        "concept_table": TABLE,
        "concept_table_fingerprint": TABLE.fingerprint,
        "document": DocumentIdentity(
            name="commodity-report.pdf",
            sha256="5f" * 32,
            size_bytes=1_843_221,
            pages_total=PAGES,
            versions={"docaudit": "0.1.0", "pymupdf": "2.0.0", "pypdfium2": "5.15.2", "tesseract": "5.5.1"},
        ),
        "options": AuditOptions(),
    }
    return AbsenceJustification(**{**given, **fields})


def not_established(**fields: Any) -> AbsenceJustification:
    """A scanned annex: the same report, but pages 58 to 64 are images that nobody read, and one page crashed."""
    obligations = checks(
        pages_readable=(
            ObligationState.UNMET,
            {
                "evidence": "56 of 64 pages could be read; 7 are images only, 1 crashed the engine.",
                "pages": (12, *range(58, 65)),
                "remedy": "run with --ocr auto, or read these pages",
            },
        ),
        parts_opened=(
            ObligationState.UNMET,
            {
                "evidence": "1 attachment was not opened: annex-data.xlsx.",
                "remedy": "extract the attachment and audit it as well",
            },
        ),
        references_resolved=(
            ObligationState.WAIVED,
            {
                "evidence": "Figure 3.D is mentioned on page 31 and is not in the object registry.",
                "pages": (31,),
                "waived_because": "Figure 3.D was moved to the online edition; checked by the editor.",
            },
        ),
    )
    given: dict[str, Any] = {
        "finding": Finding.NOT_ESTABLISHED,
        "absence_explanation": (
            "It is not established that commodity-report.pdf does not mention AI: no hit was found in what could be "
            "read, but 8 of 64 pages were not read."
        ),
        "obligations": obligations,
        "unmet": tuple(check for check in obligations if check.state is ObligationState.UNMET),
        "blind_spots": (
            spot(12, BlindSpotKind.PAGE_CRASHED, bbox=None, area_share=None, detail="signal 11 after 0.4 s"),
            *(
                spot(
                    page,
                    BlindSpotKind.IMAGE_ONLY_PAGE,
                    text_likely=TextLikely.YES,
                    detail="one image of 2480 x 3508",
                )
                for page in range(58, 65)
            ),
            spot(
                0,
                BlindSpotKind.ATTACHMENT_NOT_READ,
                text_likely=TextLikely.YES,
                bbox=None,
                area_share=None,
                detail="annex-data.xlsx, 18 kB",
            ),
            *(
                spot(page, detail=f"image {page % 3 + 1}, 640 x 480 pixels")
                for page in (3, 7, 8, 9, 14, 21, 30)
            ),
        ),
        "coverage": coverage(
            pages_with_text=56,
            pages_by_state={
                PageState.TEXT: 46,
                PageState.MIXED: 10,
                PageState.IMAGE_ONLY: 7,
                PageState.FAILED: 1,
            },
            images_unread=14,
            images_read=0,
            images_without_text=0,
            ink_read_share=0.871,
        ),
    }
    return absent(**{**given, **fields})


def mentioned(**fields: Any) -> AbsenceJustification:
    """One required concept that has hits."""
    given: dict[str, Any] = {
        "question": "What does the report say about electricity?",
        "finding": Finding.MENTIONED,
        "reason": None,
        "strength": Strength.WEAK,
        "required": ("electricity",),
        "absence_explanation": "commodity-report.pdf mentions electricity: 7 hits on pages 30 and 31.",
        "closest_mentions": (),
    }
    return absent(**{**given, **fields})


def meeting(**fields: Any) -> AbsenceJustification:
    """Two required concepts that meet on page 31."""
    given: dict[str, Any] = {
        "required": ("AI", "electricity"),
        "concept_hits": {"AI": 1, "data center": 0, "electricity": 7},
        "concept_pages": {"AI": (31,), "data center": (), "electricity": (30, 31)},
        "hits": (
            *hits(),
            hit(31, "no use of AI is assumed", concept="AI", variant="AI", match_text="AI", negated=True),
        ),
        "ledger": ledger({"electricity": 7, "AI": 1}),
        "cooccurrences": (
            Meeting(concepts=("AI", "electricity"), scope="page", page_num=31, line_num=12, distance=9),
        ),
    }
    return mentioned(**{**given, **fields})


def japanese(**fields: Any) -> AbsenceJustification:
    """A Japanese policy document with full-width letters."""
    table = ConceptTable.from_variants({"生成AI": ["生成AI", "人工知能"], "電力": ["電力", "消費電力"]})
    snippets = (
        (4, "第12条　従業員は、業務で使用する電力の量を毎月報告しなければならない。"),
        (4, "電力"),
        (9, "図3　事業所別の消費\n電力の推移（2019年度～2025年度）を示す。詳細は別紙2を参照すること。"),
    )
    found = tuple(
        hit(
            page,
            text,
            concept="電力",
            variant="電力",
            match_text="電力",
            line_num=n,
            line_end=n,
            section="第3章　設備の管理",
        )
        for n, (page, text) in enumerate(snippets, 1)
    )
    given: dict[str, Any] = {
        "question": "生成AIはどれだけ電力を消費しますか。",
        "absence_explanation": "記載の範囲内では、社内規程.pdfに「生成AI」の記載はありません"
        "（ヒット0件、全64ページ）。",
        "concept_hits": {"生成AI": 0, "電力": 3},
        "concept_pages": {"生成AI": (), "電力": (4, 9)},
        "required": ("生成AI", "電力"),
        "closest_mentions": tuple(
            Mention(
                kind="mention",
                concept="電力",
                variant="電力",
                text="電力",
                page_num=h.page_num,
                line_num=h.line_num,
                snippet=h.snippet,
                why_not="生成AI has no hit in the document.",
            )
            for h in found
        ),
        "near_misses": (),
        "hits": found,
        "ledger": tuple(
            LedgerRow(
                concept=v.concept,
                variant=v.text,
                pattern=v.text,
                state=LedgerState.SEARCHED,
                pages_searched=PAGES,
                pages_not_searchable=0,
                hits=3 if v.text == "電力" else 0,
                pages_with_hits=2 if v.text == "電力" else 0,
                unique_hits=3 if v.text == "電力" else 0,
                detail="",
            )
            for v in table.variants
        ),
        "concept_table": table,
        "concept_table_fingerprint": table.fingerprint,
        "options": AuditOptions(language="ja"),
        "document": DocumentIdentity(
            name="社内規程.pdf",
            sha256="a7" * 32,
            size_bytes=402_118,
            pages_total=PAGES,
            versions={"docaudit": "0.1.0", "pymupdf": "2.0.0"},
        ),
    }
    return absent(**{**given, **fields})


def drawn(justification: AbsenceJustification) -> AbsenceJustification:
    """The same with options, sentence and digest that follow from it, as those of an audit do."""
    waive = {check.obligation.value: check.waived_because or "" for check in justification.obligations}
    options = justification.options.model_copy(
        update={
            "required": justification.required,
            "waive": {code: reason for code, reason in waive.items() if reason},
        }
    )
    strength = Strength.MODERATE if justification.unmet else justification.strength
    made = justification.model_copy(update={"options": options, "strength": strength})
    said = explain(made, made.options.language)
    return with_digest(made.model_copy(update={"absence_explanation": said}))
