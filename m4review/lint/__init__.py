"""Lint: what a skill may not contain, and the gate that keeps it out of the history. Parts are loaded on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.lint.context import LintContext, TaskIndex, context_for
    from m4review.lint.engine import SourceFile, lint_files, lint_text
    from m4review.lint.finding import Finding, LintRefusal, LintReport, Severity
    from m4review.lint.gate import lint_message, record_version
    from m4review.lint.hooks import hooks_installed, install_hooks, remove_hooks
    from m4review.lint.ingit import lint_between, lint_staged
    from m4review.lint.ondisk import lint_all, lint_paths
    from m4review.lint.rule import Example, Hit, Rule
    from m4review.lint.ruleset import rules

__all__ = [
    "Example",
    "Finding",
    "Hit",
    "LintContext",
    "LintRefusal",
    "LintReport",
    "Rule",
    "Severity",
    "SourceFile",
    "TaskIndex",
    "context_for",
    "hooks_installed",
    "install_hooks",
    "lint_all",
    "lint_between",
    "lint_files",
    "lint_message",
    "lint_paths",
    "lint_staged",
    "lint_text",
    "record_version",
    "remove_hooks",
    "rules",
]

_PARTS = {
    "context": ("LintContext", "TaskIndex", "context_for"),
    "engine": ("SourceFile", "lint_files", "lint_text"),
    "finding": ("Finding", "LintRefusal", "LintReport", "Severity"),
    "gate": ("lint_message", "record_version"),
    "hooks": ("hooks_installed", "install_hooks", "remove_hooks"),
    "ingit": ("lint_between", "lint_staged"),
    "ondisk": ("lint_all", "lint_paths"),
    "rule": ("Example", "Hit", "Rule"),
    "ruleset": ("rules",),
}
_HOMES = {name: part for part, names in _PARTS.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(f"m4review.lint.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
