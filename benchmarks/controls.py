"""What every skill is worth to the reader beside its controls: one line per task, on the oracle's rows.

    python benchmarks/controls.py [--condition C …] [--task T …] [--sandbox docker|local] [--json FILE]

The rows are those that the references are tested on, imported into a folder that is gone afterwards. Each task runs
once per condition, through the same function as ``m4review trial``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from m4review.ehr import build, import_dataset
from m4review.errors import M4ReviewError
from m4review.trials import CONTROLS, PAIR, Condition, TrialRequest, TrialSummary, parse_condition, run_trial
from m4review.workspace import Workspace

ROOT = Path(__file__).parents[1]
ORACLE = ROOT / "tests" / "oracle" / "data"
LAYOUTS = ("mimic-iv", "eicu")
USUAL = (*PAIR, Condition.OPERATIONAL_SPEC, Condition.DECOY)
SHORT = {Condition.OPERATIONAL_SPEC: "op-spec", Condition.SKILL_AS_TEXT: "as-text", Condition.ALL_SKILLS: "all-skills"}


def main() -> None:
    """Run everything and print the table; progress goes to standard error."""
    options = arguments()
    conditions = tuple(parse_condition(name) for name in options.condition) or USUAL
    with tempfile.TemporaryDirectory() as name:
        workspace, home = prepare(Path(name))
        cards = [entry.task for entry in workspace.tasks if entry.task is not None]
        chosen = [card.name for card in cards if not options.task or card.name in options.task]
        results: dict[str, TrialSummary | M4ReviewError] = {}
        for task in chosen:
            layout = workspace.task(task).database
            request = TrialRequest(task=task, conditions=conditions, dataset=layout, sandbox=options.sandbox, seed=1)
            try:
                results[task] = run_trial(workspace, request, environment={"M4REVIEW_DATA": str(home)})
            except M4ReviewError as error:
                results[task] = error
            print(".", end="", flush=True, file=sys.stderr)
        print(file=sys.stderr)
    print("\n".join(table(results, conditions)))
    if options.json:
        found = {task: one.model_dump(mode="json") for task, one in results.items() if isinstance(one, TrialSummary)}
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    named = ", ".join((*PAIR, *CONTROLS))
    parser.add_argument("--condition", action="append", default=[], help=f"one of {named}; repeatable")
    parser.add_argument("--task", action="append", default=[], help="only this task; repeatable")
    parser.add_argument("--sandbox", choices=["docker", "local"], default="local")
    parser.add_argument("--json", type=Path, help="also write the trial summaries there")
    return parser.parse_args()


def prepare(folder: Path) -> tuple[Workspace, Path]:
    """A copy of the shipped workspace, and a data home with the oracle's rows of each layout, built."""
    for part in ("skills", "tasks", "reviews"):
        shutil.copytree(ROOT / part, folder / "workspace" / part)
    workspace, home = Workspace(folder / "workspace"), folder / "data"
    for layout in LAYOUTS:
        dataset = import_dataset(home, layout, layout=layout, source=ORACLE / layout)
        build(dataset, [entry.task for entry in workspace.tasks if entry.task and entry.task.database == layout])
    return workspace, home


def table(results: dict[str, TrialSummary | M4ReviewError], conditions: Sequence[Condition]) -> Iterator[str]:
    """One line per task: reward per condition, and key F1 and strict pass of the skill's run; then the means."""
    width = max((len(task) for task in results), default=4) + 2
    heads = [SHORT.get(condition, condition.value) for condition in conditions]
    yield f"{'task':<{width}}" + "".join(f"{head:>12}" for head in heads) + f"{'key F1':>9}{'strict':>8}"
    for task, result in results.items():
        if isinstance(result, M4ReviewError):
            yield f"{task:<{width}}  {result.what}"
            continue
        rewards = "".join(f"{_figure(result.reward(condition)):>12}" for condition in conditions)
        skill = result.result(Condition.WITH_SKILL)
        passes = "" if skill is None else f"{skill.strict_passes} of {skill.counted}"
        yield f"{task:<{width}}{rewards}{_figure(None if skill is None else skill.key_f1):>9}{passes:>8}"
    scored = [result for result in results.values() if isinstance(result, TrialSummary)]
    means = []
    for condition in conditions:
        rewards = [reward for result in scored if (reward := result.reward(condition)) is not None]
        means.append(f"{_figure(sum(rewards) / len(rewards) if rewards else None):>12}")
    passed = sum(1 for result in scored if (one := result.result(Condition.WITH_SKILL)) and one.strict_passes)
    yield f"{f'mean of {len(scored)} tasks':<{width}}{''.join(means)}{'':>9}{f'{passed} of {len(scored)}':>8}"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
