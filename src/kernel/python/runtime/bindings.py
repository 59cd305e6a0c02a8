"""Which top-level names a cell that failed had set, and which it would have set but did not."""

from __future__ import annotations

import dis

from .cells import namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from .cells import Cell

STORES = ("STORE_NAME", "STORE_GLOBAL")
COMPOUND = ("If", "For", "AsyncFor", "While", "Try", "TryStar", "With", "AsyncWith", "Match")


def of(cell: Cell, error: BaseException) -> tuple[list[str], list[str]]:
    bound: dict[str, None] = {}
    missing: dict[str, None] = {}
    failed, offset = failing_place(cell, error)
    compound = [
        (statement.lineno, statement.end_lineno)
        for statement in (cell.tree.body if cell.tree is not None else [])
        if type(statement).__name__ in COMPOUND
    ]
    for index, code in enumerate(cell.codes):
        # Nothing of a later part has run; all of an earlier one has.
        reached = offset if index == failed else (1 << 62 if index < failed else -1)
        for name, at, line in stores(code):
            simple = not any(first <= line <= last for first, last in compound)
            if at < reached and simple or is_changed(cell, name):
                bound[name] = None
            elif at > reached or not simple:
                missing[name] = None
    for name in bound:
        missing.pop(name, None)
    return list(bound), list(missing)


def is_changed(cell: Cell, name: str) -> bool:
    return name in namespace and cell.before.get(name) != id(namespace[name])


def stores(code: CodeType) -> list[tuple[str, int, int]]:
    """Names that the code sets, where in the code, and on which line."""
    found = []
    line = code.co_firstlineno
    deleted = set()
    for instruction in dis.get_instructions(code):
        starts: Any = getattr(instruction, "line_number", None) or instruction.starts_line
        if starts is not None and starts is not True and starts is not False:
            line = starts
        name = instruction.argval
        if instruction.opname in STORES and not (name.startswith("__") and name.endswith("__")):
            found.append((name, instruction.offset, line))
        elif instruction.opname in ("DELETE_NAME", "DELETE_GLOBAL"):
            # The name of an `except … as name`, or one that is only temporary.
            deleted.add(name)
    return [store for store in found if store[0] not in deleted]


def failing_place(cell: Cell, error: BaseException) -> tuple[int, int]:
    """Which part of the cell failed, and at which instruction. When nothing tells, all of it has run."""
    seen = set()
    reason: BaseException | None = error
    # What cancels a task is raised anew outside of it, before Python 3.11; the place is in what came before.
    while reason is not None and id(reason) not in seen:
        seen.add(id(reason))
        place = None
        trace = reason.__traceback__
        while trace is not None:
            for index, code in enumerate(cell.codes):
                if trace.tb_frame.f_code is code:
                    place = (index, trace.tb_lasti)
            trace = trace.tb_next
        if place is not None:
            return place
        reason = reason.__cause__ or reason.__context__
    return len(cell.codes), 0
