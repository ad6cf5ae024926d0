"""Chunks of a retriever against what the sweep found: in the text, on the page only, or missed; never a new finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import docaudit
from docaudit.cli import coverage, main
from docaudit.codes import ChunkPlace, Finding, RetrievalVerdict
from docaudit.errors import RetrievalError
from docaudit.justification import AbsenceJustification, RetrievalCheck, RetrievedChunk
from docaudit.render.html import to_html
from docaudit.render.markdown import to_markdown
from docaudit.render.terminal import to_text
from docaudit.retrieval import MIN_RUN, DocumentLetters, letters, passages
from docaudit.saved import digest_of, dump, load, with_digest
from docaudit.tables import LINE_DF
from docaudit.verify import Step
from tests import pdfs

FIRST = "The northern ferry was late because of the wind and of the tide."
SECOND = "In the south the ferry carried uranium under guard to the old mill."
THIRD = "A third ferry lay in dock all year, and nobody asked what it cost."
PAGES = pdfs.document(
    pdfs.text(*pdfs.PROSE[:2], FIRST), pdfs.text(pdfs.PROSE[2], SECOND), pdfs.text(THIRD, pdfs.PROSE[4])
)
FERRY = docaudit.ConceptTable.from_variants({"ferry": ["ferry"]})
BOTH = docaudit.ConceptTable.from_variants({"ferry": ["ferry"], "uranium": ["uranium"]})
OPTIONS: dict[str, Any] = {"ocr": "off", "workers": 1}


@pytest.fixture(scope="module")
def parsed() -> docaudit.ParsedDocument:
    return docaudit.parse(PAGES, **OPTIONS)


def checked(
    parsed: docaudit.ParsedDocument, *chunks: RetrievedChunk | str, table: docaudit.ConceptTable = FERRY
) -> RetrievalCheck:
    given = [RetrievedChunk(text=one) if isinstance(one, str) else one for one in chunks]
    found = docaudit.audit(parsed, table, retrieved=given).retrieval
    assert found is not None
    return found


class TestVerdicts:
    def test_all_retrieved(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, FIRST, SECOND, THIRD)
        assert (check.verdict, check.hits, check.hits_in_text) == (RetrievalVerdict.ALL_RETRIEVED, 3, 3)
        assert [(chunk.place, chunk.found_on) for chunk in check.chunks] == [
            (ChunkPlace.WHOLE, (1,)),
            (ChunkPlace.WHOLE, (2,)),
            (ChunkPlace.WHOLE, (3,)),
        ]

    def test_partly_missed_names_the_places(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, FIRST)
        assert check.verdict is RetrievalVerdict.PARTLY_MISSED
        assert [(hit.concept, hit.variant, hit.page_num) for hit in check.missed] == [
            ("ferry", "ferry", 2),
            ("ferry", "ferry", 3),
        ]

    @pytest.mark.parametrize("chunks", [(), (pdfs.PROSE[0],)])
    def test_missed(self, parsed: docaudit.ParsedDocument, chunks: tuple[str, ...]) -> None:
        check = checked(parsed, *chunks)
        assert (check.verdict, len(check.missed)) == (RetrievalVerdict.MISSED, 3)

    def test_nothing_to_miss(self, parsed: docaudit.ParsedDocument) -> None:
        table = docaudit.ConceptTable.from_variants({"whale": ["whale"]})
        assert checked(parsed, FIRST, table=table).verdict is RetrievalVerdict.NOTHING_TO_MISS

    def test_where_concepts_meet_only_these_pages_count(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, FIRST, table=BOTH)
        assert (check.verdict, check.hits) == (RetrievalVerdict.MISSED, 2)
        assert (check.meeting_pages, check.meeting_pages_retrieved) == ((2,), ())

    def test_half_a_meeting_is_not_retrieved(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, "In the south the ferry carried", table=BOTH)
        assert check.verdict is RetrievalVerdict.PARTLY_MISSED
        assert [hit.concept for hit in check.missed] == ["uranium"]
        assert check.meeting_pages_retrieved == ()
        assert checked(parsed, SECOND, table=BOTH).meeting_pages_retrieved == (2,)

    def test_the_finding_and_all_other_fields_stay(self, parsed: docaudit.ParsedDocument) -> None:
        for table in (FERRY, BOTH):
            plain = json.loads(dump(docaudit.audit(parsed, table, question="Which ferry?")))
            with_chunks = docaudit.audit(
                parsed, table, question="Which ferry?", retrieved=[RetrievedChunk(text=FIRST)]
            )
            other = json.loads(dump(with_chunks))
            assert other.pop("retrieval")["verdict"]
            assert plain.pop("digest") != other.pop("digest")
            assert plain == other


class TestText:
    @pytest.mark.parametrize(
        "chunk",
        [
            "THE NORTHERN  ferry\nwas late be-\ncause of the wind",  # other line ends, case, hyphen
            "ern ferry was late because of the wind",  # cut in the middle of a word
            f"{pdfs.PROSE[1]} The northern ferry",  # over a line end, and cut after the hit
            "Summary by a model: it blew. The northern ferry was late because of the wind and of the tide.",
            "The northern \ufb00erry".replace("\ufb00", "f") + " was late because",
        ],
    )
    def test_other_programs_write_it_otherwise(self, parsed: docaudit.ParsedDocument, chunk: str) -> None:
        check = checked(parsed, chunk)
        assert (check.hits_in_text, check.hits_on_page) == (1, 0)
        assert {hit.page_num for hit in check.missed} == {2, 3}

    def test_the_same_word_elsewhere_on_the_page_is_not_the_hit(self) -> None:
        filler = "The keeper of the light wrote down each vessel that came in at night."
        document = pdfs.document(pdfs.text(FIRST, filler, "Later the ferry sank off the point in a gale."))
        check = checked(docaudit.parse(document, **OPTIONS), RetrievedChunk(text=FIRST, pages=(1,)))
        assert (check.hits_in_text, check.hits_on_page, len(check.missed)) == (1, 0, 1)
        assert check.missed[0].line_num == 3

    def test_a_single_word_is_no_place(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, "ferry")
        assert (check.hits_in_text, check.hits_on_page) == (0, 3)
        check = checked(parsed, RetrievedChunk(text="ferry", pages=(2,)))
        assert (check.hits_in_text, check.hits_on_page, len(check.missed)) == (1, 0, 2)

    def test_a_hit_without_letters_is_not_in_a_chunk_that_ends_before_it(self) -> None:
        line = "Of all the ferries in the northern harbour we counted 40 % in the dock."
        document = docaudit.parse(pdfs.document(pdfs.text(line)), **OPTIONS)
        table = docaudit.ConceptTable.from_variants({"share": ["%"]})
        cut = line.index("%")
        assert checked(document, line, table=table).hits_in_text == 1
        assert checked(document, line[:cut], table=table).hits_in_text == 0

    def test_another_document(self, parsed: docaudit.ParsedDocument) -> None:
        other = "Members of the board may be removed by a vote of the ferry company alone."
        check = checked(parsed, RetrievedChunk(text=other, id="board"))
        assert (check.verdict, check.chunks_not_in_document) == (RetrievalVerdict.MISSED, 1)
        fact = check.chunks[0]
        assert (fact.id, fact.place, fact.found_on, fact.letters_found) == (
            "board",
            ChunkPlace.NOT_IN_DOCUMENT,
            (),
            0,
        )
        assert fact.letters == len(letters(other)) > 2 * MIN_RUN

    def test_japanese_needs_fewer_signs(self) -> None:
        line = "本機構は、再生可能エネルギーの導入に伴う電力需要の変化を調査した。"
        document = docaudit.parse(pdfs.document(pdfs.japanese(line)), **OPTIONS)
        table = docaudit.ConceptTable.from_variants({"電力": ["電力"]})
        assert checked(document, "導入に伴う電力需要の変化を調査", table=table).hits_in_text == 1
        assert checked(document, "電力の自由化に伴う規制の変更を検討", table=table).hits_in_text == 0

    def test_a_hit_over_two_columns_is_in_the_chunk_that_has_both_parts(self) -> None:
        def page(drawn: Any) -> None:
            pdfs.write(drawn, ["Left column speaks of", "the artificial"], x=60, y=100)
            pdfs.write(drawn, ["intelligence of crows", "and of other birds"], x=320, y=100)

        table = docaudit.ConceptTable.from_variants({"AI": ["artificial intelligence"]})
        document = docaudit.parse(pdfs.document(page), **OPTIONS)
        chunk = "Left column speaks of the artificial intelligence of crows and of other birds"
        assert checked(document, chunk, table=table).hits_in_text == 1


class TestPages:
    def test_a_picture_of_a_page_is_the_weaker_claim(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, *(RetrievedChunk(text="", pages=(page,)) for page in (1, 2, 3)))
        assert (check.verdict, check.hits_on_page) == (RetrievalVerdict.PAGES_RETRIEVED, 3)
        assert check.chunks[0].place is ChunkPlace.WITHOUT_TEXT
        assert RetrievedChunk.model_validate({"page": 5, "id": "c"}) == RetrievedChunk(
            text="", pages=(5,), id="c"
        )
        for nothing in ({"id": "c"}, {"page": None}, {"pages": []}):
            with pytest.raises(ValidationError, match=r"text\n  Field required"):
                RetrievedChunk.model_validate(nothing)

    def test_a_text_from_the_page_is_not_the_page(self, parsed: docaudit.ParsedDocument) -> None:
        check = checked(parsed, RetrievedChunk(text=pdfs.PROSE[0], pages=(1,)))
        assert (check.hits_on_page, len(check.missed)) == (0, 3)

    def test_a_text_that_cannot_be_laid_over_the_page(self, parsed: docaudit.ParsedDocument) -> None:
        says = "On this page a northem ferrv, sorry, a ferry, is said to be running late again and again."
        check = checked(parsed, RetrievedChunk(text=says, pages=(1,)))
        assert (check.hits_in_text, check.hits_on_page, len(check.missed)) == (0, 1, 2)
        check = checked(parsed, RetrievedChunk(text=says.replace("ferry", "boat"), pages=(1,)))
        assert (check.hits_in_text, check.hits_on_page, len(check.missed)) == (0, 0, 3)


class TestPassages:
    def test_verbatim_with_their_places(self, parsed: docaudit.ParsedDocument) -> None:
        chunk = RetrievedChunk(text=SECOND.upper().replace(" ", "\n"))
        (passage,) = passages(parsed.line_df, [chunk])
        assert (passage.page_num, passage.text, passage.chunk) == (2, SECOND, 0)

    def test_none_of_a_text_that_is_not_there(self, parsed: docaudit.ParsedDocument) -> None:
        assert passages(parsed.line_df, [RetrievedChunk(text="Whales sing at night in the deep sea.")]) == []

    def test_the_page_that_the_tool_names_if_there_are_several(self) -> None:
        document = docaudit.parse(pdfs.document(*[pdfs.text(FIRST)] * 3), **OPTIONS)
        for pages, expected in (((3,), 3), ((), 1)):
            (passage,) = passages(document.line_df, [RetrievedChunk(text=FIRST, pages=pages)])
            assert passage.page_num == expected


@settings(deadline=None)  # a slow machine is no fault
@given(st.lists(st.text("ab c-", max_size=60), max_size=8), st.integers(0, 300), st.integers(1, 200))
def test_every_piece_of_a_document_is_found_where_it_stands(lines: list[str], start: int, size: int) -> None:
    rows = LINE_DF.empty().reindex(range(len(lines)))
    rows["page_num"], rows["line_num"], rows["text"] = 1, range(1, len(lines) + 1), lines
    document = DocumentLetters(rows)
    piece = document.text[start : start + size]
    runs = document.runs(piece)
    assert all(document.text[run.at : run.end] == piece[run.start : run.start + run.length] for run in runs)
    if piece:
        assert (0, start, len(piece)) in {(run.start, run.at, run.length) for run in runs}


class TestGiven:
    def test_a_page_or_pages(self) -> None:
        assert RetrievedChunk.model_validate({"text": "a", "page": 3}).pages == (3,)
        assert RetrievedChunk.model_validate({"text": "a", "page": None}).pages == ()
        for wrong in ({"page": 0}, {"page": 3, "pages": [4]}, {"score": float("nan")}, {"metadata": {}}):
            with pytest.raises(ValidationError):
                RetrievedChunk.model_validate({"text": "a"} | wrong)

    @pytest.mark.parametrize("wrong", ["text", 3, ["text"], [{"text": "a"}], {"text": "a"}])
    def test_anything_else_is_refused_before_any_work(self, wrong: Any) -> None:
        with pytest.raises(RetrievalError, match="RetrievedChunk"):
            docaudit.audit("no such file.pdf", FERRY, retrieved=wrong)

    def test_files(self, tmp_path: Path) -> None:
        file = tmp_path / "chunks.json"
        rows = [{"text": "a\u2028b", "page": 3, "id": "c1", "score": 0.5}, {"text": "c"}]
        wanted = (RetrievedChunk(text="a\u2028b", pages=(3,), id="c1", score=0.5), RetrievedChunk(text="c"))
        for text in (
            json.dumps(rows),
            "\ufeff" + "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n",
        ):
            file.write_text(text, "utf-8", newline="")
            assert docaudit.load_chunks(file) == wanted
        file.write_text("[]")
        assert docaudit.load_chunks(file) == ()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "nothing in it"),
            ("[{", "not JSON"),
            ('{"text": "a"}\n{', "line 2: not JSON"),
            ('[{"text": "a"}, {"id": "c"}, 3]', "chunk 2: text: Field required; chunk 3: "),
            ('{"text": "a", "page": 0}', "line 1: pages.0: "),
            ("null", "line 1: "),
        ],
    )
    def test_wrong_files(self, tmp_path: Path, text: str, said: str) -> None:
        file = tmp_path / "chunks.json"
        file.write_text(text)
        with pytest.raises(RetrievalError, match=said) as caught:
            docaudit.load_chunks(file)
        assert caught.value.file == str(file)

    def test_files_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(RetrievalError, match="cannot be read"):
            docaudit.load_chunks(tmp_path)
        (tmp_path / "latin").write_bytes(b'[{"text": "\xe9"}]')
        with pytest.raises(RetrievalError, match="UTF-8"):
            docaudit.load_chunks(tmp_path / "latin")


@pytest.fixture(scope="module")
def finding() -> AbsenceJustification:
    chunks = [RetrievedChunk(text=FIRST, id="secret: the northern ferry", pages=(1,), score=0.5)]
    return docaudit.audit(PAGES, BOTH, question="Which ferry carries uranium?", retrieved=chunks, **OPTIONS)


class TestSaved:
    def test_back_and_forth(self, finding: AbsenceJustification) -> None:
        assert finding.finding is Finding.MENTIONED
        assert load(dump(finding)) == finding
        assert finding.digest == digest_of(finding)

    def test_without_chunks_the_saved_form_is_as_it_was(self) -> None:
        plain = docaudit.audit(PAGES, FERRY, **OPTIONS)
        assert plain.retrieval is None
        assert "retrieval" not in json.loads(dump(plain))

    def test_counts_that_do_not_add_up_are_refused(self, finding: AbsenceJustification) -> None:
        assert finding.retrieval is not None
        whole = finding.retrieval.model_dump()
        for change in ({"hits": 9}, {"verdict": "all_retrieved"}, {"meeting_pages_retrieved": (9,)}):
            with pytest.raises(ValidationError):
                RetrievalCheck.model_validate(whole | change)

    def test_redacted(self, finding: AbsenceJustification) -> None:
        assert "secret" in dump(finding)
        redacted = dump(docaudit.redact(finding))
        assert "secret" not in redacted
        assert json.loads(redacted)["retrieval"]["verdict"] == "missed"

    def test_verified_without_the_chunks(self, finding: AbsenceJustification) -> None:
        result = docaudit.verify(finding, PAGES)
        (check,) = [one for one in result.checks if one.step is Step.RETRIEVAL]
        assert result.verified
        assert (check.state, "only with the chunks" in check.evidence) == ("not_run", True)

    def test_verified_with_the_chunks(self, finding: AbsenceJustification) -> None:
        chunk = RetrievedChunk(text=FIRST, id="secret: the northern ferry", pages=(1,), score=0.5)
        result = docaudit.verify(finding, PAGES, retrieved=[chunk])
        assert {one.step: one.state for one in result.checks}[Step.RETRIEVAL] == "confirmed"
        result = docaudit.verify(finding, PAGES, retrieved=[RetrievedChunk(text=SECOND)])
        (check,) = [one for one in result.checks if one.step is Step.RETRIEVAL]
        assert not result.verified
        assert 'retrieval.verdict: saved "missed", now "all_retrieved"' in map(str, check.differences)

    def test_hits_that_are_not_there_are_named(self, finding: AbsenceJustification) -> None:
        assert finding.retrieval is not None
        missed = tuple(hit.model_copy(update={"line_num": 77}) for hit in finding.retrieval.missed)
        forged = finding.model_copy(
            update={"retrieval": finding.retrieval.model_copy(update={"missed": missed})}
        )
        result = docaudit.verify(with_digest(forged), PAGES)
        (check,) = [one for one in result.checks if one.step is Step.RETRIEVAL]
        assert (check.state, result.verified) == ("differs", False)
        assert "line 77 is no such hit" in str(check.differences[0])

    def test_reports_say_it(self, finding: AbsenceJustification) -> None:
        said = "The retriever missed all that was found: 2 hits of required concepts"
        text = " ".join(to_text(finding).split())
        assert said in text
        assert "The required concepts meet on page 2; retrieved of these: no page." in text
        assert said in to_markdown(finding)
        assert said in to_html(finding)
        assert "検索もれ" in to_markdown(finding, "ja")
        assert "検索もれ" in to_html(finding, "ja")
        plain = docaudit.audit(PAGES, BOTH, **OPTIONS)
        assert not any("retriever" in render(plain) for render in (to_text, to_markdown, to_html))


def test_every_code_is_explained() -> None:
    known = {(entry.of, entry.code) for entry in coverage.entries()}
    assert {("verdict on a retriever", one.value) for one in RetrievalVerdict} <= known
    assert {("place of a retrieved chunk", one.value) for one in ChunkPlace} <= known


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.pdf").write_bytes(PAGES)
    (tmp_path / "chunks.jsonl").write_text(json.dumps({"text": FIRST, "page": 1}))
    FERRY.to_dataframe().to_csv(tmp_path / "table.csv", index=False)
    words = ["audit", str(tmp_path / "report.pdf"), "--concepts", str(tmp_path / "table.csv"), "--ocr", "off"]
    words += ["--retrieved", str(tmp_path / "chunks.jsonl")]
    assert main([*words, "--json", "--out", str(tmp_path / "out")]) == 1
    saved = json.loads(capsys.readouterr().out)
    assert (saved["retrieval"]["verdict"], saved["retrieval"]["hits"]) == ("partly_missed", 3)
    again = ["verify", str(tmp_path / "out" / "justification.json"), str(tmp_path / "report.pdf")]
    assert main([*again, "--retrieved", str(tmp_path / "chunks.jsonl")]) == 0
    assert "✓ retrieval" in capsys.readouterr().out
    (tmp_path / "chunks.jsonl").write_text("{}")
    assert main(words) == 2
    assert (
        "chunks.jsonl: these are no retrieved chunks: line 1: text: Field required" in capsys.readouterr().err
    )
