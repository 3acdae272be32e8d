"""What stands in for the outside, and for a neighbour: one server on the ports of a model, of a web server and others.

It stands alone (``python3 -c``). Every connection is answered; ``GET /echo`` repeats the headers of the request, as a
server might that means no harm and gives a key away. As a name server it knows nobody. The line ``ready`` tells that it
listens.
"""

import http.server
import socketserver
import threading

PORTS = (80, 443, 8000, 8443)


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers everything with the request's own headers."""

    def do_GET(self) -> None:
        """Answer."""
        body = f"stand-in\n{self.headers}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 - named by the standard library

    def log_message(self, *_: object) -> None:
        """Say nothing: the request may hold the planted key."""


class NoSuchName(socketserver.DatagramRequestHandler):
    """Answers every question for a name with "no such name"."""

    def handle(self) -> None:
        """Answer."""
        question = self.rfile.read(512)
        self.wfile.write(question[:2] + b"\x81\x83" + question[4:])


def main() -> None:
    """Listen on every port until the end."""
    servers: list[socketserver.BaseServer] = [
        http.server.ThreadingHTTPServer(("0.0.0.0", port), Echo) for port in PORTS
    ]
    servers.append(socketserver.ThreadingUDPServer(("0.0.0.0", 53), NoSuchName))
    threads = [threading.Thread(target=server.serve_forever) for server in servers]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
