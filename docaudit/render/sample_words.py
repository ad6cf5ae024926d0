"""The words of a sample's sheet and result, in English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from docaudit.elusion.draws import Draw
from docaudit.elusion.result import Bound, ElusionResult, Found
from docaudit.render.pages import page_ranges, page_words


@dataclass(frozen=True)
class Words:
    """Everything that is said in one language; templates in braces are filled by `str.format`."""

    pages: str
    regions: str
    one_page: str
    one_region: str
    without_hit: str
    without_every: str
    not_read: str
    clean: str
    missed: str
    bound: str
    all_clean: str
    all_missed: str
    unsure: str
    unanswered: str
    drawn: str
    strata: Mapping[str, str] = field(default_factory=dict)
    sheet: Mapping[str, str] = field(default_factory=dict)


ENGLISH = Words(
    pages="{0:,} pages",
    regions="{0:,} regions",
    one_page="1 page",
    one_region="1 region",
    without_hit="{units} without a hit",
    without_every="{units} where the search did not find every concept",
    not_read="{units} that were not read",
    clean="0 of {read} held anything the search missed",
    missed="{found:,} of {read} held something the search missed ({where})",
    bound="{found}: at most {percent} % of the {frame} ({most}), at {confidence} % confidence.",
    all_clean="All the {frame} were looked at: none held anything the search missed.",
    all_missed="All the {frame} were looked at: {found:,} held something the search missed ({where}).",
    unsure="Counted as found, though unsure: {count:,} ({where}).",
    unanswered="Without an answer: {count:,} of {read} ({where}). No bound is stated until all are answered.",
    drawn="{read} of the {frame}",
    strata={
        "plain": "read from the text layer",
        "ocr": "read by OCR",
        "flagged": "with a part that was not read",
    },
    sheet={
        "title": "Was anything missed?",
        "document": "Document",
        "question": "Question",
        "drawn": "Drawn",
        "seed": "seed {seed}, confidence {confidence} %",
        "how": "How to fill in the sheet",
        "step_look": "Look at each picture below, and read all of it. If it is not legible, open the page of the "
        "document itself.",
        "step_page": "Does the page mention a concept that is listed for it under “Look for”, in whatever words? The "
        "words known so far are listed; others count just as much.",
        "step_region": "Does the outlined region mention a concept that is listed under “Look for”, in whatever words?",
        "step_answer": "Write yes, no or unsure into the column found of sheet.xlsx or sheet.csv, in the row with the "
        "same sample_id. If yes, write the words into the column what.",
        "step_empty": "A row left empty is not taken for a no. Unsure is counted as found.",
        "step_read": "Then run: docaudit sample --read sheet.xlsx",
        "concepts": "What to look for",
        "look_for": "Look for",
        "already": "Found here by the search, not asked",
        "page": "Page {page} of {pages}",
        "region": "Outlined region on page {page} of {pages}",
        "label": "label",
        "whole": "The region is the whole page.",
        "no_picture": "No picture ({problem}). Open the page of the document itself.",
        "answer": "found",
        "yes": "yes",
        "no": "no",
        "unsure": "unsure",
        "what": "what",
        "not_covered": "Attachments, bookmarks, metadata and the like are on no page: the sample says nothing of them.",
    },
)
JAPANESE = Words(
    pages="{0:,}ページ",
    regions="{0:,}か所",
    one_page="1ページ",
    one_region="1か所",
    without_hit="ヒットのない{units}",
    without_every="検索で全概念が見つかってはいない{units}",
    not_read="読み取れなかった領域{units}",
    clean="検索の見落としがあったもの：{read}中0",
    missed="検索の見落としがあったもの：{read}中{found:,}（{where}）",
    bound="{found}。{frame}のうち多くとも{percent} %（{most}）、信頼度{confidence} %。",
    all_clean="{frame}をすべて確認した。検索の見落としはなかった。",
    all_missed="{frame}をすべて確認した。検索の見落としがあったもの：{found:,}（{where}）。",
    unsure="不明だが「あり」として数えたもの：{count:,}（{where}）。",
    unanswered="未回答：{read}中{count:,}（{where}）。すべて回答されるまで上限は示さない。",
    drawn="{frame}から{read}",
    strata={"plain": "テキスト層から読み取り", "ocr": "OCRで読み取り", "flagged": "読み取れなかった部分あり"},
    sheet={
        "title": "見落としはないか",
        "document": "文書",
        "question": "質問",
        "drawn": "抽出",
        "seed": "シード{seed}、信頼度{confidence} %",
        "how": "記入のしかた",
        "step_look": "下の画像を一つずつ、隅々まで読んでください。読みにくいときは、文書のそのページを開いてください。",
        "step_page": "「探すもの」に挙げた概念が、どのような言葉であれ、そのページに書かれていますか。"
        "既知の語を並べてありますが、他の言い方も同じように数えます。",
        "step_region": "枠で囲んだ領域に、「探すもの」に挙げた概念が、どのような言葉であれ書かれていますか。",
        "step_answer": "sheet.xlsx または sheet.csv の同じ sample_id の行で、found の列に yes（あり）、no（なし）、"
        "unsure（不明）のどれかを記入してください。yes のときは、その言葉を what の列に書いてください。",
        "step_empty": "空欄は「なし」とはみなしません。unsure は「あり」として数えます。",
        "step_read": "記入後に実行：docaudit sample --read sheet.xlsx",
        "concepts": "探すもの（一覧）",
        "look_for": "探すもの",
        "already": "検索で既に見つかっているもの（質問の対象外）",
        "page": "{page}ページ（全{pages}ページ）",
        "region": "{page}ページの枠内（全{pages}ページ）",
        "label": "表記",
        "whole": "領域はページ全体です。",
        "no_picture": "画像なし（{problem}）。文書のそのページを開いてください。",
        "answer": "found",
        "yes": "yes（あり）",
        "no": "no（なし）",
        "unsure": "unsure（不明）",
        "what": "what（言葉）",
        "not_covered": "添付ファイル、しおり、メタデータなどはページではないため、この標本の対象外です。",
    },
)


def words_of(draw: Draw) -> Words:
    """The words of the draw's language."""
    return JAPANESE if draw.language == "ja" else ENGLISH


