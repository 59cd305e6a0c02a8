"""The prelude's helpers, until a cell uses one, and the error of tools: `display` and `tool` have their own places."""

from __future__ import annotations

from .loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What `help(read)` says. Arguments are bound in Rust, by one table for both languages.
DOCUMENTATION = {
    "read": "read(path, offset=1, limit=None) -> str\n\nText of a file, or `limit` lines of it from line `offset` on.",
    "write": "write(path, data) -> str\n\nWrites text or bytes, creates parent folders, returns the absolute path.",
    "append": "append(path, data) -> str\n\nAppends text or bytes, creates parent folders, returns the absolute path.",
    "sort": "sort(text, reverse=False, unique=False) -> str\n\nThe lines in code point order.",
    "uniq": "uniq(text, count=False) -> str | list\n\nAdjacent equal lines once; with count, [count, line] pairs.",
    "counter": "counter(items, limit=None, reverse=False) -> list\n\n[count, item] pairs, the most frequent first.",
    "diff": "diff(a, b) -> str\n\nUnified diff of two files, or of two texts.",
    "tree": "tree(path='.', max_depth=3, show_hidden=False) -> str\n\nA folder as a tree.",
    "env": "env(key=None, value=None) -> str | dict | None\n\nReads or sets an environment variable, or lists all.",
    "output": "output(*ids, format='raw', query=None, offset=1, limit=None) -> str | dict | list\n\n"
    "Outputs of other agents of the host session.",
}


class ToolError(Exception):
    """A tool of the host failed; `.tool` is its name."""

    def __init__(self, message: str, tool: str) -> None:
        super().__init__(message)
        self.tool = tool


ToolError.__module__ = "builtins"


def stub(op: str) -> Any:
    def helper(*arguments: Any, **options: Any) -> Any:
        return load("prelude").call(op, arguments, options)

    helper.__name__ = helper.__qualname__ = op
    helper.__doc__ = DOCUMENTATION[op]
    helper.__module__ = "builtins"
    return helper


def install(names: dict[str, Any]) -> None:
    names["ToolError"] = ToolError
    for op in DOCUMENTATION:
        names[op] = stub(op)
