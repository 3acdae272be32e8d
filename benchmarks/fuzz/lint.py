"""A bounded hunt for texts that the lint reads wrongly, crashes on, or takes too long for.

``make lint-fuzz FUZZ_SECONDS=900 FUZZ_SEED=7`` runs it. The time is processor time of this process, shared by four
hunts: the named shapes of ``tests/unit/lint/lint_shapes.py`` at growing length, random pieces repeated at growing
length, mutations of the corpus and of the shipped skills, and texts made by hypothesis. Each failure is shrunk and
printed with its input. The exit code is 1 when there was one.
"""

from __future__ import annotations

import argparse
import math
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "unit" / "lint"))

from corpus import load  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402
from lint_properties import check_all, findings_of, forget_lines  # noqa: E402
from lint_shapes import SHAPES, repeated  # noqa: E402
from lint_texts import FRAGMENTS, PROSE, SIGNS, files  # noqa: E402

from m4review.lint import languages, query, rules  # noqa: E402

HEAD = "---\nname: example\ndescription: d\n---\n"
LENGTHS = (8_000, 16_000, 32_000)
LIMIT_SECONDS = 10.0
"""A text that takes longer hangs."""
STEEPEST = 1.45
"""Exponent of growth that is still called linear: twice the text, 2.7 times the time."""
NOTICEABLE_SECONDS = 0.25
"""Growth counts only where the longest text takes this long; below, the clock is coarser than the answer."""
SHARES = {"shapes": 0.2, "pieces": 0.3, "mutations": 0.3, "hypothesis": 0.2}


class HungError(Exception):
    """The time for one text is over."""


@dataclass
class Hunt:
    """What was tried, what fired, what failed."""

    tried: Counter[str] = field(default_factory=Counter)
    characters: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    mutators: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str, bytes]] = field(default_factory=list)
    last: bytes = b""
    """The text of hypothesis that was tried last: the smallest one, when it has shrunk a failure."""

    def note(self, kind: str, data: bytes) -> None:
        self.tried[kind] += 1
        self.characters[kind] += len(data)

    def fail(self, kind: str, what: str, data: bytes) -> None:
        if not any(what == known for _, known, _ in self.failures):
            self.failures.append((kind, what, data))
            print(f"FAILED ({kind}): {what}\n  input: {_shown(data)}", flush=True)


