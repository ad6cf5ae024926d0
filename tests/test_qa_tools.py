"""QA tools against the real libraries, with their own stand-ins for models and without a network.

What the sample report holds stands in samples/make_samples.py: electricity on pages 18 and 19, AI nowhere.
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import docaudit
from docaudit.cli import main
from docaudit.codes import Finding, RetrievalVerdict
from docaudit.errors import (
    ConceptTableError,
    DocumentNotFoundError,
    InputError,
    MissingExtraError,
    OptionError,
    QuestionError,
    RetrievalError,
    require_extra,
)
from docaudit.integrations import grounding as documents_module
from docaudit.integrations.grounding import (
    AnswerOutcome,
    AuditedDocuments,
    Grounded,
    brief,
    ground,
    pages_of,
    says_nothing,
)
from docaudit.justification import AbsenceJustification, AnswerWithEvidence, RetrievedChunk
from docaudit.saved import dump
from tests import pdfs
from tests.pages import Block, blocks_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
REPORT, TABLE = ROOT / "samples" / "commodity-report.pdf", ROOT / "samples" / "ai-power.csv"
PAGE = ROOT / "docs" / "qa-tools.md"
QUESTION = "How much electricity does AI consume?"

FERRY = "In the south the ferry carried uranium under guard to the old mill."
WIND = "The northern ferry was late because of the wind and of the tide."
CRANES = "Cranes on the northern quay were replaced by taller machines."
HARBOUR = pdfs.document(pdfs.text(WIND, CRANES), pdfs.text(FERRY))
WHALES = pdfs.document(pdfs.text("Whales were counted from the cliff on four mornings in May."))
BOTH = docaudit.ConceptTable.from_variants({"ferry": ["ferry"], "uranium": ["uranium"]})
ASKED = "Does a ferry carry uranium?"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever opens a connection to another machine fails the test."""

    connect = socket.socket.connect

    def refuse(self: socket.socket, address: Any) -> None:
        assert self.family == socket.AF_UNIX, f"a connection to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, docaudit.ParsedDocument]:
    return {
        name: docaudit.parse(data, ocr="off", workers=1)
        for name, data in (("harbour", HARBOUR), ("whales", WHALES))
    }


@pytest.fixture
def harbour(parsed: dict[str, docaudit.ParsedDocument]) -> AuditedDocuments:
    return AuditedDocuments({"harbour": parsed["harbour"]}, BOTH)


@pytest.fixture
def library(parsed: dict[str, docaudit.ParsedDocument]) -> AuditedDocuments:
    return AuditedDocuments(parsed, BOTH)


@pytest.fixture(scope="module")
def report() -> AuditedDocuments:
    """The sample report, read by docaudit.parse when it is first asked for."""
    return AuditedDocuments(REPORT, TABLE)


