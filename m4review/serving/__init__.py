"""The workbench in a browser of this machine: a server on loopback that runs it in a child process.

Nothing here imports textual: the child (``m4review.tui.browser``) is started by its module's name.
"""

from m4review.serving.access import Access, loopback_address
from m4review.serving.server import serve
from m4review.serving.session import Bound

__all__ = ["Access", "Bound", "loopback_address", "serve"]
