"""Who may talk to the server: this machine's browser, from the server's own pages, after showing the one-time token.

Any page that somebody has open can send requests to a port of their machine, under any name that its owner makes
resolve to 127.0.0.1. So three things are checked, on pages and on the socket alike: the name that was asked for, the
page that asks, and a cookie that only the printed link gives.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from m4review.errors import M4ReviewError

COOKIE = "m4review"


class RequestRefusedError(M4ReviewError):
    """A request that the server does not answer; ``status`` is the HTTP code of the refusal."""

    def __init__(self, status: int, what: str, fix: str) -> None:
        super().__init__(what, fix=fix)
        self.status = status


def loopback_address(name: str) -> str:
    """The loopback address that ``name`` stands for; ``localhost`` is 127.0.0.1.

    Raises:
        M4ReviewError: it is another name, or an address that other machines can reach.
    """
    if name == "localhost":
        return "127.0.0.1"
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise M4ReviewError(
            f"the workbench is served to this machine only, not on {name!r}",
            expected="127.0.0.1, ::1 or localhost",
            fix="leave --host out; from elsewhere, use the terminal over SSH",
        )
    return str(address)


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(slots=True)
class Access:
    """What one run of the server accepts.

    The pages lie under a path that nobody can guess, and the cookie is bound to it: cookies are shared by all ports of
    a machine, so that another local server would be sent one that is bound to ``/``.
    """

    address: str
    port: int
    token: str = field(default_factory=_secret, repr=False)
    path: str = field(default_factory=lambda: f"/{secrets.token_urlsafe(12)}", repr=False)
    _cookie: str = field(default_factory=_secret, repr=False)
    _is_token_used: bool = False

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which a browser of this machine asks for the server; the first is the one that is printed."""
        own = f"[{self.address}]" if ":" in self.address else self.address
        names = (own, "localhost")
        return tuple(f"{name}:{self.port}" for name in names) + (names if self.port == 80 else ())

    @property
    def link(self) -> str:
        """The address to open, with the token; good once."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The value that stands for the person who used the token."""
        return self._cookie

    def check_origin(self, headers: Mapping[str, str], *, required: bool = False) -> None:
        """Refuse another host name than ours, and requests that another page makes.

        Args:
            required: the request must say which page makes it, as every browser does when a page opens a socket.

        Raises:
            RequestRefusedError: the server does not go by that name, or another page asks.
        """
        host = headers.get("Host", "")
        if host not in self.hosts:
            raise RequestRefusedError(
                421, "this server does not go by the name it was asked for", "open the printed link"
            )
        origin = headers.get("Origin")
        if (origin is None and required) or (origin is not None and origin != f"http://{host}"):
            raise RequestRefusedError(
                403, "another page than the workbench's asks for it", "open the printed link in a new window"
            )

    def redeem(self, token: str) -> None:
        """Take the one-time token of the printed link.

        Raises:
            RequestRefusedError: there is none, it is another one, or it was used before.
        """
        again = "stop m4review serve with Ctrl+C, start it again and open the link that it prints"
        if not token:
            raise RequestRefusedError(
                403, "the link of this workbench is needed", "open the whole link that m4review serve printed"
            )
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            raise RequestRefusedError(
                403, "this is not the link of this workbench", "open the link that m4review serve printed last"
            )
        if self._is_token_used:
            raise RequestRefusedError(403, "this link was used already; it opens one browser, once", again)
        self._is_token_used = True

    def check_cookie(self, cookies: Mapping[str, str]) -> None:
        """Let in only the browser that used the token.

        Raises:
            RequestRefusedError: the cookie is missing or another one.
        """
        if not secrets.compare_digest(cookies.get(COOKIE, "").encode(), self._cookie.encode()):
            raise RequestRefusedError(
                403, "this browser has not opened the link of this workbench", "open the printed link"
            )
