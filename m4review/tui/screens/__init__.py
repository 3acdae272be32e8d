"""The screens: home, workbench, review, compare, trial, recover, and the dialogs they ask through."""
