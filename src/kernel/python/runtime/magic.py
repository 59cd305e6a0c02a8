"""What the magics do."""

from __future__ import annotations

import builtins
import os
import shlex
import sys

from . import shell, streams, timing
from .cells import namespace
from .loader import load
from .shell import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable




def run_line(name: str, arguments: str) -> Any:
    """`%name arguments`."""
    if name.startswith("%"):
        raise UsageError(f"%{name} must stand on the first line of its cell")
    function = LINE.get(name)
    if function is None:
        hint = f" Write %%{name} on the first line of the cell." if name in CELL or name in AROUND else ""
        raise UsageError(f"There is no magic %{name}.{hint} Known: {', '.join('%' + known for known in sorted((*LINE, 'time')))}")
    frame = sys._getframe(1)
    if name == "timeit":
        return timing.timeit(arguments, frame)
    return function(shell.expand(arguments, frame))


def run_cell(name: str, arguments: str, body: str) -> Any:
    """`%%name arguments`, with the rest of the cell."""
    function = CELL.get(name)
    if function is None:
        known = ", ".join("%%" + known for known in sorted((*CELL, *AROUND)))
        raise UsageError(f"There is no cell magic %%{name}. Known: {known}")
    return function(arguments if name == "timeit" else shell.expand(arguments, sys._getframe(1)), body)


def split(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise UsageError(str(error)) from None


# Directories, variables, files

_before = ""


def cd(arguments: str) -> None:
    global _before
    words = split(arguments)
    target = words[0] if words else "~"
    if target == "-":
        if not _before:
            raise UsageError("%cd -: there is no directory before this one")
        target = _before
    here = os.getcwd()
    os.chdir(os.path.expanduser(target))
    _before = here
    streams.write_line(os.getcwd())


def pwd(arguments: str) -> str:
    return os.getcwd()


def ls(arguments: str) -> None:
    shell.run("ls " + arguments, shell=True)


def env(arguments: str) -> Any:
    name, separator, value = arguments.partition("=")
    if not separator:
        name, _, value = arguments.partition(" ")
    name, value = name.strip(), value.strip()
    if not name:
        return dict(os.environ)
    if separator or value:
        return set_env(f"{name}={value}")
    if name not in os.environ:
        raise UsageError(f"%env: there is no variable {name}")
    return os.environ[name]


def set_env(arguments: str) -> None:
    name, separator, value = arguments.partition("=")
    if not separator:
        name, _, value = arguments.partition(" ")
    name, value = name.strip(), value.strip()
    if not name or (not separator and not value):
        raise UsageError("%set_env takes NAME=value")
    os.environ[name] = value
    streams.write_line(f"env: {name}={value}")


def one_path(magic: str, arguments: str) -> str:
    words = split(arguments)
    if len(words) != 1:
        raise UsageError(f"{magic} takes the path of one file")
    return os.path.expanduser(words[0])


def read_source(path: str) -> str:
    with open(path, encoding="utf-8-sig") as file:
        return file.read()


def load_file(arguments: str) -> None:
    """In the midst of other code: runs the file there. A cell that is nothing else becomes the file, see `magics`."""
    path = one_path("%load", arguments)
    exec(compile(read_source(path), path, "exec", 0, True), namespace)


def run_file(arguments: str) -> None:
    """Runs a script as `__main__` with names of its own, which the user gets when it has ended."""
    words = split(arguments)
    shares = words[:1] == ["-i"]
    words = words[1:] if shares else words
    if not words:
        raise UsageError("%run takes the path of a file and its arguments")
    path = os.path.expanduser(words[0])
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", 0, True)
    names: dict[str, Any] = dict(namespace) if shares else {"__builtins__": builtins, "__annotations__": {}}
    names.update({"__name__": "__main__", "__file__": path})
    folder = os.path.dirname(os.path.abspath(path))
    before, sys.argv = sys.argv, words
    sys.path.insert(0, folder)
    try:
        exec(code, names)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise
    finally:
        sys.argv = before
        if folder in sys.path:
            sys.path.remove(folder)
        namespace.update((name, value) for name, value in names.items() if not name.startswith("__"))


def writefile(arguments: str, body: str) -> None:
    words = split(arguments)
    append = "-a" in words or "--append" in words
    paths = [word for word in words if word not in ("-a", "--append")]
    if len(paths) != 1:
        raise UsageError("%%writefile takes the path of one file, and -a to append")
    path = os.path.expanduser(paths[0])
    verb = "Appending to" if append else "Overwriting" if os.path.exists(path) else "Writing"
    with open(path, "a" if append else "w", encoding="utf-8", newline="") as file:
        file.write(body if body.endswith("\n") else body + "\n")
    streams.write_line(f"{verb} {path}")


# Names


def names_of_user() -> list[str]:
    return sorted(name for name in namespace if not name.startswith("_"))


def who(arguments: str) -> None:
    kinds = set(arguments.split())
    names = [name for name in names_of_user() if not kinds or type(namespace[name]).__name__ in kinds]
    streams.write_line("\t".join(names) if names else "Interactive namespace is empty.")


def whos(arguments: str) -> None:
    short = load("variables").short
    rows = [(name, type(namespace[name]).__name__, short(namespace[name])) for name in names_of_user()]
    if not rows:
        streams.write_line("Interactive namespace is empty.")
        return
    rows.insert(0, ("Variable", "Type", "Value"))
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    streams.write_line("\n".join(f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows))


def reset(arguments: str) -> None:
    for name in [name for name in namespace if not (name.startswith("__") and name.endswith("__"))]:
        del namespace[name]


# Programs


def pip(arguments: str) -> None:
    shell.pip(arguments)


def script(program: str) -> Callable[[str, str], None]:
    def run(arguments: str, body: str) -> None:
        words = split(arguments)
        count = next((at for at, word in enumerate(words) if not word.startswith(("-", "+"))), len(words))
        if count and words[count - 1][1:] == "o":
            count += 1  # `-o pipefail`
        status = shell.run([program, *words[:count], "-c", body, program, *words[count:]])
        if status != 0:
            raise shell.failed(status, f"%%{program}")

    return run


def matplotlib(arguments: str) -> None:
    """Figures are shown inline here in any case."""


# Cell magics whose body runs like any cell.
AROUND = ("capture", "time")
LINE: dict[str, Callable[[str], Any]] = {
    "pip": pip,
    "cd": cd,
    "pwd": pwd,
    "ls": ls,
    "env": env,
    "set_env": set_env,
    "timeit": timing.timeit,  # type: ignore[dict-item]  # called with the frame, too
    "who": who,
    "whos": whos,
    "reset": reset,
    "load": load_file,
    "run": run_file,
    "matplotlib": matplotlib,
}
CELL: dict[str, Callable[[str, str], Any]] = {
    "bash": script("bash"),
    "sh": script("sh"),
    "timeit": timing.timeit_cell,
    "writefile": writefile,
}


# Around a cell


def begin(name: str, arguments: str) -> Any:
    """Starts what a cell magic does around the cell; what it gives has a `report()` for the end."""
    if name == "time":
        if arguments:
            raise UsageError("%%time takes no arguments")
        return timing.Clock()
    return load("capture").Capture(arguments)
