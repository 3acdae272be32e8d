"""Tests of a text: ``is `A` or `B```, ``contains``, ``begins with``, ``is one of the invasive modes``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .lexicon import Token
from .terms import TextTest, Value
from .wording import NUMBER_WORDS, Unreadable

if TYPE_CHECKING:
    from .grammar import Sentence

_MANNERS = {"contains": "contains", "containing": "contains", "begins": "begins", "starts": "begins", "ends": "ends",
            "beginning": "begins", "is": "is", "are": "is"}  # fmt: skip


def read_text_test(sentence: Sentence, value: Value) -> TextTest | None:
    """The test that stands next in the sentence about ``value``; nothing is taken where none stands there.

    Raises:
        Unreadable: a test that starts like one and goes on otherwise.
    """
    steps = 0
    manner, negated = "is", False
    while sentence.ahead(steps).kind == "word" or sentence.ahead(steps).text == "=":
        word = sentence.ahead(steps).text
        if word in {"exactly", "the", "with", "any", "of", "either", "=", "text", "does"}:
            pass
        elif word == "not":
            negated = True
        elif word == "contain":
            manner = "contains"
        elif word in _MANNERS:
            manner = _MANNERS[word]
        elif word == "one":
            if not _texts_follow(sentence, steps + 1):
                return _listed(sentence, value, steps, manner, negated)
        else:
            return None
        steps += 1
    if sentence.ahead(steps).kind != "span":
        return None
    for _ in range(steps):
        sentence.advance()
    texts = [sentence.advance().text]
    while _joins_another(sentence):
        texts.append(sentence.advance().text)
    characters = _followed(sentence)
    manner = "begins" if characters else manner
    return TextTest(value, manner, tuple(texts), _any_case(sentence), negated, characters=characters)


def starts_test(token: Token) -> bool:
    """Whether ``token``, behind a text in backticks, makes that text the subject of a condition."""
    return token.kind in {"op", "sign"} or token.text in {*_MANNERS, "does", "missing", "present", "not", "empty"}


def _texts_follow(sentence: Sentence, steps: int) -> bool:
    """Whether ``of (the)`` and a text in backticks stand ahead."""
    while sentence.ahead(steps).text in {"of", "the", "these"}:
        steps += 1
    return sentence.ahead(steps).kind == "span"


def _joins_another(sentence: Sentence) -> bool:
    """Take ``, `` / ``or`` / ``, or`` before another text in backticks."""
    steps = 0
    if sentence.ahead(steps) == Token("mark", ","):
        steps += 1
    if sentence.ahead(steps) in {Token("word", "or"), Token("word", "nor")}:
        steps += 1
    if steps == 0 or sentence.ahead(steps).kind != "span":
        return False
    following = sentence.ahead(steps + 1)
    if following.kind in {"op", "word"} and following.text in {
        "is",
        "contains",
        "begins",
        "ends",
        "<",
        ">",
        "<=",
        ">=",
    }:
        return False  # the text starts another condition
    for _ in range(steps):
        sentence.advance()
    return True


def _any_case(sentence: Sentence) -> bool:
    """``in any case`` / ``(any case)``."""
    for words in (("in", "any", "case"), ("(", "any", "case", ")"), ("(", "in", "any", "case", ")")):
        if tuple(sentence.ahead(step).text for step in range(len(words))) == words:
            for _ in words:
                sentence.advance()
            return True
    return False


def _followed(sentence: Sentence) -> tuple[int, ...]:
    """``followed by exactly one or two characters``."""
    if sentence.ahead(0) != Token("word", "followed"):
        return ()
    counts: list[int] = []
    sentence.advance()
    while sentence.ahead(0).kind in {"word", "number"}:
        word = sentence.advance().text
        if word in NUMBER_WORDS:
            counts.append(NUMBER_WORDS[word])
        elif re.fullmatch(r"\d{1,2}", word):
            counts.append(int(word))
        elif word in {"character", "characters"}:
            break
        elif word not in {"by", "exactly", "or"}:
            raise Unreadable(f"cannot read {word!r}; write 'followed by one or two characters'")
    return tuple(counts)


def _listed(sentence: Sentence, value: Value, steps: int, manner: str, negated: bool) -> TextTest:
    """``is one of the NAME OF A LIST`` up to the next joint."""
    for _ in range(steps + 1):
        sentence.advance()
    words: list[str] = []
    # A list may be called by words that are names elsewhere.
    while sentence.ahead(0).kind in {"word", "name"} and sentence.ahead(0).text not in {"and", "or", "in", "when"}:
        words.append(sentence.advance().text)
    name = " ".join(word for word in words if word not in {"of", "the", "below", "above", "listed", "these"})
    if not name:
        raise Unreadable("'one of' without the name of a list")
    return TextTest(value, manner, (), _any_case(sentence), negated, name)
