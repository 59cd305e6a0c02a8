"""The runner: Python that lives inside a kernel and runs cells.

Plain standard library, CPython 3.9 or newer. In a kernel this package is called `_evalcell` and comes over descriptor 3
(see `bootstrap.py`); this file exists for linters and type checkers. What costs start-up time is imported when it is
first needed: start-up pays for `loader`, `wire`, `streams`, `cells` and `runner` alone.
"""

# Source text of every file of this folder, by name.
sources: "dict[str, str]" = {}
# The descriptors of the protocol: one, or one for each direction.
receiving = sending = 3
# Where the standard library is: the only place that the runner imports from.
standard: "list[str]" = []