def units(draw: Draw, count: int) -> str:
    """A number of pages, or of regions if those were drawn."""
    words = words_of(draw)
    if count == 1:
        return words.one_page if draw.unit == "page" else words.one_region
    return (words.pages if draw.unit == "page" else words.regions).format(count)


def frame_words(draw: Draw) -> str:
    """What the sample stands for: the 812 pages without a hit."""
    words = words_of(draw)
    if draw.unit == "region":
        form = words.not_read
    else:
        form = words.without_hit if len(draw.sought) == 1 else words.without_every
    return form.format(units=units(draw, draw.size))


def drawn_words(draw: Draw) -> str:
    """How much was drawn of what."""
    return words_of(draw).drawn.format(read=units(draw, len(draw.drawn)), frame=frame_words(draw))


def sentences(result: ElusionResult) -> list[str]:
    """What the sample shows, in one to three sentences."""
    words, overall, draw = words_of(result.draw), result.overall, result.draw
    read = units(draw, overall.read)
    said = []
    if overall.unanswered:
        where = _where(result, None)
        said.append(words.unanswered.format(count=overall.unanswered, read=read, where=where))
    if overall.found or not overall.unanswered:
        said.append(_finding(result, words, read))
    if overall.unsure:
        said.append(words.unsure.format(count=overall.unsure, where=_where(result, Found.UNSURE)))
    return said


def _finding(result: ElusionResult, words: Words, read: str) -> str:
    overall, frame = result.overall, frame_words(result.draw)
    where = _where(result, Found.YES, Found.UNSURE)
    if overall.all_read and not overall.unanswered:
        form = words.all_missed if overall.found else words.all_clean
        return form.format(frame=frame, found=overall.found, where=where)
    found = (words.missed if overall.found else words.clean).format(
        found=overall.found, read=read, where=where
    )
    if overall.at_most_units is None:
        return f"{found}。" if result.draw.language == "ja" else f"{found}."
    return words.bound.format(
        found=found,
        percent=overall.at_most_percent,
        frame=frame,
        most=units(result.draw, overall.at_most_units),
        confidence=confidence_words(result.draw),
    )


def stratum_name(draw: Draw, name: str) -> str:
    """The name of a stratum with what it is."""
    meaning = words_of(draw).strata.get(name)
    return f"{name} ({meaning})" if meaning else name


def bound_words(bound: Bound) -> str:
    """The bound of one stratum for a column of a table."""
    if bound.at_most_percent is None or bound.at_most_units is None:
        return "-"
    return (
        f"= {bound.found:,}" if bound.all_read else f"≤ {bound.at_most_units:,} ({bound.at_most_percent} %)"
    )


def confidence_words(draw: Draw) -> str:
    """The level in percent, without needless zeros."""
    return f"{draw.confidence * 100:.6g}"


def _where(result: ElusionResult, *said: Found | None) -> str:
    pages = [answer.page_num for answer in result.answers if answer.found in said]
    return f"{page_ranges(pages)}ページ" if result.draw.language == "ja" else page_words(pages)
