"""The first page of an evidence bundle: what it is, what lies where, what it lacks, and how it is checked."""

from __future__ import annotations

from collections.abc import Iterable

from m4review.campaigns import bundleparts as parts
from m4review.campaigns.bundleparts import BundleCard


def readme(card: BundleCard, files: Iterable[str]) -> str:
    """What the bundle is, what lies where, and how it is checked."""
    told = [f"- {note}" for note in notes_of(card)]
    names = list(files)
    traces = sum(name.startswith("traces/") for name in names)
    return "\n".join(
        [
            f"# Evidence of the campaign {card.campaign}",
            "",
            f"{card.title}. {card.runs} runs, made by m4review {card.tool_version} from a plan that was frozen before "
            "the first run.",
            "",
            *(["## Not finished", "", *told, ""] if told else []),
            "## What lies where",
            "",
            "| file | holds |",
            "|---|---|",
            f"| `{parts.RUNS}` | one row per run, aggregate metrics only |",
            "| `reports/` | the report as Markdown, LaTeX and one page, its figures, and every figure as JSON |",
            f"| `{parts.PLAN}`, `{parts.MANIFEST}` | the plan, and what it was frozen to: every digest, in order |",
            f"| `{parts.BLOCKS}`, `{parts.TASKS}` | which run stands for which cell; facts of the tasks |",
            "| `records/` | per run its record: inputs, score, audit and times, without words of agent or audit |",
            f"| `traces/` | per run what the agent did, in order, without rows, long numbers or dates ({traces}) |",
            f"| `{parts.LINEAGE}` | per run the digests from the source data to its row |",
            f"| `{parts.CROISSANT}` | metadata in the Croissant format |",
            f"| `{parts.LICENCES}` | under which licences its parts may be used |",
            f"| `{parts.SUMS}` | the checksum of every other file |",
            "",
            "Outputs and source data are not in it: they hold rows of patients. Their digests are.",
            "",
            "## Check it",
            "",
            "```",
            "m4review campaign verify <this folder or archive>",
            "```",
            "",
            "It needs no data and no network. It recomputes every checksum, follows every run from its data to its "
            "row, computes each row from its record, and computes every figure of the report from the rows. "
            "`sha256sum --check SHA256SUMS` checks the files alone.",
            "",
        ]
    )


def notes_of(card: BundleCard) -> list[str]:
    """What a report of the bundle says it lacks."""
    notes = []
    if card.missing:
        notes.append(f"{len(card.missing)} of the campaign's {card.blocks} blocks are not done: the matrix has holes")
    if card.held:
        notes.append(f"{len(card.held)} runs are held by the audit and wait for a decision; they enter no mean")
    return notes
