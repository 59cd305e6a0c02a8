"""From a cell's source to code objects."""

from __future__ import annotations

from _ast import Expr, Expression, Module, PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

from .cell_sources import lines_of
from .loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from .cells import Cell

# Every `from __future__` that there is: what one cell imports holds for those after it.
FUTURES = 0x1FE0000
future_flags = 0
# A longer cell is seldom one expression.
EXPRESSION_MAX = 200


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


def compile_cell(cell: Cell) -> None:
    global future_flags
    flags = future_flags | PyCF_ALLOW_TOP_LEVEL_AWAIT
    source = cell.source
    # An expression alone compiles in a third of the time: where it may be one, that is worth the try.
    if len(source) < EXPRESSION_MAX and "\n" not in source and " = " not in source and not source[:1].isspace():
        try:
            cell.codes = [compile(source, cell.name, "eval", flags, True)]
            cell.has_value = True
            return
        except SyntaxError:
            pass
    tree: Any = compile(source, cell.name, "exec", flags | PyCF_ONLY_AST, True)
    body = tree.body
    cell.tree = tree
    codes = []
    if body and type(body[-1]) is Expr:
        last = body[-1]
        cell.has_value = True
        cell.silent = ";" in source and ends_with_semicolon(source, last)
        if len(body) > 1:
            codes.append(compile(Module(body[:-1], []), cell.name, "exec", flags, True))
            flags |= codes[0].co_flags & FUTURES
        codes.append(compile(Expression(last.value), cell.name, "eval", flags, True))
    elif body:
        codes.append(compile(tree, cell.name, "exec", flags, True))
    for code in codes:
        future_flags |= code.co_flags & FUTURES
    cell.codes = codes


def ends_with_semicolon(source: str, last: Any) -> bool:
    line = lines_of(source)[last.end_lineno - 1]
    return line.encode()[last.end_col_offset :].lstrip().startswith(b";")  # type: ignore[no-any-return]


def has_inner_code(codes: list[CodeType]) -> bool:
    """Whether something of it, a function or a class, can live on after the cell."""
    for code in codes:
        kind = type(code)
        for constant in code.co_consts:
            if type(constant) is kind:
                return True
    return False


def may_have_magics(source: str) -> bool:
    return "%" in source or "!" in source
