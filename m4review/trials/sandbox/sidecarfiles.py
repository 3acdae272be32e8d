"""What a run's sidecars are told: nginx where the model is and which key to add, tinyproxy which hosts to let through.

nginx adds the key because it is a stock program that streams unbuffered, verifies TLS, and can take a key that the
server repeats out of the answer (``sub_filter``). The files are made here and put into the sidecar's memory; a key is
never part of a command line, an environment, a label or a log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from m4review.errors import TrialError
from m4review.trials.sandbox.job import ModelServer, NetworkNeed

SOURCE = Path(__file__).parent / "recipes" / "sidecars"
CONFIGURATION = "/run/sidecar"
COMPLETE = "complete"
"""The file whose presence tells a sidecar that its configuration is whole."""

HOST_ITSELF = "host.docker.internal"
"""How a sidecar reaches a server that runs on the engine's own machine."""

KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key")
PUBLIC_AUTHORITIES, ALL_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt", "/tmp/authorities.pem"
KEY_CHARACTERS = re.compile(r"[A-Za-z0-9._~+/=:@,-]+")
HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*")
PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*/?")


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model server's address, checked."""

    scheme: str
    host: str
    port: int
    path: str
    """Without a slash at its end; empty for the whole server."""

    @property
    def origin(self) -> str:
        """Scheme, host and port as a URL."""
        return f"{self.scheme}://{self.host}:{self.port}"


def parse_upstream(address: str) -> Upstream:
    """Take a model server's address apart.

    Raises:
        TrialError: it is not an address that a sidecar can use.
    """
    expected = "https://host[:port][/path], or http:// for a server of one's own"
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise TrialError("the model server's address cannot be read", expected=expected) from None
    if parts.username or parts.password:
        raise TrialError("the model server's address holds a user or password", expected=expected)
    whole = parts.scheme in {"http", "https"} and not parts.query and not parts.fragment
    if not whole or not HOST_NAME.fullmatch(host) or not PATH.fullmatch(parts.path):
        raise TrialError(f"not an address of a model server: {address!r}", expected=expected)
    if host == "localhost" or host.endswith(".localhost") or host.startswith("127."):
        raise TrialError(
            f"{host} would be the sidecar itself",
            where=address,
            expected=f"{HOST_ITSELF} for a server on the engine's own machine",
            fix=f"use {HOST_ITSELF} and let the server listen on the address of the Docker bridge",
        )
    return Upstream(parts.scheme, host, port or (443 if parts.scheme == "https" else 80), parts.path.rstrip("/"))


def check_need(need: NetworkNeed) -> None:
    """Refuse a need that the sidecars cannot serve, before anything is started.

    Raises:
        TrialError: an address, host name or key that cannot be used; a key is never shown.
    """
    if need.model is not None:
        parse_upstream(need.model.upstream)
        if need.model.header.lower() not in KEY_HEADERS:
            raise TrialError(
                f"keys do not travel in {need.model.header!r}", expected="one of " + ", ".join(KEY_HEADERS)
            )
        key = "" if need.model.key is None else need.model.key.reveal()
        if need.model.key is not None and not KEY_CHARACTERS.fullmatch(key):
            raise TrialError(
                "the model's key is empty or holds characters that no key has",
                expected="letters, digits and . _ ~ + / = : @ , -",
                fix="check for a blank, a quote or a line end around the key",
            )
        if not re.fullmatch(r"[A-Za-z]* ?", need.model.prefix):
            raise TrialError(f"a key cannot begin with {need.model.prefix!r}", expected="'Bearer ' or nothing")
    for host in need.allowed_hosts:
        if not HOST_NAME.fullmatch(host) or _is_address(host):
            raise TrialError(f"not a host's exact name: {host!r}", expected="like api.example.org, lower case, no port")


def model_files(model: ModelServer, address: str) -> dict[str, bytes]:
    """The configuration of the key-adding proxy that listens on ``address``.

    Raises:
        TrialError: the server's address or its certificates cannot be read.
    """
    upstream = parse_upstream(model.upstream)
    files = {}
    if model.certificates is not None:
        try:
            files["authorities.pem"] = model.certificates.read_bytes()
        except OSError as error:
            raise TrialError(f"cannot be read ({error.strerror})", where=model.certificates) from None
    filled = {
        "ADDRESS": address,
        # Without a path nginx hands the request's own path on as it came.
        "UPSTREAM": upstream.origin + (f"{upstream.path}/" if upstream.path else ""),
        "HOST": upstream.host,
        "AUTHORITIES": ALL_AUTHORITIES if files else PUBLIC_AUTHORITIES,
    }
    return {"nginx.conf": _fill("nginx.conf", filled), "key.conf": _key_lines(model).encode(), **files}


def proxy_files(hosts: tuple[str, ...], address: str) -> dict[str, bytes]:
    """The configuration of the allow-listing proxy that listens on ``address``."""
    dot, plain = ".", "\\."
    rules = "".join(f"^{host.replace(dot, plain)}:443$\n" for host in hosts)
    return {"tinyproxy.conf": _fill("tinyproxy.conf", {"ADDRESS": address}), "allowed": rules.encode()}


def _key_lines(model: ModelServer) -> str:
    """Every header that could carry a key is the sidecar's own: what the agent sends in them goes no further."""
    value = "" if model.key is None else model.prefix + model.key.reveal()
    lines = [f'proxy_set_header {name} "{value if name == model.header.lower() else ""}";\n' for name in KEY_HEADERS]
    if model.key is not None:
        # A compressed answer could not be searched for the key.
        lines.append('proxy_set_header Accept-Encoding "";\n')
        lines += ["sub_filter_types *;\nsub_filter_once off;\n", f'sub_filter "{model.key.reveal()}" "[key]";\n']
    return "".join(lines)


def _fill(name: str, values: dict[str, str]) -> bytes:
    text = (SOURCE / name).read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda found: values.get(found.group(1), found.group()), text).encode()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return all(part.isdigit() or part.startswith("0x") for part in host.split("."))
    return True
