"""Signals of Scala, JavaScript, Java, C and MATLAB: bindings, braces, arrows and statements."""

from __future__ import annotations

from m4review.lint.signals import Signal, after, at, leading

SIGNALS = (
    Signal(
        "c-like function",
        ("private", "public", "static", "int", "double", "float", "void", "bool", "boolean", "string"),
        at(r"(?:(?:private|public|static|final)[ \t]+)*[a-z]\w*[ \t]+[a-z]\w*[ \t]*\([^)\n]{0,300}\)[ \t\n]*\{", 4.0),
        0.6,
    ),
    Signal(
        "matlab",
        ("function",),
        leading(r"function[ \t]+(?:\[?[\w, ]+\]?[ \t]*=[ \t]*)?\w+\([\w, ]*\)[ \t]*(?:\n|\Z)", 3.0),
        0.5,
    ),
    Signal("matlab", ("elseif", "elif", "elsif"), leading(r"els?e?if[ \t]+[\w.(]+[ \t]*[<>=~!]", 2.5), 0.6),
    Signal(
        "scala",
        ("val", "var", "let", "const"),
        leading(r"(?:val|var|let|const)[ \t]+\w+[ \t]*=[ \t]*\w+(?:\.\w+)*[.(]\w*[(\"]", 3.0),
        0.5,
    ),
    Signal(
        "c-like",
        ("if", "for", "while", "else"),
        at(r"(?:if|for|while|else[ \t]+if)[ \t]*\([^\n{}]{0,200}\)[ \t]*\{", 3.0),
        0.6,
    ),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ("=>", Signal("arrow function", (), after(r"[(,=\s]\(?\w+(?:\s*,\s*\w+)*\)?\s*", r"=>\s*\w+[.\[(]\w", 2.5), 0.6)),
    ("->", Signal("arrow function", (), after(r"[(,=]\s*\(?\w+(?:\s*,\s*\w+)*\)?\s*", r"->\s*\w+[.\[:(]", 2.5), 0.6)),
    ('$"', Signal("scala", (), at(r"\$\"\w+\"", 2.5), 0.6)),
    (" ? ", Signal("choice", (), after(r"[<>=]=?\s*[\w.]+", r" \? (?:-?\d[\d.]*|'[^'\n]*'|null) : \S", 2.5), 0.6)),
    (
        ";\n",
        Signal(
            "statement",
            (),
            after(r"\n[ \t]*[a-z_][\w.]*[ \t]*[-+*/]?=[ \t]*[^;=\n]{1,60}", r";\n", 1.25, reach=90),
            0.5,
        ),
    ),
)
