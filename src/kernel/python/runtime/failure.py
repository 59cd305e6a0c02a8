"""How a cell failed: the traceback as a person reads it, and the frames that tell the host."""

from __future__ import annotations

import sys
import traceback

from . import cell_sources, cells, lossless, streams
from .loader import PREFIX, load
from .wire import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cells import Cell

# Of longer tracebacks the middle is cut out.
MAX_LINES = 200
HEAD_LINES = 80
MAX_CHARACTERS = 50_000
MAX_MESSAGE = 10_000


def of_syntax(cell: Cell, error: BaseException) -> tuple[str, str]:
    """An error that was found before anything ran."""
    lines = traceback.format_exception_only(type(error), error)
    line = column = None
    if isinstance(error, SyntaxError) and error.filename == cell.name:
        line, column = error.lineno, error.offset
    add_error(cell, error, "".join(lines), line, column)
    return "syntax", ""


def of_run(cell: Cell, error: BaseException) -> tuple[str, str]:
    """What went wrong while it ran."""
    if wire.hit == cell.run:
        return of_stop(cell, error)
    if isinstance(error, SystemExit):
        return of_exit(cell, error)
    if isinstance(error, load("values").Unfit):
        return error.outcome, error.fields + bindings(cell, error)  # type: ignore[attr-defined]
    text = format_exception(error, cell)
    line, column = place(cell, error)
    add_error(cell, error, text, line, column)
    kind = "stdin" if isinstance(error, cells.StdinUnavailable) else "exception"
    return kind, bindings(cell, error)


def of_task(error: BaseException, name: str | None) -> str:
    """The sentence about a task that failed and that nobody awaited."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f", line {line}" if line is not None else ""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()[:MAX_MESSAGE]
    return f"A task of {name or 'an earlier cell'}{where} failed and was never awaited: {text}"


def of_stop(cell: Cell, error: BaseException) -> tuple[str, str]:
    wire.shielded += 1
    try:
        waiting = "await" if getattr(cell, "awaiting", False) else "code"
        return "stopped", f',"waiting":"{waiting}"' + bindings(cell, error)
    finally:
        wire.shielded -= 1


def of_exit(cell: Cell, error: SystemExit) -> tuple[str, str]:
    code = error.code
    more = ""
    if code is None:
        number = 0
    elif isinstance(code, int):
        number = int(code) if -(2**31) <= code < 2**31 else -1
    else:
        number = 1
        text = str(code)
        streams.stderr.write(text + "\n")
        more = ',"message":' + lossless.quote_shown(text[:MAX_MESSAGE])
    return "exit", f',"code":{number}{more}' + (bindings(cell, error) if number else "")


def of_failure(cell: Cell, error: BaseException, second: BaseException) -> tuple[str, str]:
    """The failure could not be described; shielded."""
    if wire.hit == cell.run:
        return "stopped", ',"waiting":"code"' + bindings(cell, error)
    name = type(error).__name__
    text = f"{name}: <its description failed with {type(second).__name__}>\n"
    cell.frames = [error_frame(cell, name, text, text, None, None)]
    return "exception", bindings(cell, error)


def bindings(cell: Cell, error: BaseException) -> str:
    try:
        bound, missing = load("bindings").of(cell, error)
        return ',"bound":' + lossless.encode(bound) + ',"not_reached":' + lossless.encode(missing)
    except Exception:
        return ""


def add_error(cell: Cell, error: BaseException, text: str, line: int | None, column: int | None) -> None:
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:
        message = f"<str() of this {name} failed>"
    if isinstance(error, SyntaxError):
        message = error.msg or message
    cell.frames.append(error_frame(cell, name, message[:MAX_MESSAGE], shorten(text), line, column))


def error_frame(cell: Cell, name: str, message: str, text: str, line: int | None, column: int | None) -> str:
    quote = lossless.quote_shown
    where = f',"line":{line}' if isinstance(line, int) and line > 0 else ""
    where += f',"column":{column}' if isinstance(column, int) and column > 0 else ""
    return (
        f'{{"type":"error","run":{cell.run},"name":{quote(name)},"message":{quote(message)}'
        f',"traceback":{quote(text)}{where}}}\n'
    )


def format_exception(error: BaseException, cell: Cell | None = None) -> str:
    """The traceback without frames of ours."""
    cell_sources.show_all_to_linecache()
    described = traceback.TracebackException(type(error), error, error.__traceback__, compact=True) if (
        sys.version_info >= (3, 10)
    ) else traceback.TracebackException(type(error), error, error.__traceback__)
    pending: list[Any] = [described]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        clean(one.stack)
        pending += [one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or [])]
    return "".join(described.format())


def clean(stack: Any) -> None:
    """Removes the runner's frames, and what led from them to the cell's first frame."""
    first = next((at for at, frame in enumerate(stack) if frame.filename in cell_sources.texts), None)
    start = first if first is not None and any(frame.filename.startswith(PREFIX) for frame in stack[:first]) else 0
    stack[:] = [frame for frame in stack[start:] if not frame.filename.startswith(PREFIX)]


def shorten(text: str) -> str:
    """Cuts the middle of what nobody reads to its end."""
    lines = text.splitlines(True)
    if len(lines) > MAX_LINES:
        tail = MAX_LINES - HEAD_LINES
        left = len(lines) - MAX_LINES
        lines = [*lines[:HEAD_LINES], f"  … {left} lines left out …\n", *lines[-tail:]]
        text = "".join(lines)
    if len(text) > MAX_CHARACTERS:
        half = MAX_CHARACTERS // 2
        text = f"{text[:half]}\n  … {len(text) - MAX_CHARACTERS} characters left out …\n{text[-half:]}"
    return text


def place(cell: Cell, error: BaseException) -> tuple[int | None, int | None]:
    """Line and column, from 1, of the innermost frame in this cell's own code."""
    line = column = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == cell.name:
            line, column = trace.tb_lineno, None
            if hasattr(code, "co_positions"):
                for index, position in enumerate(code.co_positions()):
                    if index == trace.tb_lasti // 2:
                        column = None if position[2] is None else position[2] + 1
                        break
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError) and error.filename == cell.name:
        line, column = error.lineno, error.offset
    return line, column


def exit_code_of_fork(outcome: str, cell: Cell) -> int:
    for frame in cell.frames:
        described = lossless.decode(frame)
        if described["type"] == "error":
            streams.stderr.write(described["traceback"])
    return 0 if outcome in ("complete", "exit") else 1
