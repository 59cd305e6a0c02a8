"""One cell: compile it, run it in `__main__`, show its value, say how it ended."""

from __future__ import annotations

import builtins
import sys
from _ast import Expr, Expression, Module, PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST
from _thread import _count as count_threads

from . import lossless, streams
from .loader import load, when_imported
from .wire import is_forked, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

CO_COROUTINE = 0x80
# Every `from __future__` that there is: what one cell imports holds for those after it.
FUTURES = 0x1FE0000

namespace: dict[str, Any] = sys.modules["__main__"].__dict__
# Sources of cells whose code may still show up in a traceback or in `inspect.getsource`.
sources: dict[str, str] = {}
# Names of the last cells, by run, for what they have left behind.
names: dict[int, str] = {}
NAMES_KEPT = 1000
future_flags = 0
# Longer values are not held back for the last frame.
SHOWN_MAX = 1 << 14
# The host was told that nothing goes on between the cells, and takes the next run for started.
quiet = False
# Sentences for the next result.
pending_notices: list[str] = []


class Cell:
    def __init__(self, frame: dict[str, Any]) -> None:
        self.run: int = frame["id"]
        self.name: str = frame["cell"]
        self.source: str = frame["code"]
        # Bytes of the value as JSON, when it is wanted as data.
        self.max_value: int | None = frame.get("max_value")
        self.codes: list[CodeType] = []
        # None for a cell that is one expression.
        self.tree: Any = None
        # It ends with an expression, whose value is the cell's; with a `;` behind it, it is not shown.
        self.has_value = False
        self.silent = False
        # What the names in its code were before it ran, to tell later which were set.
        self.before: dict[str, int] = {}
        self.notices: list[str] = pending_notices[:]
        pending_notices.clear()
        # The cell was stopped in a plain await.
        self.awaiting = False
        # The cell magic around it.
        self.around: tuple[str, str] | None = None
        # Frames that tell the outcome, sent in one piece.
        self.frames: list[str] = []
        # The shown value, when it can go with them: each piece of output wakes the host once more.
        self.shown = ""


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
    if cell.run in wire.cancelled:
        wire.cancelled.discard(cell.run)
        finish(cell, "stopped", ',"waiting":"code"')
        return
    wire.current = cell.run
    names[cell.run] = cell.name
    if len(names) > NAMES_KEPT:
        del names[next(iter(names))]
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
    cell.frames.append(f'{{"type":"done","run":{cell.run},"outcome":"{outcome}"{more}}}\n')
    wire.send("".join(cell.frames))


def attempt(cell: Cell) -> tuple[str, str]:
    """Compiles and runs it. The outcome's name, and more fields of the `done` frame."""
    sources[cell.name] = cell.source
    show_to_linecache(cell.name)
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
        if not any(has_inner_code(code) for code in cell.codes):
            forget(cell.name)


def compile_all(cell: Cell) -> Exception | None:
    """Compiles it, as magics if not as it stands; the error with which that failed. Nothing has run then."""
    try:
        compile_cell(cell)
    except SyntaxError as error:
        try:
            if not may_have_magics(cell.source) or not load("magics").rewrite(cell):
                return error
        except Exception as second:
            return second
    except Exception as error:
        # Null bytes, too deep nesting, too large numbers.
        return error
    return None


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


def compile_cell(cell: Cell) -> None:
    global future_flags
    flags = future_flags | PyCF_ALLOW_TOP_LEVEL_AWAIT
    if may_be_expression(cell.source):
        try:
            cell.codes = [compile(cell.source, cell.name, "eval", flags, True)]
            cell.has_value = True
            return
        except SyntaxError:
            pass
    tree: Any = compile(cell.source, cell.name, "exec", flags | PyCF_ONLY_AST, True)
    body = tree.body
    cell.tree = tree
    codes = []
    if body and type(body[-1]) is Expr:
        last = body[-1]
        cell.has_value = True
        cell.silent = ";" in cell.source and ends_with_semicolon(cell.source, last)
        if len(body) > 1:
            codes.append(compile(Module(body[:-1], []), cell.name, "exec", flags, True))
            flags |= codes[0].co_flags & FUTURES
        codes.append(compile(Expression(last.value), cell.name, "eval", flags, True))
    elif body:
        codes.append(compile(tree, cell.name, "exec", flags, True))
    for code in codes:
        future_flags |= code.co_flags & FUTURES
    cell.codes = codes


def may_be_expression(source: str) -> bool:
    """Whether it is worth the try: an expression alone compiles in a third of the time."""
    return len(source) < 200 and "\n" not in source and " = " not in source and not source[:1].isspace()


def ends_with_semicolon(source: str, last: Any) -> bool:
    line = lines_of(source)[last.end_lineno - 1]
    return line.encode()[last.end_col_offset :].lstrip().startswith(b";")  # type: ignore[no-any-return]


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
    codes = cell.codes
    if any(code.co_flags & CO_COROUTINE for code in codes) or "get_running_loop" in codes_names(codes):
        value = load("session_loop").run_cell(cell)
    else:
        for code in codes:
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


def codes_names(codes: list[CodeType]) -> tuple[str, ...]:
    return codes[0].co_names if len(codes) == 1 else codes[0].co_names + codes[1].co_names if codes else ()


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


def has_inner_code(code: CodeType) -> bool:
    kind = type(code)
    return any(type(constant) is kind for constant in code.co_consts)


def may_have_magics(source: str) -> bool:
    return "%" in source or "!" in source


# Sources for tracebacks


def show_to_linecache(name: str) -> None:
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        source = sources[name]
        linecache.cache[name] = (len(source), None, lines_of(source), name)


def lines_of(source: str) -> list[str]:
    """Lines as the compiler counts them, each with its end."""
    return [line + "\n" for line in source.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def forget(name: str) -> None:
    sources.pop(name, None)
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        linecache.cache.pop(name, None)


def show_all_to_linecache(module: ModuleType | None = None) -> None:
    for name in list(sources):
        show_to_linecache(name)


when_imported("linecache", show_all_to_linecache)


def end_of_fork(outcome: str, cell: Cell) -> None:
    """A child that a cell forked has come to the end of the cell: it ends, as a script would."""
    streams.flush()
    from os import _exit

    _exit(load("failure").exit_code_of_fork(outcome, cell))
