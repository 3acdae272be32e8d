"""The canary: an adversarial program in the very sandbox of a trial, and the report of what it could not do."""
