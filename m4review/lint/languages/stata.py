"""Signals of Stata, SAS and SPSS: commands that open a line, steps that end with a semicolon or a full stop."""

from __future__ import annotations

from m4review.lint.signals import Signal, after, at, leading

STATA_LEFT = r"(?:qui(?:etly)?[ \t]+)?"

SIGNALS = (
    Signal(
        "stata",
        ("replace",),
        leading(r"replace[ \t]+\w+[ \t]*=[ \t]*[^\n]{1,60}?[ \t]if[ \t]+[\w!(]+[ \t]*[<>=!~]", 4.0),
        0.8,
    ),
    Signal("stata", ("collapse",), at(r"collapse[ \t]*\(\w+\)[^\n]{1,80},[ \t]*by\(", 4.0), 0.8),
    Signal("stata", ("gen", "egen", "generate"), leading(r"e?gen(?:erate)?[ \t]+\w+[ \t]*=[ \t]*\S", 4.0), 0.8),
    Signal("stata", ("foreach",), at(r"foreach[ \t]+\w+[ \t]+of[ \t]+(?:varlist|local|numlist|global)\b", 4.0), 0.8),
    Signal("stata", ("merge",), at(r"merge[ \t]+[1mn]:[1mn][ \t]+\w+", 4.0), 0.8),
    Signal("stata", ("label",), leading(r"label[ \t]+define[ \t]+\w+[ \t]+-?\d+[ \t]+\"", 4.0), 0.8),
    Signal("stata", ("recode",), at(r"recode[ \t]+\w+[ \t]+\([^()\n]{1,40}=", 4.0), 0.8),
    Signal(
        "sas",
        ("proc",),
        at(r"proc[ \t]+(?:sql|means|sort|freq|summary|transpose|univariate)[ \t]*(?:data[ \t]*=|;)", 4.0),
        0.5,
    ),
    Signal(
        "stata",
        ("by", "bys", "bysort", "qui", "quietly"),
        leading(
            rf"{STATA_LEFT}by(?:s(?:ort)?)?[ \t]+[\w ]+(?:\([\w ]+\))?[ \t]*(?:,[ \t]*sort[ \t]*)?:[ \t]*(?:gen|"
            rf"egen|replace|keep|drop|sum|su|count)\w*\b",
            4.0,
        ),
        0.8,
    ),
    Signal(
        "stata",
        ("egen", "gen", "generate"),
        at(r"(?:egen|gen(?:erate)?)[ \t]+(?:(?:byte|int|long|float|double|str\d*)[ \t]+)?\w+[ \t]*=", 3.0),
        0.8,
    ),
    Signal(
        "stata",
        (
            "collapse",
            "merge",
            "reshape",
            "joinby",
            "import",
            "use",
            "insheet",
            "tsset",
            "xtset",
            "tsfill",
            "save",
            "foreach",
            "forvalues",
            "rangejoin",
            "duplicates",
            "gsort",
        ),
        leading(
            r"(?:collapse[ \t]*\(\w+\)|merge[ \t]+[1mn]:[1mn]\b|joinby[ \t]+\w+_\w+|"
            r"reshape[ \t]+(?:wide|long)[ \t]+\w+|import[ \t]+delimited\b|use[ \t]+(?:\"?[\w./-]+\.dta|"
            r"\"?\w+\"?,[ \t]*clear)|insheet[ \t]+using|(?:tsset|xtset)[ \t]+\w+_\w+|tsfill[ \t]*(?:\n|"
            r",)|save[ \t]+\"?[\w./]+\"?,[ \t]*replace|foreach[ \t]+\w+[ \t]+(?:of|in)[ \t][^\n]*\{|"
            r"forvalues[ \t]+\w+[ \t]*=|rangejoin[ \t]+\w+|duplicates[ \t]+drop[ \t]+\w+_\w+|"
            r"gsort[ \t]+[-+]?\w)",
            3.5,
        ),
        0.8,
    ),
    Signal(
        "stata",
        ("collapse", "merge"),
        at(
            r"(?:collapse[ \t]+\((?:max|min|mean|sum|first|last|median|count|p50)\)|merge[ \t]+[1mn]:[1mn][ \t]+\w+)",
            3.5,
        ),
        0.8,
    ),
    Signal(
        "stata",
        ("keep", "drop"),
        leading(r"(?:keep|drop)[ \t]+if[ \t]+!?\(?(?:\w+[ \t]*(?:[<>=~!]=?)|(?:inrange|inlist|missing|mi)\()", 2.25),
        0.8,
    ),
    Signal("stata", ("keep", "drop"), at(r"(?:keep|drop)[ \t]+if[ \t]+\w+[ \t]*==", 2.25), 0.8),
    Signal("stata", ("replace",), leading(r"replace[ \t]+\w+[ \t]*=[ \t]*\S+[ \t]+if\b", 3.0), 0.8),
    Signal("stata", ("sort", "keep"), leading(r"(?:sort|keep)[ \t]+\w+_\w+(?:[ \t]+\w+)*[ \t]*(?:\n|\Z)", 1.75), 0.8),
    Signal(
        "stata",
        ("summarize", "summarise", "su", "sum", "tab", "tabulate", "list", "count", "browse", "mean", "assert"),
        leading(r"[a-z]+(?:[ \t]+\w+){1,4}[ \t]+if[ \t]+(?=!?\(?\w+[ \t]*(?:[=!~]=|[<>]=?))", 2.5),
        0.8,
    ),
    Signal("stata", ("inrange", "inlist"), at(r"(?:inrange|inlist)\(\w+[ \t]*,", 1.5), 0.5),
    Signal(
        "sas",
        ("proc",),
        leading(r"proc[ \t]+(?:sql|means|sort|freq|summary|import|transpose|univariate)\b[^\n]*;", 4.0),
        0.5,
    ),
    Signal("spss", ("compute",), leading(r"compute[ \t]+\w+[ \t]*=[ \t]*\S[^\n]{0,80}\.[ \t]*(?:\n|\Z)", 3.0), 0.6),
    Signal("spss", ("recode",), at(r"recode[ \t]+\w+[ \t]*\([^()\n]{0,40}\bthru\b", 4.0), 0.6),
    Signal(
        "spss",
        ("if",),
        leading(r"if[ \t]+\([^()\n]{1,80}\)[ \t]+\w+[ \t]*=[ \t]*[\w.'\"-]+\.[ \t]*(?:\n|\Z)", 3.0),
        0.8,
    ),
    Signal("spss", ("select", "do"), leading(r"(?:select|do)[ \t]+if[ \t]*\(?[ \t]*\w+[ \t]*[<>=]", 3.0), 0.8),
    Signal("spss", ("outfile", "break"), after(r"/\s?", r"(?:outfile|break)[ \t]*=", 2.5), 0.8),
    Signal("spss", ("execute", "exe"), leading(r"exe(?:cute)?[ \t]*\.[ \t]*(?:\n|\Z)", 1.5), 0.8),
    Signal("sas", ("data", "set"), leading(r"(?:data|set|merge)[ \t]+[\w.]+(?:[ \t]+\w+)*[ \t]*;", 2.5), 0.7),
    Signal(
        "sas",
        ("run", "quit", "by", "retain", "output"),
        leading(r"(?:run|quit|output|by[ \t]+\w+(?:[ \t]+\w+)*|retain[ \t]+\w+)[ \t]*;", 1.5),
        0.7,
    ),
)

LITERALS: tuple[tuple[str, Signal], ...] = (
    ("%", Signal("sas macro", (), at(r"%(?:macro|mend|let|do|sysfunc)\b[ \t]*[\w(;]", 3.5), 0.5)),
    ("%mend", Signal("sas macro end", (), at(r"%mend\b", 2.0), 0.5)),
)
