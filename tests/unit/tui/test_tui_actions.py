"""The registry of actions: what keys, bar, help and palette are made from."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from m4review.tui.actions import ACTIONS, bindings_of
from m4review.tui.render.help import ON_COMMAND_LINE
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.compare import CompareScreen
from m4review.tui.screens.consensus import ConsensusScreen
from m4review.tui.screens.home import HomeScreen
from m4review.tui.screens.recover import RecoverScreen
from m4review.tui.screens.review import ReviewScreen
from m4review.tui.screens.setup import SetUpScreen
from m4review.tui.screens.trial import TrialScreen
from m4review.tui.screens.workbench import WorkbenchScreen

SCREENS: tuple[type[ActionScreen], ...] = (
    HomeScreen,
    WorkbenchScreen,
    ReviewScreen,
    SetUpScreen,
    ConsensusScreen,
    CompareScreen,
    TrialScreen,
    RecoverScreen,
)
LOST_IN_TMUX = {"ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+left_square_bracket", "ctrl+enter", "alt+enter"}
GIT_WORDS = ("commit", "branch", "checkout", "staged", "repository", "HEAD")


def test_every_screen_has_its_actions_and_every_list_has_its_screen() -> None:
    assert {screen.room for screen in SCREENS} == set(ACTIONS) == set(ON_COMMAND_LINE)


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.room)
def test_every_listed_action_can_be_done(screen: type[ActionScreen]) -> None:
    assert [
        action.id for action in ACTIONS[screen.room] if not callable(getattr(screen, f"do_{action.id}", None))
    ] == []


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.room)
def test_everything_that_can_be_done_is_listed(screen: type[ActionScreen]) -> None:
    doable = {name.removeprefix("do_") for name in dir(screen) if name.startswith("do_")}
    assert doable == {action.id for action in ACTIONS[screen.room]}


@pytest.mark.parametrize("room", ACTIONS)
def test_no_key_means_two_things_on_one_screen_and_all_survive_tmux(room: str) -> None:
    keys = [action.key or action.letter for action in ACTIONS[room]]
    keys += [action.also for action in ACTIONS[room] if action.also]
    assert len(keys) == len(set(keys))
    assert not LOST_IN_TMUX & set(keys)


@pytest.mark.parametrize("room", ACTIONS)
def test_a_letter_is_never_taken_from_someone_who_types(room: str) -> None:
    assert [action.id for action in ACTIONS[room] if len(action.key) == 1 and action.even_while_typing] == []


@pytest.mark.parametrize("room", ACTIONS)
def test_no_git_word_on_the_main_path(room: str) -> None:
    said = " ".join(f"{action.label} {action.says}" for action in ACTIONS[room])
    assert [word for word in GIT_WORDS if word in said] == []


@pytest.mark.parametrize("room", ACTIONS)
def test_bindings_carry_id_label_and_tooltip(room: str) -> None:
    with_keys = [action for action in ACTIONS[room] if action.key]
    first = [binding for binding in bindings_of(room) if not str(binding.id).endswith(".also")]
    for binding, action in zip(first, with_keys, strict=True):
        assert isinstance(binding, Binding)
        assert (binding.id, binding.description, binding.tooltip) == (f"{room}.{action.id}", action.label, action.says)


@pytest.mark.parametrize("room", ACTIONS)
def test_a_second_key_does_the_same_and_only_where_nobody_types(room: str) -> None:
    first = {binding.id: binding for binding in bindings_of(room)}
    seconds = [action for action in ACTIONS[room] if action.also]
    assert {action.id for action in seconds} == {"help", "jump"}
    for action in seconds:
        second = first[f"{room}.{action.id}.also"]
        assert (second.key, second.action, second.priority) == (action.also, f"perform('{action.id}')", False)
