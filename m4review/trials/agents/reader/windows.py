"""Time windows: ``from 6 hours before to 24 hours after ICU admission, both ends included``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .markdown import Passage, Place
from .wording import NUMBER_WORDS, Unreadable, number, plain

_AMOUNT = rf"(?:\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)})"
_UNIT = r"(?:minutes?|min|hours?|hrs?|h|days?|d|(?:calendar )?months?)"
_STEP = rf"{_AMOUNT} ?{_UNIT}"
_ANCHOR = r"[a-z][a-z -]{0,60}?"
_END = r"(?=[,.;:(]|$| both | start | end | inclusive| exclusive| and includes)"
_WINDOW = re.compile(
    rf"\b(?:from|between) (?:(?P<b>{_STEP}) (?P<bside>before|after)(?: (?P<banchor>{_ANCHOR}))?|(?P<bat>{_ANCHOR}))"
    rf" (?:to|until|and)"
    rf" (?:(?P<e>{_STEP}) (?P<eside>before|after|later)(?: (?P<eanchor>{_ANCHOR}))?|(?P<eat>{_ANCHOR})){_END}"
)
_BEFORE = re.compile(
    rf"\b(?:any time|at any time|everything|whenever) (?:before|up to|until) "
    rf"(?:(?P<e>{_STEP}) (?P<eside>before|after) )?(?P<anchor>{_ANCHOR}){_END}"
)
_CUT = re.compile(rf",? or (?:until |to |up to )?(?P<anchor>{_ANCHOR}), whichever (?:comes|is) (?:first|earlier)")
_FIRST = re.compile(rf"\b(?:the )?first (?P<e>{_STEP}) (?:after|of|from) (?P<anchor>{_ANCHOR}){_END}")

_MINUTES = {"m": 1, "h": 60, "d": 1440}


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes relative to the anchor; an end that is ``None`` is open. ``label`` is the bold or leading name of the
    window, or empty."""

    label: str
    anchor: str
    start: int | None
    end: int | None
    start_included: bool
    end_included: bool
    place: Place
    cut: str = ""
    """An event that ends the window when it comes before the end."""
    end_anchor: str = ""
    """The event the end is counted from, where it is not the anchor."""
    through: bool = False
    """No window of time: the entry runs through the whole row, from its start to its end."""
    start_months: int = 0
    end_months: int = 0
    """Calendar months beside the minutes."""
    in_progress: bool = False
    """No window of time: the entry is in progress at the anchor; the ends are those of the entry."""

    @property
    def same_as(self) -> tuple[object, ...]:
        """What must agree for two windows to be one."""
        return (
            self.anchor,
            self.start,
            self.end,
            self.start_included,
            self.end_included,
            self.cut,
            self.end_anchor,
            self.start_months,
            self.end_months,
        )


def any_time(place: Place) -> Window:
    """The window that holds every moment."""
    return Window("", "", None, None, True, True, place)


def running_through(place: Place) -> Window:
    """The entries that run through the whole row."""
    return Window("", "", None, None, True, True, place, through=True)


_IN_PROGRESS = re.compile(rf"(?:entries )?in progress at (?P<anchor>{_ANCHOR}){_END}")


def in_progress(text: str, place: Place) -> Window | None:
    """``in progress at the EVENT, start included, end excluded``; ``None`` where a text says something else.

    Raises:
        Unreadable: it is not said whether the ends of the entry belong to it.
    """
    match = _IN_PROGRESS.match(plain(text))
    if match is None:
        return None
    included = _ends(plain(text)[match.end() :])
    return Window("", _anchor(match["anchor"]), None, None, *included, place, in_progress=True)


def speaks_of_window(text: str) -> bool:
    """Whether a text states a window with a start and an end."""
    sentence = plain(text)
    return any(form.search(sentence) for form in (_WINDOW, _FIRST, _BEFORE))


