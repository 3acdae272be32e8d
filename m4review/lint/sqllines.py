"""Lines that are a piece of a query as a whole: a keyword first, one column, one row of literals."""

from __future__ import annotations

import re

from m4review.lint.pattern import Pattern

TUPLE_LINE = Pattern(r"^[ \t]*\(\s*(?:'[^'\n]*'|-?\d[\d.]*|null)\s*,[^\n]*\)[ \t]*[,;]?[ \t]*$", re.M)
"""A line that is one row of literals, as in a values list."""
KEYWORD_LINE = Pattern(
    r"^[ \t]*(?:SELECT|FROM|WHERE|(?:LEFT|RIGHT|INNER|FULL|CROSS|OUTER)(?: OUTER)? JOIN|JOIN|"
    r"GROUP BY|ORDER BY|HAVING|CASE|WHEN|ELSE|"
    r"END|UNION(?: ALL)?|WITH|LIMIT|AND|OR|ON|USING|PARTITION BY|QUALIFY|INSERT|VALUES)\b(?=[^\n]*[\w)(*]|[ \t]*$)",
    re.M,
)
"""A line that begins with a keyword in capitals."""
COLUMN_LINE = Pattern(
    r"^[ \t]{0,80}(?P<comma>,?)[ \t]{0,20}(?!e\.g|i\.e|mimic|eicu|www)[a-z]\w*\.(?!md\b|csv\b|com\b|org\b|"
    r"py\b|toml\b|pdf\b)[a-z_]\w*"
    r"(?:[ \t]+as[ \t]+\w+)?[ \t]*(?P<trailing>,?)[ \t]*$",
    re.M,
)
"""A line that is nothing but an aliased column, as in a select list."""
LISTED_COLUMN = Pattern(
    r"^[ \t]*(?P<name>[a-z]\w+(?:[ \t]?[-+*/][ \t]?\d+(?=[ \t]+as[ \t]))?)(?:[ \t]+as[ \t]+[a-z]\w*)?,[ \t]*$", re.M
)
"""A line that is one name and a comma."""
