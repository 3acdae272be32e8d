"""Campaigns: many trials at once, and what may be concluded from them. Everything here is computed from run files."""
