"""m4review: write, review and try the skills that teach coding agents ICU derivations."""

__version__ = "0.1.0"