def main() -> int:
    """Run the four hunts and print what they covered."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60, help="processor time (default 60)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    signal.signal(signal.SIGPROF, _hung)
    hunt = Hunt()
    started = time.process_time()
    for name, run in (("shapes", shapes), ("pieces", pieces), ("mutations", mutations), ("hypothesis", strategies)):
        begun = time.process_time()
        run(hunt, random.Random(f"{chosen.seed} {name}"), begun + SHARES[name] * chosen.seconds)
        print(f"{name}: {hunt.tried[name]:,} texts, {hunt.characters[name]:,} bytes, {_since(begun)} s", flush=True)
    silent = sorted(set(rules()) - set(hunt.fired))
    print(f"\n{_since(started)} s, seed {chosen.seed}; {len(hunt.fired)} of {len(rules())} rules fired")
    print("never fired:", ", ".join(silent) or "none")
    print("mutations:", ", ".join(f"{name} {count:,}" for name, count in hunt.mutators.most_common()))
    print(f"{len(hunt.failures)} failures")
    return 1 if hunt.failures else 0


# -- growth -----------------------------------------------------------------------------------------------------------


def shapes(hunt: Hunt, chance: random.Random, end: float) -> None:
    """Each named shape at growing length, in an order that differs by seed."""
    for name in chance.sample(sorted(SHAPES), len(SHAPES)):
        if time.process_time() < end:
            _grow(hunt, "shapes", name, SHAPES[name])


def pieces(hunt: Hunt, chance: random.Random, end: float) -> None:
    """Pieces of one to four words and signs of the rules, repeated."""
    vocabulary = [
        *query.BY_WORD,
        *languages.BY_WORD,
        *SIGNS,
        *(sign for sign, _ in (*query.SIGNS, *languages.LITERALS)),
    ]
    vocabulary += [word for text in (*FRAGMENTS, *PROSE) for word in text.split()]
    joints = ("", "", " ", "\n", "\t", "  ", "(", ", ", ".", "_", "=", " " * 60, "\n> ", "\n| ", "/")
    while time.process_time() < end:
        piece = "".join(chance.choice(vocabulary) + chance.choice(joints) for _ in range(chance.randint(1, 4)))
        shape = repeated(piece)
        if chance.random() < 0.3:
            opening, gap = chance.choice(vocabulary), chance.choice(joints)
            shape = _after(opening + gap, shape)
            piece = f"{opening}{gap} … {piece}"
        _grow(hunt, "pieces", repr(piece), shape)


def _after(opening: str, shape: Callable[[int], str]) -> Callable[[int], str]:
    return lambda length: opening + shape(length)


def _grow(hunt: Hunt, kind: str, name: str, shape: Callable[[int], str]) -> None:
    texts = [(HEAD + shape(length)).encode("utf-8", "replace") for length in LENGTHS]
    seconds: list[float] = []
    for data in texts:
        hunt.note(kind, data)
        taken = _timed(hunt, kind, data)
        if taken is None:
            hunt.fail(kind, f"{name}: hangs or crashes at {len(data):,} bytes", data[:200])
            return
        seconds.append(taken)
    if seconds[-1] > NOTICEABLE_SECONDS and _exponent(seconds) > STEEPEST:
        again = [min(first, _timed(hunt, kind, data) or first) for first, data in zip(seconds, texts, strict=True)]
        if _exponent(again) > STEEPEST:
            said = ", ".join(f"{1000 * value:.0f}" for value in again)
            hunt.fail(kind, f"{name}: time grows with exponent {_exponent(again):.2f} ({said} ms)", texts[0][:200])


def _exponent(seconds: list[float]) -> float:
    return math.log(seconds[-1] / max(seconds[0], 1e-6)) / math.log(LENGTHS[-1] / LENGTHS[0])


def _timed(hunt: Hunt, kind: str, data: bytes) -> float | None:
    forget_lines()
    begun = time.process_time()
    said = _trial(lambda: findings_of(data), hunt)
    if said is not None:
        print(f"  {kind}: {said}", flush=True)
        return None
    return time.process_time() - begun


# -- properties -------------------------------------------------------------------------------------------------------


def mutations(hunt: Hunt, chance: random.Random, end: float) -> None:
    """Texts of the corpus and shipped skills, changed a few times, against every property."""
    pool = [text.text for kind in ("contaminated", "clean") for text in load(kind)]
    pool += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "skills").glob("*/SKILL.md"))]
    while time.process_time() < end:
        text = chance.choice(pool)[:6_000]
        for _ in range(chance.randint(1, 6)):
            name, mutate = chance.choice(MUTATORS)
            hunt.mutators[name] += 1
            text = mutate(chance, text, pool)[:12_000]
        head = HEAD if chance.random() < 0.8 else ""
        data = (head + text).encode("utf-8", "surrogatepass" if chance.random() < 0.05 else "replace")
        if chance.random() < 0.05:
            place = chance.randrange(len(data) + 1)
            data = data[:place] + chance.randbytes(chance.randint(1, 4)) + data[place:]
        _judge(hunt, "mutations", data)


def strategies(hunt: Hunt, chance: random.Random, end: float) -> None:
    """Texts of hypothesis, in batches until the time is over; it shrinks them itself."""
    while time.process_time() < end:

        @seed(chance.getrandbits(32))
        @settings(
            max_examples=200,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(files)
        def batch(data: bytes) -> None:
            hunt.note("hypothesis", data)
            hunt.last = data
            _count(hunt, data)

        said = _trial(batch, hunt, LIMIT_SECONDS * 200)
        if said is not None:
            hunt.fail("hypothesis", said, hunt.last)


def _judge(hunt: Hunt, kind: str, data: bytes) -> None:
    hunt.note(kind, data)
    said = _trial(lambda: _count(hunt, data), hunt)
    if said is not None:
        hunt.fail(kind, said, _shrunk(data, lambda smaller: _trial(lambda: check_all(smaller), hunt) == said))


def _count(hunt: Hunt, data: bytes) -> None:
    hunt.fired.update({finding.rule for finding in check_all(data)})


def _trial(call: Callable[[], object], hunt: Hunt, limit: float = LIMIT_SECONDS) -> str | None:
    """What went wrong: a broken property, an exception, no end. ``None`` if nothing did."""
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        call()
    except AssertionError as error:
        return f"broken: {str(error).split(chr(10))[0].split(':')[0]}"
    except HungError:
        return f"no answer within {limit:g} s"
    except Exception as error:  # noqa: BLE001 - any exception of the lint is what is looked for
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = "" if place is None else f" in {Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}"
        return f"{type(error).__name__}{where}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _hung(number: int, frame: FrameType | None) -> None:
    raise HungError


def _shrunk(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """The smallest file found that fails the same way, by leaving out ever smaller parts."""
    size = max(1, len(data) // 2)
    budget = 400
    while size and budget > 0:
        place = 0
        while place < len(data) and budget > 0:
            smaller = data[:place] + data[place + size :]
            budget -= 1
            if fails(smaller):
                data = smaller
            else:
                place += size
        size //= 2
    return data


# -- mutations --------------------------------------------------------------------------------------------------------


def _splice(chance: random.Random, text: str, pool: list[str]) -> str:
    other = chance.choice(pool)
    place, start = chance.randrange(len(text) + 1), chance.randrange(len(other) + 1)
    return text[:place] + other[start : start + chance.randint(1, 400)] + text[place:]


def _sign(chance: random.Random, text: str, pool: list[str]) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(SIGNS) * chance.choice((1, 1, 1, 3, 40)) + text[place:]


def _cut(chance: random.Random, text: str, pool: list[str]) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + text[place + chance.randint(1, 200) :]


def _double(chance: random.Random, text: str, pool: list[str]) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + text[place : place + 60] * chance.randint(2, 20) + text[place:]


def _lines(chance: random.Random, text: str, pool: list[str]) -> str:
    mark = chance.choice(("> ", "- ", "  ", "| ", "# ", "1. ", "// ", "-- ", "\t", "\u200b"))
    return "\n".join(mark + line for line in text.split("\n"))


def _ends(chance: random.Random, text: str, pool: list[str]) -> str:
    return text.replace("\n", chance.choice(("\r\n", "\r", "\n\n", " ", "\u2028", "\x0b", "")))


def _case(chance: random.Random, text: str, pool: list[str]) -> str:
    return chance.choice((str.upper, str.lower, str.title, str.swapcase))(text)


def _shuffle(chance: random.Random, text: str, pool: list[str]) -> str:
    lines = text.split("\n")
    chance.shuffle(lines)
    return "\n".join(lines)


def _between(chance: random.Random, text: str, pool: list[str]) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(SIGNS).join(text[place : place + 80]) + text[place + 80 :]


def _encode(chance: random.Random, text: str, pool: list[str]) -> str:
    import base64

    place = chance.randrange(len(text) + 1)
    part = text[place : place + 200].encode("utf-8", "replace")
    way = chance.choice((base64.b64encode, base64.b32encode, bytes.hex))
    encoded = way(part)
    return text[:place] + (encoded if isinstance(encoded, str) else encoded.decode("ascii")) + text[place + 200 :]


def _characters(chance: random.Random, text: str, pool: list[str]) -> str:
    changed = list(text)
    for _ in range(min(20, len(changed))):
        changed[chance.randrange(len(changed))] = chr(chance.choice((chance.randrange(128), chance.randrange(0x11000))))
    return "".join(changed)


MUTATORS = tuple(
    (call.__name__.strip("_"), call)
    for call in (_splice, _sign, _cut, _double, _lines, _ends, _case, _shuffle, _between, _encode, _characters)
)


def _since(begun: float) -> str:
    return f"{time.process_time() - begun:.0f}"


def _shown(data: bytes) -> str:
    shown = repr(data)
    return shown if len(shown) <= 600 else f"{shown[:600]}… ({len(data):,} bytes)"


if __name__ == "__main__":
    sys.exit(main())
