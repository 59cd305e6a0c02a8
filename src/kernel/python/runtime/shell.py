"""Child processes of `!` and of magics: they write straight into the cell's output and have nothing to read."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

from . import streams
from .cells import namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

# `{value:>8}`, `{value!r}`: what stands between the braces is no expression.
FORMATTED = re.compile(r"(.+?)(![rsa])?(:[^{}\"']*)?", re.DOTALL)
NAME = re.compile(r"\$(?!\d)\w+")


class UsageError(Exception):
    """A magic that does not exist, or that cannot be used like this."""


UsageError.__module__ = "builtins"


class Lines(list):  # type: ignore[type-arg]
    """What `x = !command` gives: the lines of its output. `.s` and `.n` are one text, joined by spaces or line breaks."""

    @property
    def n(self) -> str:
        return "\n".join(self)

    @property
    def s(self) -> str:
        return " ".join(self)

    def __reduce__(self) -> Any:
        # No other process has this class.
        return list, (list(self),)


def run(arguments: list[str] | str, **options: Any) -> int:
    """Runs it; its output streams as it comes. The exit status, also in `_exit_code`."""
    streams.flush()
    status = subprocess.run(arguments, check=False, stdin=subprocess.DEVNULL, stdout=1, stderr=2, **options).returncode
    namespace["_exit_code"] = status
    return status


def system(command: str) -> None:
    """`!command`"""
    run(expand(command, sys._getframe(1)), shell=True)


def capture(command: str) -> Lines:
    """`x = !command`"""
    command = expand(command, sys._getframe(1))
    streams.flush()
    done = subprocess.run(command, check=False, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=2)
    namespace["_exit_code"] = done.returncode
    return Lines(done.stdout.decode("utf-8", "replace").splitlines())


def failed(status: int, command: str) -> Exception:
    return subprocess.CalledProcessError(status, command)


# Values in commands


def expand(command: str, frame: FrameType) -> str:
    """Puts values in for `{expression}` and `$name`; what is neither stays for the shell, and so does `${…}`."""
    parts = []
    at = 0
    while at < len(command):
        character = command[at]
        end = at + 1
        if command.startswith(("{{", "}}"), at):
            parts.append(character)
            end = at + 2
        elif character == "$" and command[end : end + 1] in ("$", "{"):
            # `$$name` is `$name` for the shell; `$$` and `${name}` are the shell's own.
            closed = closing_brace(command, end) if command[end] == "{" else 0
            named = NAME.match(command, end)
            end = closed + 1 if closed > 0 else named.end() if named else end + 1
            parts.append(command[at + 1 : end] if named else command[at:end])
        elif character in "{$":
            named = NAME.match(command, at)
            end = named.end() if named else closing_brace(command, at) + 1 if character == "{" else end
            given = command[at:end] if end > at else character
            parts.append(value_of(given[1:] if named else given[1:-1], frame, given))
            end = max(end, at + 1)
        else:
            parts.append(character)
        at = end
    return "".join(parts)


def value_of(source: str, frame: FrameType, given: str) -> str:
    """The text of an expression's value; what was given when it is none, or when its names do not exist."""
    form = ""
    source = source.strip()
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError):
        parts = FORMATTED.fullmatch(source)
        if parts is None or not (parts[2] or parts[3]):
            return given
        form = (parts[2] or "") + (parts[3] or "")
        try:
            tree = ast.parse(parts[1], mode="eval")
        except (SyntaxError, ValueError):
            return given
    # `echo {1,2}`, `-d '{"a"}'`: the shell's.
    if isinstance(tree.body, ast.Constant) or isinstance(tree.body, ast.Tuple) and not source.startswith("("):
        return given
    try:
        value = eval(compile(tree, "<command>", "eval", 0, True), frame.f_globals, frame.f_locals)
    except NameError:
        return given
    return f"{{0{form}}}".format(value)


def closing_brace(text: str, at: int) -> int:
    depth = 0
    for index in range(at, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return -1


# pip


def pip(arguments: str) -> None:
    """Runs pip of this interpreter; what it installs can be imported at once."""
    import importlib
    import shlex
    import site

    before = path_files()
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    status = run([sys.executable, "-m", "pip", *shlex.split(arguments)], env=environment)
    importlib.invalidate_caches()
    for folder, name in sorted(path_files() - before):
        site.addpackage(folder, name, None)
    if site.ENABLE_USER_SITE and site.USER_SITE and os.path.isdir(site.USER_SITE) and site.USER_SITE not in sys.path:
        site.addsitedir(site.USER_SITE)
    if status != 0:
        raise failed(status, f"%pip {arguments}")


def path_files() -> set[tuple[str, str]]:
    """The `.pth` files there are: an editable install adds one."""
    found: set[tuple[str, str]] = set()
    for folder in sys.path:
        if folder.endswith("site-packages"):
            try:
                found.update((folder, name) for name in os.listdir(folder) if name.endswith(".pth"))
            except OSError:
                pass
    return found
