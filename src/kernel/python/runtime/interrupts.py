"""Interrupts: SIGINT means "look whether the host wants the current run stopped", and nothing else.

The host says which run it means, then sends the signal. So a signal that comes late hits nobody.
"""

from __future__ import annotations

from _signal import SIGINT, default_int_handler, getsignal  # type: ignore[import-not-found]
from _signal import signal as set_signal_handler
from _thread import get_ident
from os import getpid

from .loader import PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Callable


class Interrupts:
    def __init__(self, handler: Callable[[int, FrameType | None], None]) -> None:
        self.handler = handler
        self.pid = getpid()
        self.main = get_ident()
        # The main thread is at receiving: from before it takes the lock until after it has given it back.
        self.main_receives = False
        # The run whose cell is executing; 0 when idle.
        self.current = 0
        # The last run that the host wants stopped, and the one that was hit for it.
        self.stop = -1
        self.hit = 0
        self.cancelled: set[int] = set()
        # A signal came while the runner's own code was at work.
        self.deferred = False
        self.shielded = 0
        # The main thread waits and may be torn out of it.
        self.blocked = False
        # Decides how an interrupt inside an event loop goes; set by `session_loop`.
        self.in_loop: Callable[[FrameType | None], bool] | None = None

    def pump(self) -> None:
        """Receives what has arrived."""
        raise NotImplementedError

    def install(self) -> None:
        """Has SIGINT mean: look whether the host wants the current run stopped."""
        if getsignal(SIGINT) is not self.handler:
            set_signal_handler(SIGINT, self.handler)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if getpid() != self.pid:
            default_int_handler(number, frame)
        if self.main_receives or self.shielded:
            self.deferred = True
            return
        self.pump()
        if not self.is_due(frame):
            return
        if frame is not None and is_own(frame.f_code) and not self.blocked:
            self.deferred = True
            return
        self.fire(frame)

    def is_due(self, frame: FrameType | None) -> bool:
        if self.current:
            return self.stop == self.current
        # Nothing of the host's runs; only a task that keeps the idle kernel busy can be meant.
        return self.in_loop is not None and (self.stop == 0 or self.stop in self.cancelled)

    def fire(self, frame: FrameType | None) -> None:
        self.deferred = False
        self.blocked = False
        self.hit = self.current
        if self.in_loop is not None and not self.in_loop(frame):
            return
        raise KeyboardInterrupt

    def raise_deferred(self) -> None:
        """Where the runner's code lets go: an interrupt that came meanwhile."""
        if self.deferred and get_ident() == self.main and not self.shielded:
            self.deferred = False
            self.pump()
            if self.is_due(None):
                self.fire(None)


def is_own(code: CodeType) -> bool:
    return code.co_filename.startswith(PREFIX)
