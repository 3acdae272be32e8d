"""``python3 -m reader`` in the sandbox, ``python -m m4review.trials.agents.reader`` outside."""

import sys

from .program import main

sys.exit(main())
