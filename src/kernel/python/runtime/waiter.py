"""Somebody who waits for a frame."""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Waiter:
    """One thing that somebody waits for."""

    __slots__ = ("deliver", "done", "frame", "lock")

    def __init__(self, deliver: Callable[[Waiter], None] | None = None) -> None:
        self.done = False
        self.frame: Any = None
        # For those who do not wait in `Wire.wait`: called when it is done, from any thread.
        self.deliver = deliver
        self.lock = allocate_lock()
        self.lock.acquire()


def unlock(waiter: Waiter) -> None:
    try:
        waiter.lock.release()
    except RuntimeError:
        # It has been woken already and will look for itself.
        pass
