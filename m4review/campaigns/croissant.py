"""A bundle's metadata as a Croissant document: what files it has, and what every column of its table holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from m4review.campaigns.bundleparts import ANALYSIS, LINEAGE, RUNS, TASKS, BundleCard
from m4review.campaigns.lineage import sha256
from m4review.campaigns.runfile import COLUMNS

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
ABOUT = {
    "run_id": "unique id of the run",
    "task": "task card",
    "condition": "what the agent was given beside the task",
    "schema": "the tables that the agent found: native, obfuscated or restructured",
    "agent": "program under test",
    "model": "model, or the plan's label of the agent",
    "reasoning_effort": "how much the model was told to think",
    "trial": "number of the repeat",
    "outcome": "how the run ended",
    "reward": "mean match rate over the scored columns, 0 to 1; empty for a run that does not count",
    "match_rates": "match rate per scored column, as a dictionary",
    "key_precision": "matched keys ÷ distinct keys of the output",
    "key_recall": "matched keys ÷ keys of the reference",
    "key_f1": "harmonic mean of the two",
    "extra_keys": "keys of the output that the reference lacks",
    "agent_unique_keys": "distinct keys of the output",
    "truth_rows": "rows of the reference",
    "ordered_value_nmae": "mean normalised absolute error over ordered columns",
    "passed": "strict checks passed",
    "failed": "strict checks failed",
    "errors": "1 where nothing could be checked",
    "publishable": "whether the run may stand behind a published figure",
    "publishable_reason": "why it may not",
    "isolated": "whether the run was made in the sealed sandbox",
    "filesystem_canary": "whether a proof of the sandbox stood behind the run",
    "contamination_lint": "whether what the agent was given passed the lint",
    "audit_hold": "whether the audit holds the run",
    "legacy_condition": "the condition's former name",
    "agent_returncode": "exit code of the agent",
    "elapsed_seconds": "seconds that the agent took",
    "input_tokens": "tokens that the model was given, cached ones included",
    "cached_tokens": "tokens of these that the server had cached",
    "output_tokens": "tokens that the model gave",
    "requests": "requests to the model's server",
    "tool_calls": "tool calls of the agent",
    "price_usd": "what the model's server charged",
    "given_texts": "digests of the skills or control texts, separated by blanks",
}
FLOATS = frozenset({
    "reward", "key_precision", "key_recall", "key_f1", "ordered_value_nmae", "elapsed_seconds", "price_usd",
})  # fmt: skip
WHOLE = frozenset({
    "trial", "extra_keys", "agent_unique_keys", "truth_rows", "passed", "failed", "errors", "agent_returncode",
    "input_tokens", "cached_tokens", "output_tokens", "requests", "tool_calls",
})  # fmt: skip
FLAGS = frozenset({"publishable", "isolated", "filesystem_canary", "contamination_lint", "audit_hold"})


def croissant(card: BundleCard, files: Mapping[str, bytes], *, published: datetime, licence: str) -> bytes:
    """The document for the files of a bundle. ``published`` is when the last block was done."""
    objects = [
        _file(RUNS, files[RUNS], "text/csv", "One row per run, aggregate metrics only."),
        _file(LINEAGE, files[LINEAGE], "application/json", "Per run the digests from the source data to its row."),
        _file(ANALYSIS, files[ANALYSIS], "application/json", "Every figure of the analysis with its interval."),
        _file(TASKS, files[TASKS], "application/json", "Family, mode and thresholds of every task."),
    ]
    fields = [_field(name) for name in COLUMNS]
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": f"m4review-campaign-{card.campaign}",
        "description": (
            f"Run-level results of the campaign {card.campaign} ({card.title}): how agents derive clinical variables "
            "from ICU databases with and without skills. Aggregate metrics; no row of a patient."
        ),
        "license": f"https://spdx.org/licenses/{licence}.html",
        "url": f"urn:m4review:campaign:{card.manifest.removeprefix('sha256:')}",
        "version": "1.0.0",
        "datePublished": published.date().isoformat(),
        "creator": {"@type": "sc:Organization", "name": "m4review contributors"},
        "citeAs": f"m4review campaign {card.campaign}, manifest {card.manifest}",
        "isLiveDataset": False,
        "distribution": objects,
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "runs",
                "name": "runs",
                "description": "One record per run.",
                "key": {"@id": "runs/run_id"},
                "field": fields,
            }
        ],
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _file(name: str, data: bytes, kind: str, about: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": about,
        "contentUrl": name,
        "contentSize": f"{len(data)} B",
        "encodingFormat": kind,
        "sha256": sha256(data),
    }


def _field(name: str) -> dict[str, Any]:
    kind = (
        "sc:Float"
        if name in FLOATS
        else "sc:Integer"
        if name in WHOLE
        else "sc:Boolean"
        if name in FLAGS
        else "sc:Text"
    )
    return {
        "@type": "cr:Field",
        "@id": f"runs/{name}",
        "name": name,
        "description": ABOUT[name],
        "dataType": kind,
        "source": {"fileObject": {"@id": RUNS}, "extract": {"column": name}},
    }
