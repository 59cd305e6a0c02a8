"""One cell: compile it, run it in `__main__`, show its value, say how it ended."""

from __future__ import annotations

import builtins
import sys
from _thread import _count as count_threads

from . import cell_sources, lossless, streams
from .compiling import compile_all, has_inner_code
from .loader import load
from .wire import is_forked, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

CO_COROUTINE = 0x80

namespace: dict[str, Any] = sys.modules["__main__"].__dict__
# Names of the last cells, by run, for what they have left behind: this many at least.
names: dict[int, str] = {}
NAMES_KEPT = 1000
# Longer values are not held back for the last frame.
SHOWN_MAX = 1 << 14
# The host was told that nothing goes on between the cells, and takes the next run for started.
quiet = False
# Sentences for the next result.
pending_notices: list[str] = []


class Cell:
    # None for a cell that is one expression.
    tree: Any = None
    # It ends with an expression, whose value is the cell's; with a `;` behind it, it is not shown.
    has_value = False
    silent = False
    # The cell was stopped in a plain await.
    awaiting = False
    # The cell magic around it.
    around: tuple[str, str] | None = None
    # The shown value, when it can go with the last frame: each piece of output wakes the host once more.
    shown = ""
    codes: list[CodeType]

    def __init__(self, frame: dict[str, Any]) -> None:
        self.run: int = frame["id"]
        self.name: str = frame["cell"]
        self.source: str = frame["code"]
        # Bytes of the value as JSON, when it is wanted as data.
        self.max_value: int | None = frame.get("max_value")
        self.codes = []
        # What the names in its code were before it ran, to tell later which were set.
        self.before: dict[str, int] = {}
        # Frames that tell the outcome, sent in one piece.
        self.frames: list[str] = []
        self.notices: list[str] = []
        if pending_notices:
            self.notices += pending_notices
            pending_notices.clear()


class StdinUnavailable(EOFError):
    """Raised by `input()` and its friends."""

    def __init__(self) -> None:
        super().__init__("Kernel requested stdin; interactive input is not supported.")


StdinUnavailable.__name__ = StdinUnavailable.__qualname__ = "EOFError"
StdinUnavailable.__module__ = "builtins"


def run(frame: dict[str, Any]) -> None:
    global quiet
    was_quiet = quiet
    quiet = False
    cell = Cell(frame)
    wire.hit = 0
    wire.deferred = False
    wire.install()
    if wire.cancelled and cell.run in wire.cancelled:
        wire.cancelled.discard(cell.run)
        finish(cell, "stopped", ',"waiting":"code"')
        return
    wire.current = cell.run
    names[cell.run] = cell.name
    if len(names) > 2 * NAMES_KEPT:
        # In one go: a dict that loses its first item each time looks through all that it has lost before.
        for old in list(names)[:NAMES_KEPT]:
            del names[old]
    try:
        if not was_quiet:
            # A thread or a task, which may be over by now, can have printed: what is in the pipe is theirs.
            wire.send_in_place(f'{{"type":"started","run":{cell.run}')
        outcome, more = attempt(cell)
    except KeyboardInterrupt:
        # It hit before the cell's own code: while the host was told, or while it was compiled.
        outcome, more = "stopped", ',"waiting":"code"'
    if is_forked():
        end_of_fork(outcome, cell)
    finish(cell, outcome, more)


def is_busy() -> bool:
    """Whether something can print between cells: a thread, or a task or timer of the session's loop."""
    return count_threads() > 0 or (wire.loop is not None and wire.loop.is_busy())


def finish(cell: Cell, outcome: str, more: str) -> None:
    global quiet
    # An interrupt that comes now is too late: raised in here it would cost the frame that ends the cell.
    wire.shielded += 1
    try:
        streams.end_of_cell()
    finally:
        wire.shielded -= 1
    wire.current = 0
    if cell.shown:
        more += ',"text":' + lossless.quote_shown(cell.shown)
    quiet = not is_busy()
    if quiet:
        more += ',"quiet":true'
    if wire.loop is not None:
        cell.notices += wire.loop.failures(cell.run)
    if cell.notices:
        more += ',"notices":' + lossless.encode(cell.notices)
    wire.send(f'{"".join(cell.frames)}{{"type":"done","run":{cell.run},"outcome":"{outcome}"{more}}}\n')


def attempt(cell: Cell) -> tuple[str, str]:
    """Compiles and runs it. The outcome's name, and more fields of the `done` frame."""
    cell_sources.keep(cell.name, cell.source)
    try:
        problem = compile_all(cell)
        if problem is not None:
            return load("failure").of_syntax(cell, problem)  # type: ignore[no-any-return]
        for code in cell.codes:
            for name in code.co_names:
                if name in namespace:
                    cell.before[name] = id(namespace[name])
        try:
            execute(cell)
            show_figures()
        except BaseException as error:
            return after_failure(cell, error)
        if wire.hit == cell.run:
            # It swallowed the interrupt and then ended: what was asked for happened.
            return "stopped", ',"waiting":"code"'
        return "complete", ""
    finally:
        if not has_inner_code(cell.codes):
            cell_sources.forget(cell.name)


def after_failure(cell: Cell, error: BaseException) -> tuple[str, str]:
    wire.shielded += 1
    try:
        failure = load("failure")
    finally:
        wire.shielded -= 1
    try:
        try:
            show_figures()
        except Exception:
            pass
        return failure.of_run(cell, error)  # type: ignore[no-any-return]
    except BaseException as second:
        # An interrupt hit while a user's `__str__` was at work, or the formatting failed.
        wire.shielded += 1
        try:
            return failure.of_failure(cell, error, second)  # type: ignore[no-any-return]
        finally:
            wire.shielded -= 1


def execute(cell: Cell) -> None:
    if cell.around is None:
        evaluate(cell)
        return
    around = load("magic").begin(*cell.around)
    try:
        evaluate(cell)
    finally:
        around.report()


def evaluate(cell: Cell) -> None:
    value = None
    if needs_loop(cell.codes):
        value = load("session_loop").run_cell(cell)
    else:
        for code in cell.codes:
            value = eval(code, namespace)
    if is_forked():
        return
    if "_evalcell.bridge" in sys.modules:
        load("bridge").end_of_cell(cell)
    if cell.max_value is not None:
        if cell.has_value and value is not None:
            load("values").send(cell, value)
    elif value is not None and not cell.silent:
        show(cell, value)


def needs_loop(codes: list[CodeType]) -> bool:
    for code in codes:
        if code.co_flags & CO_COROUTINE or "get_running_loop" in code.co_names:
            return True
    return False


def show(cell: Cell, value: Any) -> None:
    """Shows the cell's last value."""
    hook = sys.displayhook
    if hook is not sys.__displayhook__:
        hook(value)
        return
    vars(builtins)["_"] = value
    if type(value).__module__ == "builtins":
        text = repr(value) + "\n"
        if len(text) > SHOWN_MAX or cell.around is not None or "matplotlib.pyplot" in sys.modules or not lossless.is_utf8(text):
            streams.write_line(text)
        else:
            # Nothing is printed after it.
            cell.shown = text
    else:
        load("display").show_value(value)


def show_figures() -> None:
    if "matplotlib.pyplot" in sys.modules:
        load("display").show_figures()


def end_of_fork(outcome: str, cell: Cell) -> None:
    """A child that a cell forked has come to the end of the cell: it ends, as a script would."""
    streams.flush()
    from os import _exit

    _exit(load("failure").exit_code_of_fork(outcome, cell))
