"""The part of lossless.py that is needed rarely: the iterative writer, which names places, and the iterative reader.

Runs in a namespace that holds LosslessError, quote and MAX_LENGTH of that module.
"""

from __future__ import annotations

from _json import scanstring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .lossless import MAX_LENGTH, LosslessError, quote

MAX_PLACE_LENGTH = 240
MAX_SAFE_INTEGER = 2**53 - 1
INFINITY = float("inf")
SPACE = " \t\n\r"
NUMBER = "+-0123456789.eE"
WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


def place_of(steps: list[Any], root: str) -> str:
    parts = [root]
    for step in steps:
        if type(step) is int:
            parts.append(f"[{step}]")
        elif step.replace("$", "_").isidentifier():
            parts.append(f".{step}" if parts != [""] else step)
        else:
            parts.append(f"[{quote(step)}]")
    place = "".join(parts)
    if len(place) <= MAX_PLACE_LENGTH:
        return place
    half = MAX_PLACE_LENGTH // 2
    return f"{place[:half]}…{place[-half:]}"


def describe(value: Any) -> str:
    """The text of a value that a person reads; never raises."""
    try:
        text = repr(value)
        return text if isinstance(text, str) else f"<{type(value).__name__}>"
    except Exception:
        return f"<{type(value).__name__}>"


