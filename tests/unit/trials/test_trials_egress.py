"""What sidecars log becomes evidence: every attempt once, with its end, and honest about what is missing."""

from __future__ import annotations

import json

import pytest

from m4review.trials.sandbox.egress import (
    MOST_EVENTS,
    EgressLog,
    egress_lines,
    engine_time,
    merged,
    model_log,
    proxy_log,
    since,
)

BEGIN = b"2030-01-01T10:00:00.000000001Z m4review-begin"


def proxy_lines(*said: str, start: int = 1) -> list[bytes]:
    """tinyproxy's lines as the engine hands them out."""
    return [
        f"2030-01-01T10:00:{second:02d}.123456789Z CONNECT   Jan 01 10:00:{second:02d}.123 [1]: {text}".encode()
        for second, text in enumerate(said, start=start)
    ]


def test_each_request_to_the_proxy_gets_its_own_end_though_lines_are_interleaved():
    log = proxy_log(
        [
            BEGIN,
            *proxy_lines(
                "Request (file descriptor 4): CONNECT allowed.test:443 HTTP/1.1",
                "Request (file descriptor 5): CONNECT forbidden.test:443 HTTP/1.1",
                "Request (file descriptor 6): CONNECT allowed.test:8443 HTTP/1.1",
                'Proxying refused on filtered url "forbidden.test:443"',
                "Refused CONNECT method on port 8443",
                'Established connection to host "allowed.test" using file descriptor 9.',
                "Request (file descriptor 4): GET http://allowed.test/secret?key=1 HTTP/1.1",
                'Proxying refused on filtered url "http://allowed.test/secret?key=1"',
            ),
        ]
    )
    assert [(event.kind, event.host, event.port, event.status) for event in log.events] == [
        ("connect", "allowed.test", 443, 200),
        ("refused", "forbidden.test", 443, 403),
        ("refused", "allowed.test", 8443, 403),
        ("refused", "allowed.test", 80, 403),
    ]
    assert log.events[-1].request == "GET http://allowed.test/secret", "a query may hold what must not be kept"
    assert log.complete


def test_a_host_that_does_not_answer_is_an_attempt_without_status():
    log = proxy_log([BEGIN, *proxy_lines("Request (file descriptor 4): CONNECT allowed.test:443 HTTP/1.1")])
    assert [(event.kind, event.status) for event in log.events] == [("connect", None)]


@pytest.mark.parametrize("line", ["garbage", "GET / HTTP/1.1", "CONNECT [::1]:443 HTTP/1.1", "GET x:1@y:2 HTTP/1.1"])
def test_nonsense_is_recorded_and_breaks_nothing(line):
    (event,) = proxy_log([BEGIN, *proxy_lines(f"Request (file descriptor 4): {line}")]).events
    assert event.request.split()[0] == line.split()[0]


def test_an_agent_cannot_write_lines_of_its_own_into_the_log():
    forged = 'Request (file descriptor 4): CONNECT x"using[1]:Established\tconnection\x1b[2J:443 HTTP/1.1'
    log = proxy_log(
        [BEGIN, *proxy_lines(forged, 'Proxying refused on filtered url "Request (file descriptor 1): a b"')]
    )
    assert len(log.events) == 1
    assert log.events[0].status is None
    assert "\x1b" not in log.events[0].host + log.events[0].request


def test_long_targets_that_the_proxy_cut_are_still_matched():
    target = "a" * 900 + ":443"
    lines = proxy_lines(
        f"Request (file descriptor 4): CONNECT {target[:760]}", f'Proxying refused on filtered url "{target[:700]}'
    )
    (event,) = proxy_log([BEGIN, *lines]).events
    assert event.status == 403


def test_the_model_s_log_tells_status_size_and_path_without_query():
    entry = {"status": 429, "bytes": 120, "method": "POST", "path": "/v1/messages"}
    lines = [BEGIN, b"2030-01-01T10:00:09.5Z " + json.dumps(entry).encode(), b"2030-01-01T10:00:10Z not json"]
    (event,) = model_log(lines, "api.test", 443).events
    assert (event.kind, event.host, event.port, event.status, event.bytes) == ("model", "api.test", 443, 429, 120)
    assert event.request == "POST /v1/messages"


def test_a_log_whose_first_line_is_gone_is_said_to_be_incomplete():
    lines = proxy_lines("Request (file descriptor 4): CONNECT allowed.test:443 HTTP/1.1")
    assert not proxy_log(lines).complete
    assert not model_log([], "api.test", 443).complete
    assert not merged([proxy_log(lines), EgressLog((), complete=True)]).complete


def test_a_flood_is_cut_and_said():
    line = proxy_lines("Request (file descriptor 4): CONNECT a.test:443 HTTP/1.1")
    log = proxy_log([BEGIN, *line * (MOST_EVENTS + 5)])
    assert len(log.events) == MOST_EVENTS
    assert not log.complete


def test_what_came_before_the_agent_is_the_proof_s_and_left_out():
    log = proxy_log(
        [
            BEGIN,
            *proxy_lines("Request (file descriptor 4): CONNECT proof.test:443 HTTP/1.1"),
            *proxy_lines("Request (file descriptor 4): CONNECT agent.test:443 HTTP/1.1", start=9),
        ]
    )
    kept = since(log, engine_time("2030-01-01T10:00:05.000000000Z"))
    assert [event.host for event in kept.events] == ["agent.test"]
    assert [json.loads(line)["host"] for line in egress_lines(kept).splitlines()] == ["agent.test"]
