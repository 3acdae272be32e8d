"""Changed schemas: the same values under other names (obfuscated) or in other tables (restructured).

A changed schema is made once per dataset and shared by every task; references stay the native ones. It shows whether an
agent, and a skill, rely on the names and shapes of the native database.
"""

from m4review.ehr.schemas.mapping import SchemaWords, schema_words
from m4review.ehr.schemas.plan import SCHEMA_NAMES, SchemaName, SchemaPlan, plan_schema
from m4review.ehr.schemas.rewriting import (
    ChangedSchema,
    RewriteReport,
    native_views,
    open_schema,
    rewrite_schema,
)
from m4review.ehr.schemas.rewrittenquery import query_on_schema

__all__ = [
    "SCHEMA_NAMES",
    "ChangedSchema",
    "RewriteReport",
    "SchemaName",
    "SchemaPlan",
    "SchemaWords",
    "native_views",
    "open_schema",
    "plan_schema",
    "query_on_schema",
    "rewrite_schema",
    "schema_words",
]
