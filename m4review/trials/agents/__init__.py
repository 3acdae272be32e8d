"""The programs that are put to the test in a trial."""
