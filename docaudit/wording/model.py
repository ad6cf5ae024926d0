"""An OpenAI-compatible endpoint: where it is, and one question to it.

The JSON schema of the answer goes along as response_format json_schema, which OpenAI, vLLM, llama.cpp and Ollama
understand; a server that refuses it is asked without, and the instructions alone ask for JSON. What a server says in an
error is never kept: it may hold the key.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from docaudit.errors import EndpointError, OptionError

if TYPE_CHECKING:
    from openai import OpenAI

Message = dict[str, str]
MAX_BYTES = 1 << 20
"""Longest answer that is read: chosen, not measured; a sentence needs a thousandth of it."""
_NO_SCHEMA = frozenset({400, 404, 415, 422, 501})
"""Statuses with which servers refuse a response_format that they do not know."""
_REMEDY = "set DOCAUDIT_LLM_BASE_URL (http://localhost:8000/v1) and DOCAUDIT_LLM_MODEL, or explain with the template"
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)


def unfenced(text: str) -> str:
    """The text without the fence (```json) that some models put around JSON."""
    fenced = _FENCED.match(text)
    return fenced[1] if fenced else text


class Endpoint:
    """A model behind a URL.

    Attributes:
        model: Name of the model, as the endpoint knows it.
        host: Host and port alone: what may be shown.

    Raises:
        OptionError: The URL is no http or https address.
    """

    def __init__(self, base_url: str, model: str, key: str = "", *, seconds: float = 60.0) -> None:
        self.model = model
        self.host = _host(base_url)
        self._base_url, self._key, self._seconds = base_url, key, seconds
        self._takes_schema = True

    @classmethod
    def from_environment(cls, seconds: float = 60.0, environment: Mapping[str, str] = os.environ) -> Endpoint:
        """The endpoint that the environment names; raises OptionError if it names none or `openai` is missing."""
        values = {name: environment.get(f"DOCAUDIT_LLM_{name}", "").strip() for name in ("BASE_URL", "MODEL")}
        key = environment.get("DOCAUDIT_LLM_API_KEY") or environment.get("OPENAI_API_KEY") or ""
        for name, value in values.items():
            if not value:
                raise OptionError(
                    f"explain_with is model, but DOCAUDIT_LLM_{name} is not set", remedy=_REMEDY
                )
        if not values["MODEL"].isprintable() or len(values["MODEL"]) > 200:
            raise OptionError("DOCAUDIT_LLM_MODEL is no name of a model", remedy=_REMEDY)
        if not (key.strip().isascii() and key.strip().isprintable()):
            raise OptionError(
                "the key of the endpoint has characters that no key has", remedy="set it without line ends"
            )
        endpoint = cls(values["BASE_URL"], values["MODEL"], key.strip(), seconds=seconds)
        try:
            import openai  # noqa: F401
        except ImportError as error:
            raise OptionError(
                "explain_with is model, but the package openai cannot be loaded",
                remedy='pip install ".[llm]" in the folder of docaudit',
            ) from error
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
        if len(self._key) >= 8 and self._key in text:
            raise EndpointError("the answer repeats the key")
        return text

    def _post(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, deadline: float) -> bytes:
        """The body of the answer, as far as it comes in time."""
        from openai import APIStatusError

        form: dict[str, Any] = {}
        if schema is not None:
            shape = {"name": "answer", "strict": True, "schema": schema}
            form = {"response_format": {"type": "json_schema", "json_schema": shape}}
        plain_messages: Any = list(messages)  # role and content; the client has a type for each role
        body = bytearray()
        try:
            with (
                self._client(deadline) as client,
                client.chat.completions.with_streaming_response.create(
                    model=self.model, messages=plain_messages, **form
                ) as response,
            ):
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        raise EndpointError("the answer is longer than any sentence")
                    # The client's own limit holds for each read: a server that drips would never reach it.
                    if time.monotonic() > deadline:
                        raise EndpointError("no answer in time")
        except EndpointError:
            raise
        except APIStatusError as error:
            status = error.status_code
            what = "redirects to another place" if 300 <= status < 400 else f"answers with status {status}"
            raise EndpointError(f"the endpoint {what}", status=status) from error
        except (
            Exception
        ) as error:  # also what the HTTP library raises that openai brings, under whatever name
            kind = type(error).__name__
            cause = "no answer in time" if "Timeout" in kind else f"the endpoint cannot be asked ({kind})"
            raise EndpointError(cause) from error
        return bytes(body)

    def _client(self, deadline: float) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        seconds = max(0.1, deadline - time.monotonic())
        client = OpenAI(
            base_url=self._base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=seconds,
            default_headers={"Accept-Encoding": "identity"},
            # A redirect would carry the text to a host that nobody named.
            http_client=DefaultHttpxClient(follow_redirects=False, timeout=seconds),
        )
        # What the environment has for other programs is not for this host.
        client.organization = client.project = None
        return client


def _content(body: bytes) -> str:
    """The text of a chat completion."""
    try:
        text = json.loads(body.decode("utf-8"))["choices"][0]["message"]["content"]
    except UnicodeDecodeError as error:
        raise EndpointError("the answer is not UTF-8") from error
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise EndpointError("the answer is no chat completion") from error
    if not isinstance(text, str):
        raise EndpointError("the answer holds no text")
    return text


def _host(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not base_url.isprintable() or " " in base_url:
        raise OptionError("DOCAUDIT_LLM_BASE_URL is no http or https address", remedy=_REMEDY)
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"
