"""`tool.<name>(…)`: calls of the host's tools, and of the prelude's helpers."""

from __future__ import annotations

import sys
from _thread import get_ident
from keyword import iskeyword

from . import cells, lossless, streams
from .prelude_light import ToolError
from .runner import tools
from .waiter import Waiter
from .wire import is_forked, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Coroutine

    from .cells import Cell


class UnknownTool(ToolError, AttributeError):
    pass


UnknownTool.__name__ = UnknownTool.__qualname__ = "ToolError"
UnknownTool.__module__ = "builtins"


class Call(Waiter):
    """A call that was sent and not yet answered."""

    __slots__ = ("awaited", "coroutine", "future", "id", "name", "run", "scope")

    def __init__(self, name: str, scope: str) -> None:
        super().__init__()
        self.id = 0
        self.name = name
        self.scope = scope
        self.run = wire.current
        self.coroutine: Any = None
        self.future: Any = None
        self.awaited = True

    def result(self) -> Any:
        if self.frame["ok"]:
            return self.frame.get("value")
        raise ToolError(self.frame["message"], self.name)


_last_id = 0
# What one line of the protocol carries, with room for the rest of its frame.
MAX_ARGUMENTS = lossless.MAX_LENGTH - (1 << 16)
# Calls made in an event loop, by cell: a cell that ends before it has awaited them is wrong.
_started: list[Call] = []


def send(call: Call, arguments: str, in_place: bool) -> None:
    global _last_id
    if is_forked():
        raise ToolError("A process that a cell has forked cannot call tools.", call.name)
    if 4 * len(arguments) > MAX_ARGUMENTS and len(arguments.encode()) > MAX_ARGUMENTS:
        raise lossless.LosslessError("args", f"more than {MAX_ARGUMENTS} bytes")
    with wire.numbering:
        _last_id += 1
        call.id = _last_id
    head = (
        f'{{"type":"call","id":{call.id},"run":{call.run},"scope":"{call.scope}",'
        f'"name":{lossless.quote(call.name)},"args":{arguments}'
    )
    wire.replies[call.id] = call
    streams.flush()
    if in_place:
        wire.send_in_place(head)
    else:
        wire.send(head + "}\n")


def call_blocking(name: str, arguments: str, scope: str = "tool") -> Any:
    call = Call(name, scope)
    try:
        send(call, arguments, False)
        wire.wait(call)
    finally:
        wire.replies.pop(call.id, None)
    return call.result()


def call_awaitable(name: str, arguments: str) -> Coroutine[Any, Any, Any]:
    asyncio: Any = sys.modules["asyncio"]
    loop = asyncio.get_running_loop()
    call = Call(name, "tool")
    call.future = loop.create_future()
    call.awaited = False
    thread = get_ident()

    def deliver(waiter: Waiter) -> None:
        if get_ident() == thread:
            settle(call)
        else:
            try:
                loop.call_soon_threadsafe(settle, call)
            except RuntimeError:
                pass  # that loop has been closed: nobody waits any more

    call.deliver = deliver
    load_session().watch(loop)
    send(call, arguments, thread == wire.main)
    call.coroutine = wait_for(call)
    call.coroutine.__name__ = name
    call.coroutine.__qualname__ = f"tool.{name}"
    _started.append(call)
    return call.coroutine  # type: ignore[no-any-return]


def load_session() -> Any:
    from . import session_loop

    return session_loop


def settle(call: Call) -> None:
    if not call.future.done():
        call.future.set_result(None)


async def wait_for(call: Call) -> Any:
    call.awaited = True
    try:
        await call.future
    finally:
        wire.replies.pop(call.id, None)
        if call in _started:
            _started.remove(call)
    return call.result()


class Function:
    """One tool of the host."""

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name

    def __repr__(self) -> str:
        return f"<tool {self.__name__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = encode(self.__name__, args, kwargs)
        if in_event_loop():
            return call_awaitable(self.__name__, arguments)
        return call_blocking(self.__name__, arguments)

    def sync(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it, waits, and returns the result, also where an event loop runs."""
        return call_blocking(self.__name__, encode(self.__name__, args, kwargs))

    def aio(self, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        """Starts the call and returns what must be awaited."""
        return call_awaitable(self.__name__, encode(self.__name__, args, kwargs))


def in_event_loop() -> bool:
    asyncio: Any = sys.modules.get("asyncio")
    running = getattr(asyncio, "_get_running_loop", None)
    return running is not None and running() is not None


def encode(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    if args and (len(args) > 1 or kwargs or not isinstance(args[0], dict)):
        raise TypeError(f"tool.{name}() takes keyword arguments or one dict: tool.{name}(key=value) or tool.{name}({{'key': value}})")
    return lossless.encode(args[0] if args else kwargs, "args")


def plain_name(name: str) -> str:
    """How a tool's name is written where an identifier is needed."""
    plain = "".join(character if ("_" + character).isidentifier() else "_" for character in name)
    return plain if plain.isidentifier() else "_" + plain


def resolve(name: str) -> str:
    if name in tools.names:
        return name
    for real in tools.names:
        if plain_name(real) == name:
            return real
    if tools.open:
        return name
    known = ", ".join(tools.names) or "none"
    raise UnknownTool(f"There is no tool {name!r}. Available: {known}", name)


def attribute(name: str) -> Any:
    if name.startswith("__") and name.endswith("__") or name.startswith(("_repr_", "_ipython_")):
        raise AttributeError(name)
    return Function(resolve(name))


def item(name: str) -> Any:
    if not isinstance(name, str):
        raise TypeError("tool[...] takes the name of a tool")
    return Function(resolve(name))


def names() -> list[str]:
    return sorted(plain for plain in map(plain_name, tools.names) if not iskeyword(plain))


def end_of_cell(cell: Cell) -> None:
    """Calls that are still pending are given up; one that nobody ever awaited is the cell's error."""
    forgotten = []
    for call in [call for call in _started if call.run == cell.run]:
        _started.remove(call)
        if not call.awaited:
            forgotten.append(call.name)
            call.coroutine.close()
    cancelled = give_up(cell)
    if forgotten:
        calls = ", ".join(f"tool.{plain_name(name)}(…)" for name in forgotten)
        raise RuntimeError(f"{calls} was never awaited: in this cell an event loop runs, so write `await {calls}`")
    if cancelled:
        cell.notices.append("Still pending when the cell ended, cancelled: " + ", ".join(f"tool {name}" for name in cancelled))


def give_up(cell: Cell) -> list[str]:
    """Cancels what the cell still has pending; the names."""
    cancelled = []
    for call in list(wire.replies.values()):
        if isinstance(call, Call) and call.run == cell.run and call.scope == "tool":
            wire.replies.pop(call.id, None)
            if call.awaited or call.future is None:
                cancelled.append(call.name)
            call.frame = {"ok": False, "message": "The cell that made this call has ended."}
            wire.finish(call, call.frame)
    return cancelled


def helper(op: str, args: dict[str, Any]) -> Any:
    """Calls a helper of the prelude in the host."""
    return call_blocking(op, lossless.encode(args, "args"), "helper")


def emit_status(event: dict[str, Any]) -> None:
    streams.flush()
    wire.send_in_place(f'{{"type":"status","run":{wire.current},"event":{lossless.encode_display(event)}')


def stop(cell: Cell) -> None:
    """After an interrupt: nothing of the cell waits for an answer any more."""
    for call in [call for call in _started if call.run == cell.run]:
        _started.remove(call)
        if not call.awaited:
            call.coroutine.close()
    give_up(cell)


cells.ToolError = ToolError  # type: ignore[attr-defined]
