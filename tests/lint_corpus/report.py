"""What the lint finds in the corpus: precision and recall by family, each miss, and recall by mutation.

``python tests/lint_corpus/report.py`` prints it; the exit code is 1 when a clean text is refused, when a whole query or
program passes, or when fewer than 95 % of the contaminated texts are refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "lint"))

from corpus import MUTATIONS, Text, lint, load

from m4review.lint import rules

AIM = 0.95


def main() -> int:
    """Print the report and return the exit code."""
    contaminated, clean = load("contaminated"), load("clean")
    print(f"{len(contaminated)} contaminated texts, {len(clean)} clean texts\n")
    missed = [text for text in contaminated if not _refused(text)]
    alarms = {text.name: sorted({item.rule for item in lint(text).errors}) for text in clean}
    false = {name: found for name, found in alarms.items() if found}
    _by_family(contaminated, missed, false)
    _by_mutation(contaminated)
    _listing("missed", [f"{text.name} ({text.rule})" for text in missed])
    _listing("clean but refused", [f"{name} ({', '.join(found)})" for name, found in false.items()])
    warned = [text.name for text in clean if lint(text).warnings]
    _listing("clean with a warning (allowed)", warned)
    whole = [text.name for text in missed if text.whole]
    refused = 1 - len(missed) / len(contaminated)
    print(f"\nrefused {refused:.1%} of the contaminated texts (aim {AIM:.0%}), {len(false)} of the clean ones (aim 0)")
    return 1 if false or whole or refused < AIM else 0


def _by_family(contaminated: list[Text], missed: list[Text], false: dict[str, list[str]]) -> None:
    """Recall: texts refused by the rule they were written for. Precision: of all texts the family refuses, those that
    are contaminated by it or by anything else."""
    known = rules()
    total = Counter(_family(text) for text in contaminated)
    lost = Counter(_family(text) for text in missed)
    alarms = Counter(known[rule].family for found in false.values() for rule in {*found})
    print(f"{'family':<16}{'texts':>6}{'refused':>9}{'recall':>8}{'precision':>11}")
    for family in dict.fromkeys(rule.family for rule in known.values()):
        count, hits = total[family], total[family] - lost[family]
        recall = f"{hits / count:.0%}" if count else "–"
        precision = f"{hits / (hits + alarms[family]):.0%}" if hits + alarms[family] else "–"
        print(f"{family:<16}{count:>6}{hits:>9}{recall:>8}{precision:>11}")


def _by_mutation(contaminated: list[Text]) -> None:
    """Recall of each family's texts in another dress: refused at all (hiding a text is a finding by itself), and in the
    last column by the rule that refuses the text undressed."""
    texts = [text for text in contaminated if text.path == "SKILL.md" and text.mode == "100644" and text.text.strip()]
    texts = [text for text in texts if _family(text) not in {"structure", "front-matter"} and _in_body(text)]
    families = list(dict.fromkeys(_family(text) for text in texts))
    print(f"\n{'mutation':<18}" + "".join(f"{family:>15}" for family in families) + f"{'all':>8}{'same rule':>11}")
    for name, mutate in MUTATIONS.items():
        kept: Counter[str] = Counter()
        same = 0
        for text in texts:
            errors = lint(text, mutate(text.text)).errors
            kept[_family(text)] += bool(errors)
            same += any(item.rule == text.rule for item in errors)
        cells = "".join(
            f"{kept[family] / sum(_family(text) == family for text in texts):>15.0%}" for family in families
        )
        print(f"{name:<18}{cells}{sum(kept.values()) / len(texts):>8.0%}{same / len(texts):>11.0%}")


def _in_body(text: Text) -> bool:
    """Whether what is wrong stands in the body, so that another dress of the body changes it."""
    return not any(item.rule == text.rule for item in lint(text, "# Title\n").errors)


def _refused(text: Text) -> bool:
    return any(item.rule == text.rule for item in lint(text).errors)


def _family(text: Text) -> str:
    assert text.rule is not None
    return rules()[text.rule].family


def _listing(head: str, lines: list[str]) -> None:
    print(f"\n{head}: {len(lines) or 'none'}")
    for line in lines:
        print(f"  {line}")


if __name__ == "__main__":
    sys.exit(main())
