"""The demonstration: a throw-away workspace with synthetic data, and a walk through the whole loop.

Everything in it is marked as demonstration: no verdict in it was given by a clinician.
"""

from m4review.demo.example import DEMO_DATASET, DEMO_SKILL, DEMO_TASK, make_example
from m4review.demo.sandbox import ready_sandbox
from m4review.demo.starter import copy_starter, starter_root
from m4review.demo.walk import walk

__all__ = [
    "DEMO_DATASET",
    "DEMO_SKILL",
    "DEMO_TASK",
    "copy_starter",
    "make_example",
    "ready_sandbox",
    "starter_root",
    "walk",
]
