"""The EHR room: datasets, concepts and references (one SQL file each), task databases."""

from m4review.ehr.building import BuildReport, BuiltTable, build, derivation_digests, pin_reference, reference_path
from m4review.ehr.dataset import Dataset, list_datasets, list_unfinished, open_dataset, remove_dataset
from m4review.ehr.fingerprints import write_fingerprints
from m4review.ehr.importing import import_dataset
from m4review.ehr.layout import layout_names
from m4review.ehr.progress import Listener, Progress
from m4review.ehr.referencecsv import write_reference_csv
from m4review.ehr.reuse import use_own_concepts
from m4review.ehr.synthetic import synthesise
from m4review.ehr.taskdatabase import Mount, TaskDatabase, build_task_database

__all__ = [
    "BuildReport",
    "BuiltTable",
    "Dataset",
    "Listener",
    "Mount",
    "Progress",
    "TaskDatabase",
    "build",
    "build_task_database",
    "derivation_digests",
    "import_dataset",
    "layout_names",
    "list_datasets",
    "list_unfinished",
    "open_dataset",
    "pin_reference",
    "reference_path",
    "remove_dataset",
    "synthesise",
    "use_own_concepts",
    "write_fingerprints",
    "write_reference_csv",
]
