"""The workbench on the terminal: screens over the functions that the command line calls too."""
