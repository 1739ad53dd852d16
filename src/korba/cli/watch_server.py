"""One page for the browsers of this machine, which reload it when it changes.

A page that was opened from a file cannot ask whether the file has changed, and one that reloads
itself all the time flickers and forgets where one was. So a small server on 127.0.0.1 hands out
the page and a number that grows with each change, and nothing else; the page asks for the number.
Requests under another host's name are refused, so that no page of the network can read this one.
"""

from __future__ import annotations

import json
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from ..errors import FileError

HOST = "127.0.0.1"
EMPTY = "<!doctype html><html lang='en'><title>korba watch</title><body></body></html>"
SCRIPT = """<script>
(() => {
  const own = %d;
  const ask = async () => {
    try {
      const answer = await fetch("/number", {cache: "no-store"});
      if (answer.ok && Number(await answer.text()) !== own) { location.reload(); return; }
    } catch (error) { /* the server has ended, or is not there yet */ }
    setTimeout(ask, 400);
  };
  setTimeout(ask, 400);
})();
</script>"""
FAULT = (
    "<pre role='alert' style='position:fixed;inset:0 0 auto 0;z-index:99;margin:0;"
    "padding:12px 16px;max-height:50vh;overflow:auto;white-space:pre-wrap;"
    "font:13px/1.5 ui-monospace,monospace;background:#b3261e;color:#fff'>%s</pre>"
)


class PageServer:
    """The page, its number and its fault, served while it is open."""

    def __init__(self, port: int = 0) -> None:
        self.page, self.said, self.number = EMPTY, "", 0
        own = self

        class Handler(_Handler):
            served = own

        try:
            self.server = ThreadingHTTPServer((HOST, port), Handler)
        except OSError as error:
            raise FileError(
                f"port {port}: cannot be used ({error.strerror}); give another one with --port, or "
                "none for a free one"
            ) from error
        self.server.daemon_threads = True
        self.port = int(self.server.server_address[1])
        self.url = f"http://{HOST}:{self.port}/"

    def __enter__(self) -> Self:
        self._thread = Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def show(self, page: str) -> None:
        """Hand out a new page."""
        self.page, self.said, self.number = page, "", self.number + 1

    def fault(self, said: str) -> None:
        """Say what is wrong above the last good page."""
        self.said, self.number = said, self.number + 1

    def text(self) -> str:
        """The page with what makes it reload, and the fault if there is one."""
        more = SCRIPT % self.number + (FAULT % escape(self.said) if self.said else "")
        head, end, tail = self.page.rpartition("</body>")
        return f"{head}{more}{end}{tail}" if end else self.page + more


class _Handler(BaseHTTPRequestHandler):
    """Answers for `/` and `/number`, to this machine's own name only."""

    served: PageServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The page, or its number."""
        own = (f"{HOST}:{self.served.port}", f"localhost:{self.served.port}")
        if self.headers.get("Host") not in own:
            self._answer(HTTPStatus.MISDIRECTED_REQUEST, "not my name", "text/plain")
        elif self.path == "/":
            self._answer(HTTPStatus.OK, self.served.text(), "text/html")
        elif self.path == "/number":
            self._answer(HTTPStatus.OK, json.dumps(self.served.number), "text/plain")
        else:
            self._answer(HTTPStatus.NOT_FOUND, "there is only one page: /", "text/plain")

    def _answer(self, status: HTTPStatus, text: str, kind: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not printed."""
