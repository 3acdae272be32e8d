"""The reference query as a control, in the place of the skill: what is gained by handing over the whole solution.

It is written anew for each run, in memory, and lies nowhere but in the trial's private folder while the trial runs.
"""

from __future__ import annotations

from m4review.ehr.schemas import ChangedSchema, query_on_schema
from m4review.ehr.standalone import require_visible_only, standalone_query
from m4review.errors import DatasetError, TrialError
from m4review.skills import SKILL_FILE
from m4review.tasks import Task
from m4review.trials.skillfiles import OfferedSkill, digest_of_files

HEAD = """---
name: {name}
description: An SQL query for DuckDB that derives '{title}' from the relations of this database.
---

# {title}

The query reads the relations that the database has. Its columns are those of the output, in their order.

```sql
{query}
```
"""


def raw_sql_skill(task: Task, schema: ChangedSchema | None = None) -> OfferedSkill:
    """The query on what the task may see, in the form of a skill; with ``schema`` on the tables of that schema.

    Raises:
        TrialError: the query would name something that the task does not show.
        DatasetError: the task's reference query is unknown.
    """
    query = standalone_query(task)
    try:
        require_visible_only(query, task)
    except DatasetError as error:
        raise TrialError(f"the control raw-sql of {task.name} is contaminated: {error.what}", fix=error.fix) from None
    if schema is not None:
        query = query_on_schema(query, schema)
    name = f"{task.reference}-query"
    text = HEAD.format(name=name, title=task.title.replace("'", "’"), query=query)
    files = {SKILL_FILE: text.encode()}
    return OfferedSkill(name, files, digest_of_files(files), None)
