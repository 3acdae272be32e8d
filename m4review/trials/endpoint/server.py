"""The server: which request is whose, how answers are sent, and what is recorded.

Every request is one line of JSON on standard output, which only the engine can read; keys are masked before.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .protocols import Chat, Gemini, Messages, Protocol, Responses
from .script import Delivery, delivery_of, reply_to

KEY_HEADERS = {"authorization", "x-api-key", "x-goog-api-key", "proxy-authorization", "cookie"}
STALL_SECONDS = 86_400
ROUTES: tuple[tuple[str, Protocol], ...] = (
    (r"/responses$", Responses),
    (r"/messages$", Messages),
    (r"/chat/completions$", Chat),
    (r"/models/(?P<model>[^/:]+):(?:stream)?[gG]enerateContent$", Gemini),
)


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    command_line = ""
    lock = threading.Lock()

    def do_GET(self) -> None:
        """Lists of models, and whatever else an agent asks for at its start."""
        self._record(None)
        if self.path.partition("?")[0].endswith("/models"):
            self._json(200, {"object": "list", "data": [], "models": []})
        elif self.path == "/alive":
            self._json(200, {"alive": True})
        else:
            self._json(404, {"error": {"message": "nothing here"}})

    def do_HEAD(self) -> None:
        """Some agents ask whether the server is there."""
        self._record(None)
        self._json(200, {})

    def do_POST(self) -> None:
        """A turn of a conversation, or a count of tokens."""
        length = int(self.headers.get("content-length") or 0)
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            body = None
        self._record(body)
        path = self.path.partition("?")[0]
        if not isinstance(body, dict):
            self._json(400, {"error": {"message": "not a JSON object"}})
            return
        if path.endswith(("/count_tokens", ":countTokens")):
            self._json(200, {"input_tokens": 1, "totalTokens": 1})
            return
        for pattern, protocol in ROUTES:
            found = re.search(pattern, path)
            if found:
                model = found.groupdict().get("model") or str(body.get("model", ""))
                self._answer(protocol, {**body, "model": model}, streamed="stream" in path or bool(body.get("stream")))
                return
        self._json(404, {"error": {"message": "nothing here"}})

    def _answer(self, protocol: Protocol, body: dict[str, Any], *, streamed: bool) -> None:
        conversation = protocol.read(body)
        delivery = delivery_of(conversation.model)
        if delivery.status != 200:
            self._json(delivery.status, protocol.error(delivery.status))
            return
        reply = reply_to(conversation, self.command_line)
        number = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
        if delivery.stall:
            self._begin_stream()
            time.sleep(STALL_SECONDS)
        if streamed:
            self._stream(protocol, protocol.events(reply, number, conversation.model), delivery)
        elif delivery.cut:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            time.sleep(delivery.pause)
            self._json(200, protocol.whole(reply, number, conversation.model))

    def _stream(self, protocol: Protocol, events: Iterator[tuple[str | None, dict[str, Any]]], how: Delivery) -> None:
        self._begin_stream()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            text = f"{head}data: {json.dumps(data)}\n\n".encode()
            if how.cut:
                self.wfile.write(text[: len(text) // 2])
                return
            self.wfile.write(text)
            self.wfile.flush()
            time.sleep(how.pause)
        if protocol is Chat:
            self.wfile.write(b"data: [DONE]\n\n")

    def _begin_stream(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.flush()

    def _json(self, status: int, value: dict[str, Any]) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def _record(self, body: object) -> None:
        if self.path == "/alive":
            return
        headers = {name.lower(): masked(name, value) for name, value in self.headers.items()}
        path = re.sub(r"([?&]key=)[^&]+", r"\1(hidden)", self.path)
        entry = {"time": time.time(), "method": self.command, "path": path, "headers": headers, "body": body}
        with self.lock:
            print(json.dumps(entry), flush=True)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the standard library
        """Nothing beside the records."""


def masked(name: str, value: str) -> str:
    """A header as it may be kept: of a key only how it is announced, its length and a fingerprint."""
    if name.lower() not in KEY_HEADERS:
        return value
    scheme, space, key = value.rpartition(" ")
    fingerprint = hashlib.sha256(key.encode()).hexdigest()[:12]
    return f"{scheme}{space}(hidden, {len(key)} characters, {fingerprint})"


def main() -> None:
    """Serve until stopped."""
    words = argparse.ArgumentParser(prog="endpoint", description=__doc__)
    words.add_argument("--port", type=int, default=8080)
    words.add_argument("--command", required=True, help="the shell command that writes the output")
    given = words.parse_args()
    Handler.command_line = given.command
    server = ThreadingHTTPServer(("0.0.0.0", given.port), Handler)
    server.daemon_threads = True
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)