@pytest.fixture(scope="module")
def command_line(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `docaudit audit --json` prints for the sample report."""
    code = [sys.executable, "-m", "docaudit", "audit", str(REPORT), "--concepts", str(TABLE)]
    done = subprocess.run(
        [*code, "--question", QUESTION, "--json"], capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout.decode("utf-8")


class TestGround:
    def test_an_answer_with_the_passages_that_were_retrieved(self, harbour: AuditedDocuments) -> None:
        chunks = [
            RetrievedChunk(text=WIND.upper()),
            RetrievedChunk(text="It is well known that ferries sink."),
        ]
        found = ground(harbour, "Why was the ferry late?", "Because of the wind.", chunks)
        (answer,) = found.answers
        assert (found.outcome, found.justifications) == (AnswerOutcome.ANSWERED, ())
        assert (answer.answer, answer.question) == ("Because of the wind.", "Why was the ferry late?")
        assert [(one.page_num, one.text) for one in answer.evidence] == [(1, WIND)]
        assert answer.document == harbour.parsed("harbour").identity

    @pytest.mark.parametrize("said", ["I don't know.", "", None, " \n"])
    def test_the_retriever_missed_it(self, harbour: AuditedDocuments, said: str | None) -> None:
        found = ground(harbour, ASKED, said, [RetrievedChunk(text=WIND)])
        (justification,) = found.justifications
        assert (found.outcome, found.said) == (AnswerOutcome.DECLINED, said or "")
        assert justification.finding is Finding.MENTIONED
        assert justification.retrieval is not None
        assert justification.retrieval.verdict is RetrievalVerdict.MISSED
        assert found.mentioned_in == (justification,)
        assert "The retriever missed all that was found" in str(found)
        assert FERRY in str(found)

    def test_the_model_missed_it(self, harbour: AuditedDocuments) -> None:
        found = ground(harbour, ASKED, "I don't know.", [RetrievedChunk(text=FERRY)])
        assert found.justifications[0].retrieval is not None
        assert found.justifications[0].retrieval.verdict is RetrievalVerdict.ALL_RETRIEVED

    @pytest.mark.parametrize(
        "chunks", [None, [], [RetrievedChunk(text="The ferry company sells whale tours.")]]
    )
    def test_an_answer_without_a_source_is_none(
        self, harbour: AuditedDocuments, chunks: list[RetrievedChunk] | None
    ) -> None:
        found = ground(harbour, ASKED, "Yes, twice a week.", chunks)
        assert (found.outcome, found.answers, found.said) == (
            AnswerOutcome.UNSUPPORTED,
            (),
            "Yes, twice a week.",
        )
        assert (found.justifications[0].retrieval is None) is (chunks is None)
        assert "nothing that was retrieved for it stands in the documents" in str(found)

    def test_several_documents(self, library: AuditedDocuments) -> None:
        found = ground(library, ASKED, "I don't know.", [RetrievedChunk(text=FERRY)])
        assert [one.finding for one in found.justifications] == [
            Finding.MENTIONED,
            library.audit(ASKED, name="whales").finding,
        ]
        whales = found.justifications[1].retrieval
        assert whales is not None
        assert (whales.verdict, whales.chunks_not_in_document) == (RetrievalVerdict.NOTHING_TO_MISS, 1)
        found = ground(library, ASKED, "Yes.", [RetrievedChunk(text=FERRY)])
        assert [one.document and one.document.sha256 for one in found.answers] == [
            library.parsed("harbour").identity.sha256
        ]

    def test_a_page_of_one_document_is_not_that_of_another(self, library: AuditedDocuments) -> None:
        of_whales = [
            RetrievedChunk(text="Whales, a ferry and uranium were counted from a cliff in May.", page=2)
        ]
        picture = [RetrievedChunk(text="", page=2)]
        for chunks in (of_whales, picture):
            retrieval = ground(library, ASKED, "I don't know.", chunks).justifications[0].retrieval
            assert retrieval is not None
            assert (retrieval.verdict, retrieval.hits_on_page) == (RetrievalVerdict.MISSED, 0)
        alone = AuditedDocuments({"harbour": library.parsed("harbour")}, BOTH)
        assert alone.audit(ASKED, picture).retrieval.verdict is RetrievalVerdict.PAGES_RETRIEVED  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("chunk", "outcome"),
        [
            ("e", "unsupported"),
            ("guard to", "unsupported"),  # a phrase that any document may have
            ("ferry carried uranium", "answered"),
            ("erry carried uraniu", "unsupported"),  # its letters stand there, its words do not
        ],
    )
    def test_a_chance_is_no_evidence(self, harbour: AuditedDocuments, chunk: str, outcome: str) -> None:
        assert ground(harbour, ASKED, "Yes, twice a week.", [RetrievedChunk(text=chunk)]).outcome == outcome

    def test_an_answer_on_what_no_document_mentions(self, parsed: dict[str, docaudit.ParsedDocument]) -> None:
        table = docaudit.ConceptTable.from_variants({"ferry": ["ferry"], "steel": ["steel"]})
        documents = AuditedDocuments(parsed, table)
        found = ground(documents, "What of steel?", "It is dear.", [RetrievedChunk(text=FERRY)])
        assert (found.outcome, found.concepts_without_hit) == (AnswerOutcome.ANSWERED, ("steel",))
        assert "No document mentions steel." in str(found)
        assert ground(documents, ASKED, "I don't know.", None).concepts_without_hit == ()

    def test_copied_and_sent_elsewhere(self, harbour: AuditedDocuments) -> None:
        for same in (copy.deepcopy(harbour), pickle.loads(pickle.dumps(harbour))):
            assert dump(same.audit(ASKED)) == dump(harbour.audit(ASKED))

    def test_it_can_be_kept(self, harbour: AuditedDocuments) -> None:
        for said in ("I don't know.", "Because of the wind."):
            found = ground(harbour, ASKED, said, [RetrievedChunk(text=WIND)])
            assert Grounded.model_validate_json(found.model_dump_json()) == found

    def test_another_judge_of_answers(self, harbour: AuditedDocuments) -> None:
        found = ground(harbour, ASKED, "Keine Ahnung.", [RetrievedChunk(text=WIND)])
        assert found.outcome is AnswerOutcome.ANSWERED  # the rule of thumb knows no German
        judge = lambda said: "Ahnung" in said  # noqa: E731
        found = ground(harbour, ASKED, "Keine Ahnung.", [RetrievedChunk(text=WIND)], judge)
        assert found.outcome is AnswerOutcome.DECLINED

    def test_an_audit_that_cannot_run_is_an_error(self, tmp_path: Path) -> None:
        gone = AuditedDocuments(tmp_path / "gone.pdf", BOTH)
        with pytest.raises(DocumentNotFoundError):
            ground(gone, ASKED, "I don't know.", [])


DECLINED = (
    "I don't know.",
    "I do not know the answer to that question.",
    "Sorry, I can’t find that in the report.",
    "The provided context does not mention electricity use of AI.",
    "Based on the context, there is no specific information about AI.",
    "The context doesn't contain any information on this.",
    "It is not specified in the documents.",
    "I'm unable to determine this from the given sources.",
    "There is not enough information to answer.",
    "Empty Response",
    "There isn't enough information to say.",
    "None of the documents mention it.",
    "It is never mentioned.",
    "I couldn't locate any figures.",
    "The answer is not in the text.",
    "I have no idea.",
    "Nothing was found.",
    "NOT_FOUND",
    "\u200b",
    "…",
    "記載なし",
    "該当なし。",
    "情報は提供されていません。",
    "電力には触れられていません。",
    "知りません。",
    "None",
    "N/A",
    "分かりません。",
    "提供された文書には、その情報は含まれていません。",
    "AIの電力消費量に関する記載は見当たりません。",
    "この文脈からは回答できません。",
)
ANSWERED = (
    "Electricity use rose by 4 % in 2024.",
    "7 TWh.",
    "Yes.",
    "No.",
    "No, the ferry sank.",
    "It is not in Norway but in Sweden.",
    "Nothing but the price rose.",
    "The note says that nobody was hurt.",
    "Prices rose because of the drought. Volumes fell. The report does not say by how much.",
    "電力消費量は4％増加しました。",
    "いいえ、対象外です。",
)


@pytest.mark.parametrize("said", DECLINED)
def test_usual_ways_to_decline(said: str) -> None:
    assert says_nothing(said)


@pytest.mark.parametrize("said", ANSWERED)
def test_answers(said: str) -> None:
    assert not says_nothing(said)


class TestDocuments:
    def test_a_document_is_read_once_and_again_if_it_changes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "harbour.pdf"
        file.write_bytes(HARBOUR)
        read: list[Any] = []
        parse = docaudit.parse
        monkeypatch.setattr(
            documents_module.docaudit, "parse", lambda *a, **k: read.append(a) or parse(*a, **k)
        )
        audited = AuditedDocuments(file, BOTH, ocr="off", workers=1)
        assert read == []
        assert (
            audited.audit(ASKED).finding is audited.audit("What of the ferry?").finding is Finding.MENTIONED
        )
        assert len(read) == 1
        file.write_bytes(WHALES)
        os.utime(file, ns=(1, 1))
        assert audited.audit(ASKED).finding is not Finding.MENTIONED
        assert len(read) == 2

    def test_any_source_gives_the_same(self, tmp_path: Path) -> None:
        file = tmp_path / "harbour.pdf"
        file.write_bytes(HARBOUR)
        read = docaudit.parse(file, ocr="off", workers=1)
        folder = read.save(tmp_path / "parsed")
        BOTH.to_dataframe().to_csv(tmp_path / "table.csv", index=False)
        options = {"ocr": "off", "workers": 1}
        table = docaudit.ConceptTable.load(tmp_path / "table.csv")
        wanted = dump(docaudit.audit(file, table, question=ASKED, **options))
        for source in (file, str(folder), [file], read, {"x": read}):
            found = AuditedDocuments(source, tmp_path / "table.csv", **options).audit(ASKED)
            assert dump(found) == wanted

    def test_a_saved_parse_keeps_its_options(self, parsed: dict[str, docaudit.ParsedDocument]) -> None:
        assert AuditedDocuments(parsed, BOTH).audit(ASKED, name="whales").options.ocr == "off"

    @pytest.mark.parametrize(
        ("make", "error"),
        [
            (lambda: AuditedDocuments([], BOTH), InputError),
            (lambda: AuditedDocuments({}, BOTH), InputError),
            (lambda: AuditedDocuments(["a/x.pdf", "b/x.pdf"], BOTH), OptionError),
            (lambda: AuditedDocuments("x.pdf", None), ConceptTableError),
            (lambda: AuditedDocuments("x.pdf", "no such table.csv"), ConceptTableError),
            (lambda: AuditedDocuments("x.pdf", BOTH, colour="red"), OptionError),
            (lambda: AuditedDocuments(HARBOUR, BOTH, ocr="off", workers=1).audit(" "), QuestionError),
            (lambda: AuditedDocuments("x.pdf", BOTH).audit(ASKED, name="y.pdf"), OptionError),
            (lambda: AuditedDocuments(["x.pdf", "y.pdf"], BOTH).audit(ASKED), OptionError),
            (lambda: require_extra("no_such_library", "langchain"), MissingExtraError),
        ],
    )
    def test_errors(self, make: Callable[[], Any], error: type[Exception]) -> None:
        with pytest.raises(error):
            make()

    def test_pages_of_metadata(self) -> None:
        assert pages_of({"page": 0}, "page", 0) == (1,)
        assert pages_of({"page": 3}, "page", 1) == (3,)
        assert pages_of({"page_label": " 12 "}, "page_label", 1) == (12,)
        assert (
            pages_of({"page": 3}, None, 1)
            == pages_of({}, "page", 1)
            == pages_of({"page": None}, "page", 1)
            == ()
        )
        for wrong in ("iv", 0, True, 2.5, -1):
            with pytest.raises(RetrievalError, match="no page counted from 1"):
                pages_of({"page": wrong}, "page", 1)


def test_a_missing_library_is_named_with_its_extra() -> None:
    for module, library, extra in (
        ("langchain", "langchain_core", "langchain"),
        ("llama_index", "llama_index.core", "llama-index"),
        ("haystack", "haystack", "haystack"),
    ):
        code = (
            f"import sys; sys.modules[{library!r}] = None\n"
            f"from docaudit.errors import MissingExtraError\n"
            f"try: import docaudit.integrations.{module}\n"
            f"except MissingExtraError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, cwd=ROOT, text=True, check=True
        )
        assert f"pip install '.[{extra}]'" in done.stdout


class TestLangChain:
    def test_parity(self, command_line: str, report: AuditedDocuments) -> None:
        from docaudit.integrations.langchain import AbsenceTool

        tool = AbsenceTool(documents=report)
        call = {"name": tool.name, "args": {"question": QUESTION}, "id": "1", "type": "tool_call"}
        message = tool.invoke(call)
        assert dump(message.artifact) == command_line
        assert "not_established" in message.content or "absent_within_coverage" in message.content

    def test_a_model_calls_the_tool(self, library: AuditedDocuments) -> None:
        from langchain_core.language_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
        from langchain_core.utils.function_calling import convert_to_openai_tool

        from docaudit.integrations.langchain import AbsenceTool

        tool = AbsenceTool(documents=library)
        shown = convert_to_openai_tool(tool)["function"]
        assert (shown["name"], set(shown["parameters"]["properties"])) == (
            "prove_absence",
            {"question", "document"},
        )
        arguments = {"question": ASKED, "document": "harbour"}
        wish = {"name": "prove_absence", "args": arguments, "id": "call-1"}
        model = GenericFakeChatModel(
            messages=iter([AIMessage("", tool_calls=[wish]), AIMessage("It is mentioned on page 2.")])
        )
        talk: list[Any] = [HumanMessage(ASKED)]
        talk.append(model.invoke(talk))
        talk += [tool.invoke(call) for call in talk[-1].tool_calls]
        talk.append(model.invoke(talk))
        result = talk[2]
        assert isinstance(result, ToolMessage)
        assert (result.tool_call_id, result.status, result.artifact.finding) == (
            "call-1",
            "success",
            Finding.MENTIONED,
        )
        assert FERRY in result.content
        assert dump(result.artifact) == dump(library.audit(ASKED, name="harbour"))

    def test_errors_are_typed_and_can_go_back_to_the_model(self, library: AuditedDocuments) -> None:
        from docaudit.integrations.langchain import AbsenceTool, AbsenceToolError

        call = {"name": "prove_absence", "args": {"question": ASKED}, "id": "1", "type": "tool_call"}
        with pytest.raises(AbsenceToolError, match="several documents") as caught:
            AbsenceTool(documents=library).invoke(call)
        assert isinstance(caught.value, docaudit.DocauditError)
        assert isinstance(caught.value.__cause__, OptionError)
        message = AbsenceTool(documents=library, handle_tool_error=True).invoke(call)
        assert (message.status, "name one of harbour, whales" in message.content) == ("error", True)

    def test_asynchronous(self, harbour: AuditedDocuments) -> None:
        from langchain_core.documents import Document

        from docaudit.integrations.langchain import AbsenceTool, GroundedAnswers

        content = asyncio.run(AbsenceTool(documents=harbour).ainvoke({"question": ASKED}))
        assert content == AbsenceTool(documents=harbour).invoke({"question": ASKED}) != ""
        given = {"input": ASKED, "context": [Document(WIND)], "answer": "I don't know."}
        end = GroundedAnswers(harbour)
        assert asyncio.run(end.ainvoke(given)) == end.invoke(given)

    def test_a_retrieval_chain(self, harbour: AuditedDocuments) -> None:
        from langchain_core.documents import Document
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.prompts import ChatPromptTemplate
        from langchain_core.retrievers import BaseRetriever
        from langchain_core.runnables import RunnablePassthrough

        from docaudit.integrations.langchain import GroundedAnswers

        class First(BaseRetriever):
            texts: list[str]

            def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
                return [Document(text, metadata={"page": 0}, id=f"c{n}") for n, text in enumerate(self.texts)]

        def chain(texts: list[str], said: str) -> Any:
            prompt = ChatPromptTemplate.from_template("{context} {input}")
            return (
                RunnablePassthrough.assign(context=lambda given: First(texts=texts).invoke(given["input"]))
                | RunnablePassthrough.assign(answer=prompt | FakeListChatModel(responses=[said]))
                | GroundedAnswers(harbour, page_key="page")
            )

        found = chain([WIND], "I don't know.").invoke({"input": ASKED})
        (justification,) = found.justifications
        assert justification.finding is Finding.MENTIONED
        assert justification.retrieval is not None
        assert justification.retrieval.verdict is RetrievalVerdict.MISSED
        assert [(one.id, one.pages) for one in justification.retrieval.chunks] == [("c0", (1,))]
        found = chain([FERRY, CRANES], "Yes, to the old mill.").invoke({"input": ASKED})
        assert [one.text for one in found.answers[0].evidence] == [FERRY, CRANES]

    def test_wrong_inputs(self, harbour: AuditedDocuments) -> None:
        from docaudit.integrations.langchain import GroundedAnswers

        end = GroundedAnswers(harbour)
        for wrong, error in (
            ({"question": ASKED}, QuestionError),
            ({"input": ASKED, "context": "text", "answer": ""}, RetrievalError),
            ({"input": ASKED, "context": ["text"], "answer": ""}, RetrievalError),
            ({"input": ASKED, "context": [], "answer": 3}, RetrievalError),
        ):
            with pytest.raises(error):
                end.invoke(wrong)
        with pytest.raises(OptionError):
            GroundedAnswers(harbour, BOTH)

    def test_a_context_that_can_be_read_once(self) -> None:
        from langchain_core.documents import Document

        from docaudit.integrations.langchain import chunks_of

        assert [one.text for one in chunks_of(iter([Document(FERRY), Document(WIND)]))] == [FERRY, WIND]
        with pytest.raises(RetrievalError, match="no list of Document"):
            chunks_of(3)  # type: ignore[arg-type]

    def test_an_answer_under_another_key_is_not_taken_for_none(self, harbour: AuditedDocuments) -> None:
        from langchain_core.documents import Document

        from docaudit.integrations.langchain import GroundedAnswers

        given = {"input": ASKED, "context": [Document(FERRY)], "result": "Yes."}
        with pytest.raises(
            RetrievalError, match=r"'answer'; its keys are input, context, result.*answer_key="
        ):
            GroundedAnswers(harbour).invoke(given)
        assert GroundedAnswers(harbour, answer_key="result").invoke(given).outcome is AnswerOutcome.ANSWERED
        sources = {"input": ASKED, "sources": [], "answer": "Yes."}
        with pytest.raises(RetrievalError, match=r"'context'.*context_key="):
            GroundedAnswers(harbour).invoke(sources)
        plain = GroundedAnswers(harbour, context_key=None, answer_key=None).invoke({"input": ASKED})
        assert plain.outcome is AnswerOutcome.DECLINED
        assert plain.justifications[0].retrieval is None
        for nothing in (None, ""):
            found = GroundedAnswers(harbour).invoke({"input": ASKED, "context": None, "answer": nothing})
            assert found.outcome is AnswerOutcome.DECLINED


class TestLlamaIndex:
    def test_parity(self, command_line: str, report: AuditedDocuments) -> None:
        from docaudit.integrations.llama_index import absence_tool

        output = absence_tool(report.parsed(REPORT.name), TABLE).call(question=QUESTION)
        assert dump(output.raw_output) == command_line
        assert output.content == brief(output.raw_output)

    def test_the_tool(self, library: AuditedDocuments) -> None:
        from docaudit.integrations.llama_index import absence_tool

        tool = absence_tool(library)
        shown = tool.metadata.to_openai_tool()["function"]
        assert set(shown["parameters"]["properties"]) == {"question", "document"}
        assert shown["parameters"]["required"] == ["question"]
        output = asyncio.run(tool.acall(question=ASKED, document="harbour"))
        assert FERRY in output.content
        with pytest.raises(OptionError):
            tool.call(question=ASKED)

    @staticmethod
    def engine(said: str, texts: list[str], mode: str = "compact", streaming: bool = False) -> Any:
        """A retriever query engine whose model says the same whatever it is asked."""
        from llama_index.core import get_response_synthesizer
        from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
        from llama_index.core.query_engine import RetrieverQueryEngine
        from llama_index.core.retrievers import BaseRetriever
        from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

        class Parrot(CustomLLM):
            @property
            def metadata(self) -> LLMMetadata:
                return LLMMetadata()

            def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
                return CompletionResponse(text=said)

            def stream_complete(
                self, prompt: str, formatted: bool = False, **kwargs: Any
            ) -> Iterator[CompletionResponse]:
                for end in range(1, len(said) + 1):
                    yield CompletionResponse(text=said[:end], delta=said[end - 1])

        class Retriever(BaseRetriever):
            def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
                return [
                    NodeWithScore(
                        node=TextNode(text=text, id_=f"n{n}", metadata={"page_label": "1", "note": "x"}),
                        score=0.5,
                    )
                    for n, text in enumerate(texts)
                ]

        synthesizer = get_response_synthesizer(llm=Parrot(), response_mode=mode, streaming=streaming)
        return RetrieverQueryEngine(Retriever(), response_synthesizer=synthesizer)

    def test_i_do_not_know(self, harbour: AuditedDocuments) -> None:
        from docaudit.integrations.llama_index import GroundedQueryEngine

        asked = GroundedQueryEngine(self.engine("I don't know.", [WIND]), harbour, page_key="page_label")
        response = asked.query(ASKED)
        (justification,) = response.grounded.justifications
        assert justification.retrieval is not None
        assert (justification.finding, justification.retrieval.verdict) == (
            Finding.MENTIONED,
            RetrievalVerdict.MISSED,
        )
        (chunk,) = justification.retrieval.chunks
        assert (chunk.id, chunk.score, chunk.pages, chunk.place.value) == ("n0", 0.5, (1,), "whole")
        assert FERRY in str(response)
        assert [node.node.node_id for node in response.source_nodes] == ["n0"]

    @pytest.mark.parametrize("streaming", [False, True])
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_an_answer(self, harbour: AuditedDocuments, streaming: bool, asynchronous: bool) -> None:
        from docaudit.integrations.llama_index import GroundedQueryEngine

        asked = GroundedQueryEngine(self.engine("Yes, uranium.", [FERRY], streaming=streaming), harbour)
        response = asyncio.run(asked.aquery(ASKED)) if asynchronous else asked.query(ASKED)
        assert response.response == "Yes, uranium."
        (answer,) = response.grounded.answers
        assert isinstance(answer, AnswerWithEvidence)
        assert [(one.page_num, one.text) for one in answer.evidence] == [(2, FERRY)]

    def test_nothing_was_retrieved(self, harbour: AuditedDocuments) -> None:
        from docaudit.integrations.llama_index import GroundedQueryEngine

        response = GroundedQueryEngine(self.engine("7 TWh", []), harbour).query(ASKED)
        assert (response.grounded.said, response.grounded.outcome) == (
            "Empty Response",
            AnswerOutcome.DECLINED,
        )

    def test_with_the_mock_model_of_the_library(self, harbour: AuditedDocuments) -> None:
        from llama_index.core import Document, MockEmbedding, VectorStoreIndex
        from llama_index.core.llms import MockLLM

        from docaudit.integrations.llama_index import GroundedQueryEngine

        texts = [Document(text=WIND), Document(text=FERRY)]  # cut by its own splitter, which counts tokens
        index = VectorStoreIndex.from_documents(texts, embed_model=MockEmbedding(embed_dim=4))
        asked = GroundedQueryEngine(index.as_query_engine(llm=MockLLM(max_tokens=5)), harbour)
        response = asked.query(ASKED)
        # The mock repeats its prompt, whose instructions decline nothing.
        assert response.grounded.outcome is AnswerOutcome.ANSWERED
        assert {one.text for one in response.grounded.answers[0].evidence} == {WIND, FERRY}

    def test_as_a_tool_of_an_agent(self, harbour: AuditedDocuments) -> None:
        from llama_index.core.tools import QueryEngineTool

        from docaudit.integrations.llama_index import GroundedQueryEngine

        asked = GroundedQueryEngine(self.engine("I don't know.", [WIND]), harbour)
        output = QueryEngineTool.from_defaults(asked, name="report", description="x").call(ASKED)
        assert "The retriever missed all that was found" in output.content
        assert isinstance(output.raw_output.grounded.justifications[0], AbsenceJustification)


def reply_with_nothing(reply: str) -> bool:
    """A judge of replies that can be imported, so that a pipeline can be saved."""
    return reply == "nothing"


class TestHaystack:
    @pytest.fixture
    def files(self, parsed: dict[str, docaudit.ParsedDocument], tmp_path: Path) -> tuple[list[str], str]:
        BOTH.to_dataframe().to_csv(tmp_path / "table.csv", index=False)
        return [str(parsed["harbour"].save(tmp_path / "harbour"))], str(tmp_path / "table.csv")

    def test_parity(self, command_line: str, report: AuditedDocuments, tmp_path: Path) -> None:
        from docaudit.integrations.haystack import AbsenceAuditor

        folder = report.parsed(REPORT.name).save(tmp_path / "parsed")
        (found,) = AbsenceAuditor([str(folder)], str(TABLE)).run(question=QUESTION)["justifications"]
        assert dump(found) == command_line

    def test_in_a_pipeline_with_bm25(self, files: tuple[list[str], str]) -> None:
        from haystack import Document, Pipeline, component
        from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        from docaudit.integrations.haystack import AbsenceAuditor

        @component
        class Parrot:
            def __init__(self) -> None:
                component.set_input_types(self, documents=list[Document])

            @component.output_types(replies=list[str])
            def run(self, **given: Any) -> dict[str, list[str]]:
                documents = given["documents"]
                return {"replies": ["I don't know." if len(documents) < 2 else "To the old mill."]}

        store = InMemoryDocumentStore()
        store.write_documents(
            [
                Document(content=text, meta={"page_number": page})
                for text, page in ((WIND, 1), (CRANES, 1), (FERRY, 2))
            ]
        )

        def run(top_k: int, question: str) -> dict[str, Any]:
            pipeline = Pipeline()
            pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=top_k))
            pipeline.add_component("model", Parrot())
            pipeline.add_component("auditor", AbsenceAuditor(*files, page_key="page_number"))
            pipeline.connect("retriever.documents", "model.documents")
            pipeline.connect("retriever.documents", "auditor.documents")
            pipeline.connect("model.replies", "auditor.replies")
            return dict(
                pipeline.run(
                    {"retriever": {"query": "northern wind ferry"}, "auditor": {"question": question}}
                )["auditor"]
            )

        found = run(1, ASKED)
        (justification,) = found["justifications"]
        assert (found["outcome"], found["answers"]) == ("declined", [])
        assert justification.retrieval is not None
        assert (justification.finding, justification.retrieval.verdict) == (
            Finding.MENTIONED,
            RetrievalVerdict.MISSED,
        )
        assert justification.retrieval.chunks[0].pages == (1,)
        found = run(3, ASKED)
        (answer,) = found["answers"]
        assert (found["outcome"], found["justifications"]) == ("answered", [])
        assert {one.page_num for one in answer.evidence} == {1, 2}

    def test_saved_and_loaded_with_its_pipeline(self, files: tuple[list[str], str]) -> None:
        from haystack import Pipeline

        from docaudit.integrations.haystack import AbsenceAuditor

        auditor = AbsenceAuditor(*files, options={"scope": "line"}, page_key="page", first_page=0)
        again = AbsenceAuditor.from_dict(auditor.to_dict())
        assert again.to_dict() == auditor.to_dict()
        pipeline = Pipeline()
        pipeline.add_component(
            "auditor", AbsenceAuditor(*files, options={"scope": "line"}, declines=reply_with_nothing)
        )
        loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["docaudit.*", __name__])
        given = {"auditor": {"question": ASKED, "replies": ["nothing"]}}
        assert loaded.run(given) == pipeline.run(given)
        assert pipeline.run(given)["auditor"]["justifications"][0].options.scope == "line"

    def test_messages_and_no_replies(self, files: tuple[list[str], str]) -> None:
        from haystack import Document
        from haystack.dataclasses import ChatMessage

        from docaudit.integrations.haystack import AbsenceAuditor

        auditor = AbsenceAuditor(*files, declines=reply_with_nothing)
        context = [Document(content=FERRY), Document(content=None)]
        for replies, outcome in (
            ([ChatMessage.from_assistant("Yes.")], "answered"),
            ([ChatMessage.from_assistant("nothing")], "declined"),
            (["I don't know."], "answered"),
            ([], "declined"),
            (None, "declined"),
        ):
            assert auditor.run(question=ASKED, documents=context, replies=replies)["outcome"] == outcome
        with pytest.raises(RetrievalError, match="one text"):
            auditor.run(question=ASKED, replies="nothing")

    def test_nothing_phones_home(self) -> None:
        for code, wanted in (
            ("import docaudit.integrations.haystack", "None"),
            (
                "import os; os.environ['HAYSTACK_TELEMETRY_ENABLED'] = 'x'; import docaudit.integrations.haystack",
                "None",
            ),
        ):
            code += "; from haystack.telemetry import _telemetry; print(_telemetry.telemetry)"
            environment = {k: v for k, v in os.environ.items() if k != "HAYSTACK_TELEMETRY_ENABLED"}
            done = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                cwd=ROOT,
                text=True,
                env=environment,
                check=True,
            )
            assert (done.stdout.strip(), done.stderr) == (wanted, "")


@pytest.mark.parametrize("block", [one for one in blocks_of(PAGE) if one.language == "python"])
def test_programs_of_the_page_are_short(block: Block) -> None:
    """Ten lines without imports, each; tests/test_docs_run.py runs them."""
    lines = [line for line in block.code.splitlines() if line and not line.startswith(("from ", "import "))]
    assert len(lines) <= 10


def test_the_command_line_takes_the_chunks_that_an_adapter_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parsed: dict[str, docaudit.ParsedDocument]
) -> None:
    folder = parsed["harbour"].save(tmp_path / "harbour")
    BOTH.to_dataframe().to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "chunks.json").write_text(json.dumps([{"text": WIND, "id": "c1"}]))
    words = ["audit", str(folder), "--concepts", str(tmp_path / "table.csv"), "--question", ASKED, "--json"]
    assert main([*words, "--retrieved", str(tmp_path / "chunks.json")]) == 1
    audited = AuditedDocuments(folder, tmp_path / "table.csv")
    found = ground(audited, ASKED, "I don't know.", [RetrievedChunk(text=WIND, id="c1")])
    assert dump(found.justifications[0]) == capsys.readouterr().out
