"""The display rules: which form of a value the host gets."""

from __future__ import annotations

from . import lossless, streams
from .wire import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def send(form: str, fields: str) -> None:
    streams.flush()
    wire.send_in_place(f'{{"type":"display","run":{wire.current},"form":"{form}",{fields}')


def send_json(value: Any) -> None:
    send("json", '"value":' + lossless.encode_display(value))


def send_text(text: str, markdown: bool = False) -> None:
    send("markdown" if markdown else "text", '"text":' + lossless.quote(text))


def display(*values: Any) -> None:
    for value in values:
        if isinstance(value, (dict, list, tuple)):
            send_json(value)
        elif isinstance(value, str):
            send_text(value)
        else:
            show_value(value)


def show_value(value: Any) -> None:
    streams.write_line(repr(value))


def show_figures() -> None:
    pass
