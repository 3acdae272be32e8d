"""Lint: what a skill may not contain, and the gate that keeps it out of the history."""

from m4review.lint.context import LintContext, TaskIndex, context_for
from m4review.lint.engine import SourceFile, lint_files, lint_text, rules
from m4review.lint.finding import Finding, LintRefusal, LintReport, Severity
from m4review.lint.gate import lint_message, record_version
from m4review.lint.hooks import hooks_installed, install_hooks, remove_hooks
from m4review.lint.inputs import lint_all, lint_between, lint_paths, lint_staged
from m4review.lint.rule import Example, Hit, Rule

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
