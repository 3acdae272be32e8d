"""``python3 -m endpoint``: serve until stopped."""

from .server import main

main()
