"""The prelude's helpers: one implementation for both languages answers, in Rust (`src/prelude`)."""

from __future__ import annotations

import os

from . import bridge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ERRORS = {"argument": TypeError, "missing": FileNotFoundError}


def call(op: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    result = request(op, arguments, options)
    return apply_env(result) if op == "env" else result


def request(op: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    message: dict[str, Any] = {
        "cwd": os.getcwd(),
        "positional": [carry(value) for value in arguments],
        "options": {snake(name): carry(value) for name, value in options.items()},
    }
    if op == "output":
        message["artifacts_dir"] = os.environ.get("PI_ARTIFACTS_DIR")
        message["session_file"] = os.environ.get("PI_SESSION_FILE")
    answer = bridge.helper(op, message)
    if not answer["ok"]:
        raise ERRORS.get(answer["kind"], OSError)(answer["message"])
    if "status" in answer:
        bridge.emit_status(answer["status"])
    return answer["result"]


def snake(name: str) -> str:
    """`maxDepth` is `max_depth`, as in JavaScript cells."""
    return "".join(f"_{character.lower()}" if character.isupper() else character for character in name)


def carry(value: Any) -> Any:
    """An argument in the form that Rust reads: bytes as base64, a path as text, an iterable as a list."""
    if value is None or isinstance(value, (str, int, float, list, tuple, dict)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        from binascii import b2a_base64

        return {"base64": b2a_base64(value, newline=False).decode()}
    if hasattr(value, "__fspath__"):
        return os.fsdecode(value)
    if hasattr(value, "__iter__"):
        return list(value)
    return value


def apply_env(action: dict[str, Any]) -> Any:
    """The variables of this process live here, so they are read and set here; Rust has judged the arguments."""
    if "set" in action:
        os.environ[action["key"]] = action["set"]
        return action["set"]
    if "key" in action:
        return os.environ.get(action["key"])
    return dict(sorted(os.environ.items()))
