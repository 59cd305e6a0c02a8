"""Lossless JSON of Python values.

    encode(value, "args")    JSON text, or a LosslessError with .place ("args.rows[3].id") and .problem ("NaN")
    encode_display(value)    JSON text in which what JSON cannot carry is its text; a LosslessError only for a cycle
                             or for a text over the size limit
    decode(text)             the value of JSON text

Depth is limited by size alone: only values known to be shallow go through the recursive C encoder. Text returned here
can always be encoded as UTF-8. Imports nothing that costs start-up time.
"""

from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner, scanstring

# Longest JSON text, in characters: what one protocol line carries. Also bounds values that share parts many times.
MAX_LENGTH = 64 * 1024 * 1024
MAX_PLACE_LENGTH = 240
# What the C encoder is given: deeper or larger values, and cycles, take the iterative way.
SHALLOW_DEPTH = 100
SHALLOW_VALUES = 4_000_000
MAX_SAFE_INTEGER = 2**53 - 1
INFINITY = float("inf")


class LosslessError(TypeError, ValueError):
    """A value that JSON cannot carry as it is."""

    def __init__(self, place, problem):
        super().__init__(f"not lossless JSON at {place}: {problem}" if place else f"not lossless JSON: {problem}")
        self.place = place
        self.problem = problem


def quote(text):
    """A JSON string. A lone surrogate is escaped, and with it everything that is not ASCII."""
    quoted = encode_basestring(text)
    return quoted if is_utf8(quoted) else encode_basestring_ascii(text)


def is_utf8(text):
    if text.isascii():
        return True
    try:
        text.encode()
        return True
    except UnicodeEncodeError:
        return False


def place_of(steps, root):
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


def describe(value):
    """The text of a value that a person reads; never raises."""
    try:
        text = repr(value)
        return text if isinstance(text, str) else f"<{type(value).__name__}>"
    except Exception:
        return f"<{type(value).__name__}>"


def integer_text(value):
    try:
        return int.__repr__(value)
    except ValueError:
        # More digits than Python converts by default.
        return hex(value)


def is_exact(value):
    """Whether a JavaScript number holds this integer."""
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def float_problem(value):
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


def problem_of(value):
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


def display_text(value):
    """What stands for a value that JSON cannot carry, in a display: the exact text of a number, else its repr."""
    if isinstance(value, float):
        return float_problem(value) or float.__repr__(value)
    if isinstance(value, int):
        return integer_text(value)
    return describe(value)


def scalar(value):
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


def key_of(key, value, display):
    """The member's key as text; None when it is refused."""
    if isinstance(key, str):
        return str.__str__(key)
    if not display:
        return None
    if key is None or key is True or key is False:
        return scalar(key)
    return display_text(key)


def write(top, root, display):
    pieces = []
    length = 0
    steps = []  # keys and indices on the way from the top
    frames = []  # (iterator of (step, member), closing bracket, id of the container)
    opened = set()
    value = top
    while True:
        piece = scalar(value)
        if piece is None:
            mapping = isinstance(value, dict)
            if mapping or isinstance(value, (list, tuple)):
                if id(value) in opened:
                    raise LosslessError(place_of(steps, root), "a cycle")
                if length > MAX_LENGTH:
                    raise LosslessError(place_of(steps, root), f"a text of more than {MAX_LENGTH} characters")
                opened.add(id(value))
                try:
                    members = list(dict.items(value)) if mapping else list(value)
                except Exception as error:
                    raise LosslessError(place_of(steps, root), f"a value that cannot be read ({describe(error)})") from None
                # The container is kept alive by its frame: an id is unique only while its object lives.
                frames.append((iter(members) if mapping else enumerate(members), mapping, value))
                steps.append(None)
                piece = "{" if mapping else "["
            elif display:
                piece = quote(display_text(value))
            else:
                raise LosslessError(place_of(steps, root), problem_of(value))
        pieces.append(piece)
        length += len(piece)
        # On to the next value.
        while True:
            if not frames:
                if length > MAX_LENGTH:
                    raise LosslessError(root, f"a text of more than {MAX_LENGTH} characters")
                return "".join(pieces)
            members, mapping, container = frames[-1]
            first = steps[-1] is None
            found = next(members, None)
            if found is None:
                frames.pop()
                steps.pop()
                opened.discard(id(container))
                pieces.append("}" if mapping else "]")
                length += 1
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


