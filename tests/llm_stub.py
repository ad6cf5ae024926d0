"""A stub of an OpenAI-compatible endpoint on loopback, which answers what a test tells it: the truth, or lies."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[BaseHTTPRequestHandler], None]


class Stub:
    """The endpoint: what it was sent, and what it answers next; the last answer is repeated."""

    def __init__(self, replies: list[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    def next(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.requests.append(json.loads(body))
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        reply(handler)


@contextmanager
def serving(*replies: Reply) -> Iterator[Stub]:
    stub = Stub(list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                stub.next(self)
            except OSError:
                self.close_connection = True  # the client hung up, as some of these answers make it do

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()


def raw(body: bytes, status: int = 200, **headers: str) -> Reply:
    """These bytes as they are."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        given = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        handler.send_response(status)
        for name, value in given.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def said(content: Any) -> Reply:
    """A chat completion with this content; anything but text becomes JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
    message = {"role": "assistant", "content": text}
    completion = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    return raw(json.dumps(completion).encode())


def status(code: int, body: bytes = b'{"error": {"message": "no"}}', **headers: str) -> Reply:
    return raw(body, code, **headers)


def dripping(seconds: float) -> Reply:
    """One byte now and then: no single read ever times out."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    return reply


def silent(seconds: float) -> Reply:
    return lambda handler: time.sleep(seconds)


def endless(handler: BaseHTTPRequestHandler) -> None:
    """An answer without an end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65536)


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    """Half of what was announced."""
    handler.send_response(200)
    handler.send_header("Content-Length", "4000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "{')
    handler.close_connection = True
