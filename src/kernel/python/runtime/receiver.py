"""The thread that receives frames where their descriptor cannot be polled (pipes of Windows)."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
from _thread import start_new_thread
from os import _exit, read

from .waiter import unlock
from .wire import PIECE, RECEIVING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .wire import Wire


def start(wire: Wire) -> None:
    wire.on_interrupt = lambda: interrupt(wire)
    start_new_thread(run, (wire,))


def run(wire: Wire) -> None:
    while True:
        try:
            piece = read(RECEIVING, PIECE)
        except OSError:
            piece = b""
        if not piece:
            # The host is gone, and with it everything that this process is for.
            _exit(0)
        wire.take(piece)


def interrupt(wire: Wire) -> None:
    """The signal of an interrupt, from here: no console and no signal of the host's is needed."""
    kill = getattr(_signal, "pthread_kill", None)
    if kill is not None:
        kill(wire.main, _signal.SIGINT)
        return
    _signal.raise_signal(_signal.SIGINT)
    # There a wait for a lock goes on whatever is signalled.
    follower = wire.main_follows
    if follower is not None:
        unlock(follower)