def parse_window(passage: Passage) -> Window:
    """Read the one window a passage states.

    Raises:
        Unreadable: no window, several different ones, no anchor, or ends whose inclusion is not said.
    """
    sentence = plain(passage.text)
    cut = _CUT.search(sentence)
    if cut:
        sentence = sentence[: cut.start()] + sentence[cut.end() :]
    spans = [match for form in (_WINDOW, _FIRST, _BEFORE) for match in form.finditer(sentence)]
    if not spans:
        raise Unreadable("no window of the form 'from 6 hours before to 24 hours after ICU admission'")
    if len(spans) > 1:
        raise Unreadable("one passage states several windows")
    match = spans[0]
    label = _label(passage.text)
    if match.re is _BEFORE:
        minutes, months = _offset(match["e"], match["eside"])
        last = _ends(sentence[match.end() :], end_only=True)[1]
        return Window(label, _anchor(match["anchor"]), None, minutes, True, last, passage.place, end_months=months)
    included = _ends(sentence[match.end() :])
    if match.re is _FIRST:
        anchor, start = _anchor(match["anchor"]), (0, 0)
        end = _offset(match["e"], "after")
    else:
        named = [_anchor(match[group]) for group in ("banchor", "bat", "eanchor", "eat") if match[group]]
        if not named:
            raise Unreadable("the window has no anchor")
        anchor = named[0]
        ending = named[-1]
        start = _offset(match["b"], match["bside"])
        end = _offset(match["e"], match["eside"])
    if end[::-1] <= start[::-1] and (match.re is _FIRST or ending == anchor):
        raise Unreadable("the window ends before it starts")
    ends_at = _anchor(cut["anchor"]) if cut else ""
    other = "" if match.re is _FIRST or ending == anchor else ending
    return Window(
        label,
        anchor,
        start[0],
        end[0],
        *included,
        place=passage.place,
        cut=ends_at,
        end_anchor=other,
        start_months=start[1],
        end_months=end[1],
    )


def _offset(step: str | None, side: str) -> tuple[int, int]:
    """A step as minutes and calendar months, negative before the event; no step is none of both."""
    if not step:
        return 0, 0
    match = re.fullmatch(rf"({_AMOUNT}) ?({_UNIT})", step)
    if match is None:
        raise Unreadable(f"cannot read the duration {step!r}")
    sign = -1 if side == "before" else 1
    if match.group(2).endswith(("month", "months")):
        months = number(match.group(1))
        if months != int(months) or months > 12:
            raise Unreadable(f"the duration {step!r} is not a number of months within a year")
        return 0, sign * int(months)
    minutes = number(match.group(1)) * _MINUTES[match.group(2)[0]]
    if minutes != int(minutes) or minutes > 60 * 24 * 366:
        raise Unreadable(f"the duration {step!r} is not a number of minutes within a year")
    return sign * int(minutes), 0


def _anchor(text: str) -> str:
    return re.sub(r"^(?:the|a|an) ", "", text.strip())


def _ends(rest: str, end_only: bool = False) -> tuple[bool, bool]:
    clause = re.split(r"(?<=[a-z)])\. ", rest, maxsplit=1)[0]
    if re.search(
        r"\bboth ends (?:are )?(?:included|inclusive)|\binclusive of both ends|\bboth (?:included|inclusive)\b", clause
    ):
        return True, True
    if re.search(r"\bboth ends (?:are )?excluded|\bboth excluded\b", clause):
        return False, False
    start = re.search(r"\bstart (?:is )?(included|excluded)", clause)
    end = re.search(r"\bend (?:is )?(included|excluded)", clause)
    if end and (end_only or end.group(1) == "excluded") and not start:
        return True, end.group(1) == "included"
    if start and end:
        return start.group(1) == "included", end.group(1) == "included"
    if start and start.group(1) == "excluded":
        return False, True
    raise Unreadable("it is not said whether both ends of the window belong to it")


def _label(text: str) -> str:
    bold = re.match(r"\s*(?:The )?\*\*([^*]+?)[.:]?\*\*", text)
    if bold:
        return plain(bold.group(1)).rstrip(".:")
    lead = re.match(r"\s*([\w -]{3,40}):", text)
    return plain(lead.group(1)) if lead else ""
