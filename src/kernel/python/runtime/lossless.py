"""Lossless JSON of Python values.

    encode(value, "args")    JSON text, or a LosslessError with .place ("args.rows[3].id") and .problem ("NaN")
    encode_display(value)    JSON text in which what JSON cannot carry is its text; a LosslessError only for a cycle
                             or for a text over the size limit
    decode(text)             the value of JSON text

Depth is limited by size alone: only values known to be shallow go through the recursive C coders. Text returned here
can always be encoded as UTF-8. This file is the part that every kernel needs; it imports nothing that costs start-up
time, and `lossless_exact.py`, the iterative part that names places, is compiled when first needed.
"""

from __future__ import annotations

import sys
from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Longest JSON text, in characters: what one protocol line carries. Also bounds values that share parts many times.
MAX_LENGTH = 64 * 1024 * 1024
# What the C encoder is given: deeper or larger values, and cycles, take the iterative way.
SHALLOW_DEPTH = 100
SHALLOW_VALUES = 4_000_000
# Containers on one level before it pays to ask how many of them are the same one.
SHARED_VALUES = 10_000
MAX_SAFE_INTEGER = 2**53 - 1

# Source of lossless_exact.py, where this module does not run inside a kernel.
exact_source = None


class LosslessError(TypeError, ValueError):
    """A value that JSON cannot carry as it is."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"not lossless JSON at {place}: {problem}" if place else f"not lossless JSON: {problem}")
        self.place = place
        self.problem = problem


def quote(text: str) -> str:
    """A JSON string. A lone surrogate is escaped, and with it everything that is not ASCII."""
    quoted = encode_basestring(text)
    return quoted if is_utf8(quoted) else encode_basestring_ascii(text)


def quote_shown(text: str) -> str:
    """A JSON string of a text that people read: UTF-8 without exception, lone surrogates as their escapes."""
    quoted = encode_basestring(text)
    return quoted if is_utf8(quoted) else encode_basestring(text.encode("utf-8", "backslashreplace").decode())


def is_utf8(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
        return True
    except UnicodeEncodeError:
        return False


_loaded: dict[str, Any] = {}


def exact() -> dict[str, Any]:
    """The iterative part, as a namespace."""
    if not _loaded:
        # Its names are built aside: another thread must never see half of them.
        names: dict[str, Any] = {"__name__": "lossless_exact", "LosslessError": LosslessError, "quote": quote, "MAX_LENGTH": MAX_LENGTH}
        source = exact_source or sys.modules["_evalcell"].sources["lossless_exact"]
        exec(compile(source, "<evalcell lossless_exact>", "exec"), names)
        _loaded.update(names)
    return _loaded


def is_ordinary(top: Any) -> bool:
    """Whether the C encoder writes exactly what `write` would, and in bounds: plain, shallow, ordinary numbers."""
    level = [top]
    budget = SHALLOW_VALUES
    room = MAX_LENGTH
    for _ in range(SHALLOW_DEPTH):
        following: list[Any] = []
        for container in level:
            if type(container) is dict:
                for key in container:
                    if type(key) is not str:
                        return False
                members = container.values()
            else:
                members = container
            budget -= len(container)
            if budget < 0:
                return False
            for value in members:
                kind = type(value)
                if kind is str:
                    # One long text may be there many times.
                    room -= len(value)
                    continue
                if kind is bool or value is None:
                    continue
                if kind is int:
                    if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
                        return False
                elif kind is float:
                    # An infinity or NaN minus itself is NaN; a zero may be negative.
                    if value - value != 0 or (value == 0 and value.__repr__() == "-0.0"):
                        return False
                elif kind is dict or kind is list or kind is tuple:
                    following.append(value)
                else:
                    return False
            if room < 0:
                return False
        if not following:
            return True
        if len(following) > SHARED_VALUES and len({id(value) for value in following}) * 2 < len(following):
            # Parts that are shared many times: the exact way writes each once.
            return False
        level = following
    return False


def _refuse(value: Any) -> Any:
    raise TypeError("not ordinary")


_encode = make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, False)
_encode_ascii = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)


def write_ordinary(value: Any) -> str | None:
    """The text of an ordinary value through the C encoder; None for any other."""
    kind = type(value)
    if kind not in (dict, list, tuple):
        if kind is str:
            return quote(value) if len(value) < MAX_LENGTH // 2 else None
        if kind is int and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return int.__repr__(value)
        return "null" if value is None else None
    try:
        if not is_ordinary(value):
            return None
        text = "".join(_encode(value, 0))
        if len(text) > MAX_LENGTH:
            return None
        return text if is_utf8(text) else "".join(_encode_ascii(value, 0))
    except (RecursionError, TypeError, ValueError, RuntimeError):
        # Too deep for this stack, or changed by another thread: the exact way says what is wrong.
        return None


def encode(value: Any, root: str = "") -> str:
    text = write_ordinary(value)
    return exact()["write"](value, root, False) if text is None else text


def encode_display(value: Any) -> str:
    text = write_ordinary(value)
    return exact()["write"](value, "", True) if text is None else text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)
    memo: dict[str, Any] = {}


_scan: Any = make_scanner(_Context)  # type: ignore[arg-type]


def decode(text: str) -> Any:
    """The value of JSON text. Raises ValueError where it is not JSON."""
    try:
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except (RecursionError, StopIteration):
        pass
    return exact()["decode"](text)
