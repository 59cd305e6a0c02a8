"""The prelude of Python cells, apart from `display`, `print` and `tool`, which the runner brings itself.

    install(namespace, helper, emit_status)

`helper(op, arguments)` sends a dict to the one implementation in Rust (src/prelude) and returns its answer as a dict;
`emit_status(event)` reports a status event. Install once per namespace: a name of the user's own shadows a helper.
"""

import posix as _system  # replaced by `nt` on Windows; `os` itself is imported by every interpreter, but later

SIGNATURES = {
    "read": ("read(path, offset=1, limit=None) -> str", "Text of a file, or `limit` lines from line `offset` on."),
    "write": ("write(path, data) -> str", "Writes text or bytes, creates parent folders, returns the path."),
    "append": ("append(path, data) -> str", "Appends text or bytes, creates parent folders, returns the path."),
    "sort": ("sort(text, reverse=False, unique=False) -> str", "Lines in code point order."),
    "uniq": ("uniq(text, count=False) -> str", "Adjacent equal lines once; with count, [count, line] pairs."),
    "counter": ("counter(items, limit=None, reverse=False) -> list", "[count, item] pairs, most frequent first."),
    "diff": ("diff(a, b) -> str", "Unified diff of two files or two texts."),
    "tree": ("tree(path='.', max_depth=3, show_hidden=False) -> str", "A folder as a tree."),
    "env": ("env(key=None, value=None) -> str | dict | None", "Reads or sets an environment variable, or lists all."),
    "output": (
        "output(*ids, format='raw', query=None, offset=1, limit=None) -> str | dict | list",
        "Outputs of other agents of the host session.",
    ),
}
