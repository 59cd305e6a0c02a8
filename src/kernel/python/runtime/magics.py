"""`%magic`, `%%magic` and `!command` to calls, where and only where Python itself sees no code.

Asked only when the cell does not compile. Works on lines, but knows strings, brackets, comments and continued lines: what
stands inside of those is never touched. Lines stay where the user wrote them.
"""

from __future__ import annotations

import builtins
from _ast import PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

from . import cell_sources, compiling
from .loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .cells import Cell

MAGIC = "__evalcell_magic__"
CELL_MAGIC = "__evalcell_cell_magic__"
SYSTEM = "__evalcell_system__"
CAPTURE = "__evalcell_capture__"
CLOCK = "__evalcell_clock__"
TIMED = "__evalcell_timed__"
# Cell magics whose body is Python and runs like any cell.
AROUND = ("time", "capture")


def rewrite(cell: Cell) -> bool:
    """Rewrites the cell's magics and compiles it again. False when there are none: then the error stands."""
    original = source = cell.source
    first = source.strip()
    if first.startswith("%%"):
        source = cell_magic(cell, source)
    else:
        if first.startswith("%load ") and "\n" not in first:
            source = loaded(cell, first[len("%load ") :])
        source = line_magics(source)
    if source == original:
        return False
    names = vars(builtins)
    if MAGIC not in names:
        magic, shell, timing = load("magic"), load("shell"), load("timing")
        names.update({MAGIC: magic.run_line, CELL_MAGIC: magic.run_cell, SYSTEM: shell.system, CAPTURE: shell.capture})
        names.update({CLOCK: timing.Clock, TIMED: timing.timed})
    cell.source = source
    try:
        compiling.compile_cell(cell)
    finally:
        cell.source = original
    return True


def loaded(cell: Cell, arguments: str) -> str:
    """The file that the cell becomes. When it cannot be read, the cell stays what it is, and fails when it runs."""
    magic = load("magic")
    try:
        source = str(magic.read_source(magic.one_path("%load", arguments)))
    except (OSError, ValueError, magic.UsageError):  # type: ignore[misc]
        return cell.source
    cell_sources.keep(cell.name, source)
    return source


def cell_magic(cell: Cell, source: str) -> str:
    lines = cell_sources.lines_of(source)
    start = next(index for index, line in enumerate(lines) if line.strip())
    name, _, arguments = lines[start].strip()[2:].partition(" ")
    body = "".join(lines[start + 1 :])
    if name in AROUND:
        cell.around = (name, arguments.strip())
        # Empty lines in place of the first ones: those of the body keep their numbers.
        return "\n" * (start + 1) + line_magics(body)
    return "\n" * start + f"{CELL_MAGIC}({name!r}, {arguments.strip()!r}, {body!r})"


def line_magics(source: str) -> str:
    lines = cell_sources.lines_of(source)
    out = []
    state = State()
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        at = state.magic_at(line) if state.is_neutral() else -1
        if at < 0:
            if state.is_neutral():
                state.continued = False
            state.read(line)
            out.append(line)
            continue
        command = line[at:].rstrip("\n")
        extra = 0
        while command.endswith("\\") and index < len(lines):
            command = command[:-1] + lines[index].strip()
            index += 1
            extra += 1
        out.append(line[:at] + call_of(command, line[:at].rstrip().endswith("=")) + "\n" + "\n" * extra)
    text = "".join(out)
    return text if source.endswith(("\n", "\r")) else text[:-1]


def call_of(command: str, is_assigned: bool) -> str:
    if command.startswith("!"):
        return f"{CAPTURE if is_assigned or command.startswith('!!') else SYSTEM}({command.lstrip('!')!r})"
    name, _, arguments = command[1:].strip().partition(" ")
    if name == "time" and arguments.strip():
        # In place, so that what it sets, awaits and gives is the cell's.
        if is_expression(arguments):
            return f"{TIMED}({CLOCK}(), ({arguments.strip()}))"
        return f"with {CLOCK}(): {arguments.strip()}"
    return f"{MAGIC}({name!r}, {arguments.strip()!r})"


def is_expression(source: str) -> bool:
    try:
        compile(source.strip(), "<time>", "eval", PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    except (SyntaxError, ValueError):
        return False
    return True


def is_magic(line: str, at: int) -> bool:
    return line[at : at + 1] == "!" or line[at : at + 1] == "%" and line[at + 1 : at + 2].isidentifier()


class State:
    """Where in Python's syntax a line begins."""

    def __init__(self) -> None:
        self.depth = 0
        # The quotes of a string that goes on over lines.
        self.quotes = ""
        self.continued = False

    def is_neutral(self) -> bool:
        return self.depth == 0 and not self.quotes and not self.continued

    def magic_at(self, line: str) -> int:
        """Where in the line a magic begins, when it has one; -1 else."""
        start = len(line) - len(line.lstrip())
        if is_magic(line, start) or line.startswith("%%", start) and is_magic(line, start + 1):
            return start
        # `name = !command`: in Python neither `!` nor `%` can follow an `=`.
        state = State()
        at = start
        while at < len(line):
            before, after = line[at - 1 : at], line[at + 1 : at + 2]
            if state.is_neutral() and line[at] == "=" and after != "=" and before not in ("=", "!", "<", ">", ":"):
                value = at + 1 + len(line[at + 1 :]) - len(line[at + 1 :].lstrip(" \t"))
                if is_magic(line, value):
                    return value
            at = state.step(line, at)
        return -1

    def read(self, line: str) -> None:
        self.continued = False
        at = 0
        while at < len(line):
            at = self.step(line, at)

    def step(self, line: str, at: int) -> int:
        """Reads what stands at this place; the place after it."""
        character = line[at]
        if self.quotes:
            if character == "\\":
                return at + 2
            if line.startswith(self.quotes, at):
                at += len(self.quotes)
                self.quotes = ""
                return at
            if character == "\n" and len(self.quotes) == 1:
                self.quotes = ""  # unfinished: the compiler says so
            return at + 1
        if character == "#":
            return len(line)
        if character in "\"'":
            self.quotes = character * 3 if line.startswith(character * 3, at) else character
            return at + len(self.quotes)
        if character in "([{":
            self.depth += 1
        elif character in ")]}":
            self.depth = max(0, self.depth - 1)
        elif character == "\\" and line[at + 1 :].strip() == "":
            self.continued = True
            return len(line)
        return at + 1