def is_ordinary(top):
    """Whether the C encoder writes exactly what `write` would: plain, shallow, ordinary numbers. Nearly all values are."""
    level = [top]
    budget = SHALLOW_VALUES
    for _ in range(SHALLOW_DEPTH):
        following = []
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
                if kind is str or kind is bool or value is None:
                    continue
                if kind is int:
                    if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
                        return False
                elif kind is float:
                    # An infinity or NaN minus itself is NaN; a zero may be negative.
                    if value - value != 0 or (value == 0 and float_problem(value)):
                        return False
                elif kind is dict or kind is list or kind is tuple:
                    following.append(value)
                else:
                    return False
        if not following:
            return True
        level = following
    return False


def _refuse(value):
    raise TypeError("not ordinary")


_encode = make_encoder(None, _refuse, encode_basestring, None, ":", ",", False, False, False)
_encode_ascii = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)


def write_ordinary(value):
    """The text of an ordinary container through the C encoder; None for any other value."""
    if type(value) not in (dict, list, tuple):
        return None
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


def encode(value, root=""):
    text = write_ordinary(value)
    return write(value, root, False) if text is None else text


def encode_display(value):
    text = write_ordinary(value)
    return write(value, "", True) if text is None else text


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)
    memo = {}


_scan = make_scanner(_Context)
_SPACE = " \t\n\r"
_NUMBER = "+-0123456789.eE"
_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


def decode(text):
    """The value of JSON text. Raises ValueError where it is not JSON."""
    try:
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except RecursionError:
        pass
    except StopIteration:
        pass
    return _decode_deep(text)


def _skip(text, at):
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _scalar_at(text, at):
    first = text[at : at + 1]
    if first == '"':
        return scanstring(text, at + 1, True)
    if first in _WORDS:
        word, value = _WORDS[first]
        if text.startswith(word, at):
            return value, at + len(word)
    end = at
    while end < len(text) and text[end] in _NUMBER:
        end += 1
    digits = text[at:end]
    if not digits:
        raise ValueError(f"not JSON at character {at}")
    return (int(digits) if digits.lstrip("-").isdecimal() else float(digits)), end


def _decode_deep(text):
    holder = []
    stack = [(holder, None)]  # (container, key of the member that is read next)
    at = _skip(text, 0)
    while True:
        container, key = stack[-1]
        first = text[at : at + 1]
        if first == "[" or first == "{":
            value = [] if first == "[" else {}
            at = _skip(text, at + 1)
            empty = text[at : at + 1] == ("]" if first == "[" else "}")
            if empty:
                at += 1
        else:
            value, at = _scalar_at(text, at)
            empty = True
        if key is None:
            container.append(value)
        else:
            container[key] = value
        if not empty:
            stack.append((value, None))
        at = _skip(text, at)
        # Close what ends here; then step over the comma.
        while empty and len(stack) > 1 and text[at : at + 1] == ("]" if type(stack[-1][0]) is list else "}"):
            stack.pop()
            at = _skip(text, at + 1)
        if len(stack) == 1:
            if at != len(text):
                raise ValueError(f"not JSON at character {at}")
            return holder[0]
        if empty:
            if text[at : at + 1] != ",":
                raise ValueError(f"not JSON at character {at}")
            at = _skip(text, at + 1)
        if type(stack[-1][0]) is dict:
            if text[at : at + 1] != '"':
                raise ValueError(f"not JSON at character {at}")
            member, at = scanstring(text, at + 1, True)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise ValueError(f"not JSON at character {at}")
            at = _skip(text, at + 1)
            stack[-1] = (stack[-1][0], member)
