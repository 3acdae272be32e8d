"""Secrets are replaced before anything is stored, wherever a read cuts them, and ordinary text stays as it is."""

from __future__ import annotations

import base64
import random

import pytest
from trials_bench import run_of

from m4review.trials import Outcome
from m4review.trials.literals import Haystack
from m4review.trials.secrets import LONGEST_HELD, SecretScreen, secrets_in

MODEL_KEY = "sk-proj-" + "Ab3" * 12
WEB_TOKEN = ".".join(
    base64.urlsafe_b64encode(b'{"a":"%d-some-claims"}' % part).decode().strip("=") for part in range(3)
)
PRIVATE = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXk\n" * 5 + "-----END OPENSSH PRIVATE KEY-----"
SECRETS = {
    "model key": MODEL_KEY,
    "Google key": "AIza" + "Sy0_" * 8 + "abc",
    "AWS key": "AKIA" + "Q7" * 8,
    "GitHub token": "ghp_" + "aB3" * 12,
    "Hugging Face token": "hf_" + "AbCdEf" * 6,
    "Slack token": "xoxb-" + "12345-" * 5 + "abc",
    "web token": WEB_TOKEN,
    "password in an address": "reader:hunter22",
}


def stored(text: str, screen: SecretScreen, *, step: int = 7) -> str:
    """What is stored of a text that comes in small pieces."""
    data = text.encode()
    stream = screen.stream("trace.jsonl")
    return b"".join(
        [*(stream.feed(data[at : at + step]) for at in range(0, len(data), step)), stream.finish()]
    ).decode()


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items())
def test_no_part_of_a_secret_is_stored_however_its_bytes_arrive(kind, secret):
    text = (
        f'first\n{{"text":"see\\n{secret}"}}\n' if kind != "password in an address" else f"\nat db://{secret}@host/x\n"
    )
    for step in (1, 7, 64, 10_000):
        screen = SecretScreen()
        kept = stored(text, screen, step=step)
        assert secret not in kept
        assert f"[redacted: {kind}, {len(secret)} characters]" in kept
        assert [(found.kind, found.line, found.length) for found in screen.found] == [(kind, 2, len(secret))]
        assert secret not in repr(screen)


def test_a_private_key_is_left_out_as_a_whole_and_the_lines_keep_their_numbers():
    screen = SecretScreen()
    kept = stored(f"a\n{PRIVATE}\nafter\n", screen)
    assert "b3BlbnNzaC1rZXk" not in kept
    assert kept.split("\n").index("after") == f"a\n{PRIVATE}\nafter\n".split("\n").index("after")
    assert [found.line for found in screen.found] == [2]


def test_the_first_line_of_a_key_cannot_hide_a_whole_trace():
    kept = stored("-----BEGIN PRIVATE KEY-----\n" + "z\n" * 40_000 + "the end\n", SecretScreen(), step=5000)
    assert "the end" in kept


def test_a_key_known_by_its_value_goes_whatever_it_looks_like_and_is_never_shown():
    screen = SecretScreen(known=(b"correct horse battery",))
    kept = stored("Incorrect key provided: correct horse battery.\n", screen)
    assert "horse" not in kept
    assert screen.found[0].beginning == ""
    assert "horse" not in repr(screen)


def test_a_key_in_a_line_that_never_ends_is_seen_too():
    padding = "x " * LONGEST_HELD
    kept = stored(padding + MODEL_KEY + " " + padding, SecretScreen(), step=1000)
    assert MODEL_KEY[:20] not in kept
    assert len(kept) > 2 * len(padding)


@pytest.mark.parametrize(
    "text",
    [
        "risk-adjusted-mortality-of-the-whole-cohort-by-year-2008",
        "sk-learn-like-pipelines-are-not-keys-at-all",
        "see https://example.invalid:8080/path@section and db://host:5432/icu",
        "the bearer of this note; Bearer m4review-no-key",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "sha256:" + "0123456789abcdef" * 4,
        "01HZX3K5Q7T9V1W2Y4Z6A8B0CD stay 30000001, item 220045",
    ],
)
def test_ordinary_text_is_stored_as_it_is(text):
    screen = SecretScreen()
    assert stored(text, screen) == text
    assert screen.found == []
    assert list(secrets_in(Haystack(text.encode()))) == []


def test_bytes_without_secrets_come_back_unchanged_however_they_are_cut():
    dice = random.Random(5)
    data = bytes(dice.choice(b"ab c\n\xff\x00-_.") for _ in range(60_000))
    stream = SecretScreen().stream("x")
    kept, at = b"", 0
    while at < len(data):
        step = dice.randrange(1, 5000)
        kept += stream.feed(data[at : at + step])
        at += step
    assert kept + stream.finish() == data


def test_nothing_a_run_keeps_holds_the_secret_that_its_agent_printed(workspace, try_script):
    row = f"printf 'stay_id,sirs\\n1,{MODEL_KEY}\\n' > {{output}}"
    summary = try_script(f"{row}; echo {MODEL_KEY}; echo 'Authorization: {MODEL_KEY}' >&2")
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.AUDIT_HOLD
    kept = [path for path in (workspace.runs_dir / record.id).rglob("*") if path.is_file()]
    assert {"trace.jsonl", "stderr.txt", "output.csv", "run.json"} <= {path.name for path in kept}
    assert [path.name for path in kept if MODEL_KEY.encode() in path.read_bytes()] == []
