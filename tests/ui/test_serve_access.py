"""Who may talk to the server of the workbench, told by headers alone."""

from __future__ import annotations

import pytest

from m4review.errors import M4ReviewError
from m4review.serving.access import COOKIE, Access, RequestRefusedError, loopback_address
from m4review.serving.session import LARGEST_SIDE, within_reason


@pytest.fixture
def access() -> Access:
    return Access("127.0.0.1", 8123)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("127.8.4.2", "127.8.4.2"),
    ],
)
def test_every_name_of_this_machine_itself_can_be_served(name: str, address: str) -> None:
    assert loopback_address(name) == address


@pytest.mark.parametrize(
    "name", ["0.0.0.0", "::", "192.168.1.7", "ward.example", "", "localhost.evil.test", "2130706433"]
)
def test_an_address_that_others_reach_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(M4ReviewError, match="this machine only") as refusal:
        loopback_address(name)
    assert "SSH" in (refusal.value.fix or "")


@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123"])
def test_its_own_page_under_either_name_is_let_in(access: Access, host: str) -> None:
    access.check_origin({"Host": host})
    access.check_origin({"Host": host, "Origin": f"http://{host}"}, required=True)


@pytest.mark.parametrize(
    "host",
    ["", "127.0.0.1", "127.0.0.1:8124", "evil.test:8123", "127.0.0.1.evil.test:8123", "localhost", "0.0.0.0:8123"],
)
def test_a_name_made_to_point_here_is_refused(access: Access, host: str) -> None:
    with pytest.raises(RequestRefusedError) as refusal:
        access.check_origin({"Host": host})
    assert refusal.value.status == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.test", "null", "", "http://127.0.0.1", "http://127.0.0.1:8124", "https://127.0.0.1:8123",
     "http://localhost:8123", "http://127.0.0.1:8123.evil.test", "http://127.0.0.1:8123/"],
)  # fmt: skip
def test_another_page_is_refused_also_one_of_another_port_of_this_machine(access: Access, origin: str) -> None:
    with pytest.raises(RequestRefusedError) as refusal:
        access.check_origin({"Host": "127.0.0.1:8123", "Origin": origin})
    assert refusal.value.status == 403


def test_a_socket_must_say_which_page_opens_it(access: Access) -> None:
    with pytest.raises(RequestRefusedError):
        access.check_origin({"Host": "127.0.0.1:8123"}, required=True)


def test_the_link_opens_once(access: Access) -> None:
    access.redeem(access.token)
    with pytest.raises(RequestRefusedError, match="used already"):
        access.redeem(access.token)


@pytest.mark.parametrize("token", ["", "x", "é", "x" * 43])
def test_a_wrong_token_is_refused_and_leaves_the_link_good(access: Access, token: str) -> None:
    with pytest.raises(RequestRefusedError):
        access.redeem(token)
    access.redeem(access.token)


def test_the_cookie_is_neither_the_token_nor_guessable(access: Access) -> None:
    other = Access("127.0.0.1", 8123)
    assert len({access.token, access.cookie, access.path, other.token, other.cookie, other.path}) == 6
    for cookies in ({}, {COOKIE: ""}, {COOKIE: access.token}, {COOKIE: other.cookie}):
        with pytest.raises(RequestRefusedError):
            access.check_cookie(cookies)
    access.check_cookie({COOKIE: access.cookie})


def test_what_is_printed_of_it_in_an_error_holds_no_secret(access: Access) -> None:
    assert not any(secret in repr(access) for secret in (access.token, access.cookie, access.path))


def test_the_link_to_the_ipv6_loopback_is_one_that_browsers_read() -> None:
    assert Access("::1", 9).link.startswith("http://[::1]:9/?token=")


def test_port_80_may_be_left_out_of_the_name() -> None:
    Access("127.0.0.1", 80).check_origin({"Host": "localhost", "Origin": "http://localhost"})


@pytest.mark.parametrize(
    ("told", "cells"),
    [(80, 80), ("200", 200), (0, 1), (-5, 1), (10**9, LARGEST_SIDE), ("wide", 24), (None, 24), ([], 24)],
)
def test_a_made_up_size_of_the_window_stays_within_reason(told: object, cells: int) -> None:
    assert within_reason(told, 24) == cells
