"""The user's top-level variables, described without running code of theirs."""

from __future__ import annotations

import sys

from . import lossless
from .cells import namespace
from .wire import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_REPR = 80
SCALARS = (bool, int, float, complex, str, bytes, type(None))
CONTAINERS = (list, tuple, dict, set, frozenset)


def send(request: int) -> None:
    rows = []
    for name, value in list(namespace.items()):
        # Not every key of a namespace is a name.
        if type(name) is str and not name.startswith("_") and lossless.is_utf8(name):
            row: dict[str, Any] = {"name": name, "type": type(value).__name__, "repr": short(value)}
            size = size_of(value)
            if size is not None:
                row["size"] = size
            rows.append(row)
    rows.sort(key=lambda row: row["name"])  # type: ignore[no-any-return]
    wire.send(f'{{"type":"variables","id":{request},"items":{lossless.encode_display(rows)}}}\n')


def short(value: Any, depth: int = 2) -> str:
    kind = type(value)
    if kind in SCALARS:
        if kind in (str, bytes):
            value = value[: MAX_REPR + 1]
        elif kind is int and value.bit_length() > 4 * MAX_REPR:
            return f"<int of {value.bit_length()} bits>"
        return cut(repr(value))
    if kind in CONTAINERS:
        return cut(of_container(value, depth))
    if kind is type(sys):
        return cut(f"<module {value.__name__!r}>")
    if isinstance(value, type):
        return cut(f"<class {value.__qualname__!r}>")
    if kind.__name__ in ("function", "builtin_function_or_method"):
        return cut(f"<function {value.__qualname__}>")
    shape = size_text(value)
    return cut(f"<{kind.__name__}{shape}>")


def of_container(value: Any, depth: int) -> str:
    brackets: dict[Any, str] = {list: "[]", tuple: "()", dict: "{}"}
    brackets_of_kind = brackets.get(type(value), "{}")
    opening, closing = brackets_of_kind[0], brackets_of_kind[1]
    if not len(value):
        return repr(value)
    if depth == 0:
        return f"{opening}…{closing}"
    parts = []
    total = 0
    for item in value.items() if type(value) is dict else value:
        part = f"{short(item[0], 0)}: {short(item[1], depth - 1)}" if type(value) is dict else short(item, depth - 1)
        parts.append(part)
        total += len(part) + 2
        if total > MAX_REPR:
            break
    return opening + ", ".join(parts) + ("," if type(value) is tuple and len(value) == 1 else "") + closing


def size_text(value: Any) -> str:
    shape = shape_of(value)
    return f" {'×'.join(map(str, shape))}" if shape is not None else ""


def shape_of(value: Any) -> tuple[int, ...] | None:
    if type(value).__module__.partition(".")[0] in ("numpy", "pandas", "torch", "polars", "jax"):
        try:
            return tuple(int(length) for length in value.shape)
        except Exception:
            pass
    return None


def size_of(value: Any) -> int | None:
    if type(value) in (str, bytes, bytearray, *CONTAINERS):
        return len(value)
    shape = shape_of(value)
    if shape is None:
        return None
    size = 1
    for length in shape:
        size *= length
    return size


def cut(text: str) -> str:
    return text if len(text) <= MAX_REPR else text[: MAX_REPR - 1] + "…"
