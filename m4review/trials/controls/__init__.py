"""Controls: the texts an agent gets instead of the task's skill, each with the check that fits it."""
