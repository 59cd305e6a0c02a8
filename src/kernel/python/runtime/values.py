"""A cell's value as data."""

from __future__ import annotations

from . import lossless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cells import Cell


class Unfit(Exception):
    """The value cannot be handed over; not an exception of the user's code."""

    def __init__(self, outcome: str, fields: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome
        self.fields = fields


def send(cell: Cell, value: Any) -> None:
    try:
        text = lossless.encode(value)
    except lossless.LosslessError as error:
        fields = f',"place":{lossless.quote_shown(error.place)},"problem":{lossless.quote_shown(error.problem)}'
        raise Unfit("invalid-output", fields) from None
    size = len(text.encode())
    limit = cell.max_value or 0
    if size > limit:
        raise Unfit("output-limit", f',"bytes":{size},"limit":{limit}')
    cell.frames.append(f'{{"type":"result","run":{cell.run},"value":{text}}}\n')
