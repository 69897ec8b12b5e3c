"""An HTTP server on 127.0.0.1 that answers what a test tells it, and keeps what it was asked."""

import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class Request:
    """What a client sent."""

    method: str
    path: str
    query: dict
    headers: dict
    body: object


@dataclass
class Reply:
    """What the server answers. `release` holds the reply back until it is set."""

    status: int = 200
    body: object = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    content_type: str = "application/json"
    release: threading.Event | None = None
    drip: threading.Event | None = None
    """One byte at a time until this is set: no single read takes long, the whole never ends."""

    def payload(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()


class Loopback:
    """The running server: its address, what it was asked, and how it answers from now on."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.url = ""


@contextmanager
def serve(answer: Callable[[Request], Reply]):
    """Run a server for the length of a block; its port is the system's choice."""
    loopback = Loopback(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self):
            split = urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(length) if length else b""
            request = Request(
                self.command,
                split.path,
                parse_qs(split.query),
                {name.lower(): value for name, value in self.headers.items()},
                json.loads(raw) if raw else None,
            )
            loopback.requests.append(request)
            self._reply(loopback.answer(request))

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle  # noqa: N815 # http.server's names

        def _reply(self, reply):
            if reply.release is not None:
                reply.release.wait()
            payload = reply.payload()
            try:
                self.send_response(reply.status)
                self.send_header("content-type", reply.content_type)
                self.send_header("content-length", str(len(payload)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self._write(payload, reply.drip)
            except (BrokenPipeError, ConnectionResetError):
                return  # The client gave up, which is what the test is about.

        def _write(self, payload, drip):
            sent = 0
            while drip is not None and sent < len(payload) and not drip.wait(0.01):
                self.wfile.write(payload[sent : sent + 1])
                self.wfile.flush()
                sent += 1
            self.wfile.write(payload[sent:])

        def log_message(self, *_):
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    loopback.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield loopback
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