def integer_text(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        # More digits than Python converts by default.
        return hex(value)


def is_exact(value: int) -> bool:
    """Whether a JavaScript number holds this integer."""
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def float_problem(value: float) -> str | None:
    """Why a float is refused, as text; None when it is not."""
    if value != value:
        return "NaN"
    if value == INFINITY:
        return "Infinity"
    if value == -INFINITY:
        return "-Infinity"
    if value == 0 and float.__repr__(value)[0] == "-":
        return "-0"
    return None


def problem_of(value: Any) -> str | None:
    if isinstance(value, float):
        return float_problem(value)
    if isinstance(value, int):
        shown = integer_text(value)
        shown = shown if len(shown) <= 40 else f"{shown[:40]}… ({len(shown)} characters)"
        return f"{shown} is an integer that a JavaScript number cannot hold exactly"
    kind = type(value)
    if kind.__name__ == "coroutine" or hasattr(kind, "__await__"):
        return f"a {kind.__name__} (is an `await` missing?)"
    if callable(value):
        return "a function" if kind.__name__ in ("function", "builtin_function_or_method", "method") else f"an instance of {kind.__name__}"
    return f"an instance of {kind.__name__}"


def display_text(value: Any) -> str:
    """What stands for a value that JSON cannot carry, in a display: the exact text of a number, else its repr."""
    if isinstance(value, float):
        return float_problem(value) or float.__repr__(value)
    if isinstance(value, int):
        return integer_text(value)
    return describe(value)


def scalar(value: Any) -> str | None:
    """JSON text of anything but a container; None where JSON has none."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int):
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER or is_exact(value):
            return int.__repr__(value)
        return None
    if isinstance(value, float) and float_problem(value) is None:
        return float.__repr__(value)
    return None


def key_of(key: Any, value: Any, display: bool) -> str | None:
    """The member's key as text; None when it is refused."""
    if isinstance(key, str):
        return str.__str__(key)
    if not display:
        return None
    if key is None or key is True or key is False:
        return scalar(key)
    return display_text(key)


def write(top: Any, root: str, display: bool) -> str:
    pieces: list[str] = []
    length = 0
    steps: list[Any] = []  # keys and indices on the way from the top
    # (iterator of (step, member), whether it is a mapping, the container, where it starts in pieces, length before it)
    frames: list[tuple[Any, bool, Any, int, int]] = []
    opened: set[int] = set()
    # Containers that were written whole, by id: (start and end in pieces, length, the container, so that its id stays its
    # own). A part that is shared many times is written once.
    written: dict[int, tuple[int, int, int, Any]] = {}
    texts: dict[int, str] = {}

    def limit(more: int) -> None:
        if length + more > MAX_LENGTH:
            raise LosslessError(place_of(steps, root), f"a text of more than {MAX_LENGTH} characters")

    value = top
    while True:
        known = written.get(id(value))
        if known is None:
            piece = scalar(value)
        else:
            limit(known[2])
            piece = texts.get(id(value))
            if piece is None:
                piece = texts[id(value)] = "".join(pieces[known[0] : known[1]])
        if piece is None:
            mapping = isinstance(value, dict)
            if mapping or isinstance(value, (list, tuple)):
                if id(value) in opened:
                    raise LosslessError(place_of(steps, root), "a cycle")
                opened.add(id(value))
                try:
                    members = list(dict.items(value)) if mapping else list(value)
                except Exception as error:
                    raise LosslessError(place_of(steps, root), f"a value that cannot be read ({describe(error)})") from None
                # The container is kept alive by its frame: an id is unique only while its object lives.
                frames.append((iter(members) if mapping else enumerate(members), mapping, value, len(pieces), length))
                steps.append(None)
                piece = "{" if mapping else "["
            elif display:
                piece = quote(display_text(value))
            else:
                raise LosslessError(place_of(steps, root), problem_of(value) or "")
        limit(len(piece))
        pieces.append(piece)
        length += len(piece)
        # On to the next value.
        while True:
            if not frames:
                return "".join(pieces)
            members, mapping, container, start, before = frames[-1]
            first = steps[-1] is None
            found = next(members, None)
            if found is None:
                frames.pop()
                steps.pop()
                opened.discard(id(container))
                pieces.append("}" if mapping else "]")
                length += 1
                written[id(container)] = (start, len(pieces), length - before, container)
                continue
            step, value = found
            separator = "" if first else ","
            if mapping:
                key = key_of(step, value, display)
                if key is None:
                    steps.pop()
                    raise LosslessError(place_of(steps, root), f"the key {describe(step)} is not a string")
                steps[-1] = key
                separator += quote(key) + ":"
            else:
                steps[-1] = step
            if separator:
                pieces.append(separator)
                length += len(separator)
            break


def skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def scalar_at(text: str, at: int) -> tuple[Any, int]:
    first = text[at : at + 1]
    if first == '"':
        return scanstring(text, at + 1, True)
    if first in WORDS:
        word, value = WORDS[first]
        if text.startswith(word, at):
            return value, at + len(word)
    end = at
    while end < len(text) and text[end] in NUMBER:
        end += 1
    digits = text[at:end]
    if not digits:
        raise ValueError(f"not JSON at character {at}")
    return (int(digits) if digits.lstrip("-").isdecimal() else float(digits)), end


def decode(text: str) -> Any:
    holder: list[Any] = []
    stack: list[tuple[Any, str | None]] = [(holder, None)]  # (container, key of the member that is read next)
    at = skip(text, 0)
    while True:
        container, key = stack[-1]
        first = text[at : at + 1]
        if first == "[" or first == "{":
            value: Any = [] if first == "[" else {}
            at = skip(text, at + 1)
            empty = text[at : at + 1] == ("]" if first == "[" else "}")
            if empty:
                at += 1
        else:
            value, at = scalar_at(text, at)
            empty = True
        if key is None:
            container.append(value)
        else:
            container[key] = value
        if not empty:
            stack.append((value, None))
        at = skip(text, at)
        # Close what ends here; then step over the comma.
        while empty and len(stack) > 1 and text[at : at + 1] == ("]" if type(stack[-1][0]) is list else "}"):
            stack.pop()
            at = skip(text, at + 1)
        if len(stack) == 1:
            if at != len(text):
                raise ValueError(f"not JSON at character {at}")
            return holder[0]
        if empty:
            if text[at : at + 1] != ",":
                raise ValueError(f"not JSON at character {at}")
            at = skip(text, at + 1)
        if type(stack[-1][0]) is dict:
            if text[at : at + 1] != '"':
                raise ValueError(f"not JSON at character {at}")
            member, at = scanstring(text, at + 1, True)
            at = skip(text, at)
            if text[at : at + 1] != ":":
                raise ValueError(f"not JSON at character {at}")
            at = skip(text, at + 1)
            stack[-1] = (stack[-1][0], member)
