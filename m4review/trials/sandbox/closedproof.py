"""Run in a container on a run's inner network, before the agent: what must be closed is, what must answer does.

The program stands alone (``python3 -c``), in the agent's own image and under its own restrictions. Its one argument is
a JSON object: ``gateways`` and ``outside`` addresses, ``names`` of ours that nobody may know, and whether there is a
``model`` or ``proxy`` sidecar. It prints one JSON object: each thing tried and what came of it.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

PATIENCE = 1.0
READY_SECONDS = 20


def connect(host: str, port: int) -> str:
    """How an attempt to connect ended; only silence and "no way there" mean closed."""
    try:
        with socket.create_connection((host, port), PATIENCE):
            return "connected"
    except ConnectionRefusedError:
        return "refused by a machine that is there"
    except OSError:
        return "closed"


def lookup(name: str) -> str:
    """Whether somebody knows the name."""
    try:
        return f"resolved to {socket.getaddrinfo(name, 443)[0][4][0]}"
    except OSError:
        return "no such name"


def status(host: str, port: int, request: str) -> str:
    """The status of an HTTP answer, waited for until the sidecar has come up."""
    until = time.monotonic() + READY_SECONDS
    while True:
        try:
            with socket.create_connection((host, port), 5) as stream:
                stream.sendall(request.encode())
                return stream.recv(64).decode("latin-1").split(" ")[1]
        except socket.gaierror:
            return "no answer"  # it was there before this program; a name that is gone does not come back
        except (OSError, IndexError):
            if time.monotonic() > until:
                return "no answer"
            time.sleep(0.05)


def main() -> None:
    """Try everything at the same time and print what came of it."""
    wish = json.loads(sys.argv[1])
    tries: dict[str, Callable[[], str]] = {}
    for host, port in wish["gateways"] + wish["outside"]:
        tries[f"connect {host}:{port}"] = partial(connect, host, port)
    for name in wish["names"]:
        tries[f"look up {name}"] = partial(lookup, name)
        if wish["proxy"]:
            request = f"CONNECT {name}:443 HTTP/1.1\r\nHost: {name}\r\n\r\n"
            tries[f"proxy to {name}"] = partial(status, "proxy", 8888, request)
    if wish["model"]:
        request = "GET /m4review-ready HTTP/1.1\r\nHost: model\r\nConnection: close\r\n\r\n"
        tries["model"] = partial(status, "model", 8080, request)
    told = {}

    def attempt(what: str) -> None:
        told[what] = tries[what]()

    threads = [threading.Thread(target=attempt, args=(what,)) for what in tries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
