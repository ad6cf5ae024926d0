"""The OpenAI-compatible endpoint: where it is, and one question to it. No other module talks to a network.

The schema goes along as response_format json_schema, which OpenAI, vLLM, llama.cpp and Ollama understand; a server that
refuses it (400, 404, 415, 422, 501) is asked without, and the prompt alone asks for JSON. The answer is checked either
way. What a server says in an error is never kept: it may hold the key.
"""

from __future__ import annotations

import json
import os
import threading
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from docaudit.errors import EndpointError, OptionError

if TYPE_CHECKING:
    from openai import OpenAI

Message = dict[str, str]
MAX_BYTES = 1 << 20
"""Longest answer that is read; a sentence needs a thousandth of it."""
_NO_SCHEMA = frozenset({400, 404, 415, 422, 501})
_HOW = "set DOCAUDIT_LLM_BASE_URL (http://localhost:8000/v1) and DOCAUDIT_LLM_MODEL, or explain with the template"


class Endpoint:
    """A model behind a URL.

    Attributes:
        model: Name of the model, as the endpoint knows it.
        host: Host and port alone: what may be shown.
    """

    def __init__(self, base_url: str, model: str, key: str = "", *, seconds: float = 60.0) -> None:
        self.model = model
        self.host = _host(base_url)
        self._base_url, self._key, self._seconds = base_url, key, seconds
        self._takes_schema = True

    @classmethod
    def from_environment(cls, seconds: float = 60.0, environment: Mapping[str, str] = os.environ) -> Endpoint:
        """The endpoint that the environment names; raises OptionError if it names none or `openai` is missing."""
        values = [environment.get(f"DOCAUDIT_LLM_{name}", "").strip() for name in ("BASE_URL", "MODEL")]
        key = environment.get("DOCAUDIT_LLM_API_KEY") or environment.get("OPENAI_API_KEY") or ""
        for name, value in zip(("BASE_URL", "MODEL"), values, strict=True):
            if not value:
                raise OptionError(
                    f"explain_with is model, but DOCAUDIT_LLM_{name} is not set",
                    remedy=_HOW,
                )
        if not values[1].isprintable() or len(values[1]) > 200:
            raise OptionError("DOCAUDIT_LLM_MODEL is no name of a model", remedy=_HOW)
        if not (key.strip().isascii() and key.strip().isprintable()):
            raise OptionError(
                "the key of the endpoint has characters that no key has", remedy="set it without line ends"
            )
        endpoint = cls(values[0], values[1], key.strip(), seconds=seconds)
        _need_openai()
        return endpoint

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> str:
        """The text that the model answers; raises EndpointError, which never holds key, URL or text of the server."""
        deadline = time.monotonic() + self._seconds
        try:
            body = self._post(messages, schema if self._takes_schema else None, deadline)
        except EndpointError as error:
            if error.status not in _NO_SCHEMA or not self._takes_schema:
                raise
            self._takes_schema = False
            body = self._post(messages, None, deadline)
        text = _content(body)
        if len(self._key) >= 8 and self._key in _unwrapped(text):
            raise EndpointError("the answer repeats the key")
        return text

    def _post(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, deadline: float) -> bytes:
        shape = {"name": "explanation", "strict": True, "schema": schema}
        form: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": shape}}
        asked: Any = list(messages)  # plain dicts with role and content; the client has a type for each role

        def post() -> bytes:
            with (
                self._client(deadline) as client,
                client.chat.completions.with_streaming_response.create(
                    model=self.model,
                    messages=asked,
                    **(form if schema is not None else {}),
                ) as response,
            ):
                return _bounded(response.iter_bytes(), deadline)

        return _until(deadline, post)

    def _client(self, deadline: float) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        left = max(0.1, deadline - time.monotonic())
        client = OpenAI(
            base_url=self._base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=left,
            default_headers={"Accept-Encoding": "identity"},
            # A redirect would carry the text to a host that nobody named.
            http_client=DefaultHttpxClient(
                follow_redirects=False, timeout=left, event_hooks={"response": [_refuse_errors]}
            ),
        )
        # What the environment has for other programs is not for this host.
        client.organization = client.project = None
        return client


def _refuse_errors(response: Any) -> None:
    """Stop at the status line: the body of an error is never read."""
    status = int(response.status_code)
    if status != 200:
        what = "redirects to another place" if 300 <= status < 400 else f"answers with status {status}"
        raise EndpointError(f"the endpoint {what}", status=status)


def _bounded(chunks: Any, deadline: float) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > MAX_BYTES:
            raise EndpointError("the answer is longer than any sentence")
        if time.monotonic() > deadline:
            raise EndpointError("no answer in time")
    return bytes(body)


def _until(deadline: float, work: Callable[[], bytes]) -> bytes:
    """Do the work in a thread, and wait for it no longer than until the deadline.

    Time limits of the client hold for each read: a server that sends a byte now and then would hold the audit for ever.
    """
    done: list[bytes | Exception] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception as error:  # noqa: BLE001 - handed over to the thread that waits, and judged there
            done.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.1, deadline - time.monotonic()))
    if not done:
        raise EndpointError("no answer in time")
    if isinstance(done[0], Exception):
        raise _endpoint_error(done[0])
    return done[0]


def _endpoint_error(error: Exception) -> EndpointError:
    """What may be said of an error: its kind, not its text."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, EndpointError):
            return cause
        cause = cause.__cause__
    name = type(error).__name__
    if "Timeout" in name:
        return EndpointError("no answer in time")
    return EndpointError(f"the endpoint cannot be asked ({name})")


def _content(body: bytes) -> str:
    try:
        answer = json.loads(body.decode("utf-8"))
        text = answer["choices"][0]["message"]["content"]
    except UnicodeDecodeError as error:
        raise EndpointError("the answer is not UTF-8") from error
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise EndpointError("the answer is no chat completion") from error
    if not isinstance(text, str):
        raise EndpointError("the answer holds no text")
    return text


def _unwrapped(text: str) -> str:
    """The text without escapes, blanks and other forms of letters, to find in it what must not be repeated."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = text
    return "".join(unicodedata.normalize("NFKC", json.dumps(data, ensure_ascii=False)).split())


def _host(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not base_url.isprintable() or " " in base_url:
        raise OptionError("DOCAUDIT_LLM_BASE_URL is no http or https address", remedy=_HOW)
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def _need_openai() -> None:
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise OptionError(
            "explain_with is model, but the package openai cannot be loaded",
            remedy='pip install ".[llm]" in the folder of docaudit',
        ) from error
