"""Frames in and out, and waiting for them.

Any thread may send, wait and receive. At most one thread waits on the descriptor itself, the *leader*; the others wait on
a lock of their own. Whoever receives frames delivers them to all. Where the descriptor cannot be polled, a thread of ours
leads for ever (`receiver`).
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from os import _exit, getpid, pipe, read
from os import write as write_bytes

from . import lossless, receiving, sending
from .interrupts import Interrupts
from .waiter import Waiter, unlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Callable

RECEIVING: int = receiving
SENDING: int = sending
PIECE = 1 << 18


class Wire(Interrupts):
    def __init__(self) -> None:
        super().__init__(handle_signal)
        self.buffer = bytearray()
        self.scanned = 0
        self.reading = allocate_lock()
        self.writing = allocate_lock()
        self.leading = allocate_lock()
        self.leader: Waiter | None = None
        # Waiters on their own locks; one of them is woken when the leader leaves.
        self.followers: list[Waiter] = []
        # The one that the main thread is, or was last: an interrupt wakes it where a signal cannot.
        self.main_follows: Waiter | None = None
        # The leader is in its poll, or about to be.
        self.polling = False
        # Frames for the main loop, and who waits for them.
        self.inbox: list[dict[str, Any]] = []
        self.main_waiter: Waiter | None = None
        self.on_inbox: Callable[[], object] | None = None
        self.replies: dict[int, Waiter] = {}
        self.places: dict[int, Waiter] = {}
        self.place = 0
        self.loop: Any = None
        self.numbering = allocate_lock()
        # A thread of ours receives, because the descriptor cannot be polled; it says here what an interrupt does.
        self.has_receiver = RECEIVING != SENDING
        # An event loop looks at the descriptor too, perhaps in another thread: nobody may then wait in `read` itself.
        self.is_watched = self.has_receiver
        self.on_interrupt: Callable[[], object] | None = None
        if self.has_receiver:
            self.leading.acquire()
        else:
            self.make_polls()

    def make_polls(self) -> None:
        from select import POLLIN, poll

        # Ends the leader's poll. A signal handler may receive what the poll waits for, and the poll then goes on for ever.
        self.wake = pipe()
        # Two, because one poll object serves one thread at a time.
        self.ready = poll()
        self.ready.register(RECEIVING, POLLIN)
        self.waiting = poll()
        self.waiting.register(RECEIVING, POLLIN)
        self.waiting.register(self.wake[0], POLLIN)

    # Sending

    def send(self, text: str) -> None:
        """Writes whole lines. Text, so that a frame is made in one step and sent in one step."""
        data = text.encode()
        if getpid() != self.pid:
            return
        with self.writing:
            sent = write_bytes(SENDING, data)
            if sent < len(data):
                view = memoryview(data)
                while sent < len(data):
                    sent += write_bytes(SENDING, view[sent:])

    def send_in_place(self, head: str) -> None:
        """Sends a frame whose place in the output matters: returns when the host has read all output before it.

        `head` is the frame without its end; the number of the place is added here.
        """
        if is_forked():
            return
        waiter = Waiter()
        with self.writing:
            self.place += 1
            place = self.place
            self.places[place] = waiter
        self.send(f'{head},"place":{place}}}\n')
        self.wait(waiter)

    # Receiving

    def pump(self) -> None:
        """Receives and delivers what has arrived, without waiting."""
        if self.has_receiver:
            return
        is_main = get_ident() == self.main
        if is_main:
            self.main_receives = True
        try:
            with self.reading:
                while self.ready.poll(0):
                    piece = read(RECEIVING, PIECE)
                    if not piece:
                        # The host is gone, and with it everything that this process is for.
                        _exit(0)
                    self.take(piece)
                    if len(piece) < PIECE:
                        # That was all there was.
                        break
        finally:
            if is_main:
                self.main_receives = False

    def receive_next(self) -> None:
        """Waits in `read` for what comes next: one system call where a poll needs three. For the main thread, as leader.

        A signal that comes meanwhile is deferred, so it takes away nothing that this waits for; and since the host says
        what it wants before it sends the signal, this returns then.
        """
        self.main_receives = True
        try:
            if self.deferred and not self.shielded:
                # It came before this: what it is about has been received.
                return
            with self.reading:
                piece = read(RECEIVING, PIECE)
                if not piece:
                    _exit(0)
                self.take(piece)
        finally:
            self.main_receives = False

    def take(self, piece: bytes) -> None:
        """Delivers the frames that the piece completes. One thread at a time."""
        if not self.buffer and piece.find(b"\n") == len(piece) - 1:
            # A whole frame, as nearly always.
            self.receive(piece[:-1].decode())
            return
        self.buffer += piece
        while True:
            end = self.buffer.find(b"\n", self.scanned)
            if end < 0:
                self.scanned = len(self.buffer)
                return
            line = self.buffer[:end].decode()
            del self.buffer[: end + 1]
            self.scanned = 0
            self.receive(line)

    def receive(self, line: str) -> None:
        frame = lossless.decode(line)
        kind = frame["type"]
        if kind == "drained":
            self.finish(self.places.pop(frame["place"], None), None)
        elif kind == "reply":
            self.finish(self.replies.pop(frame["id"], None), frame)
        elif kind == "interrupt":
            self.stop = frame["run"]
            if any(waiting.get("id") == self.stop for waiting in self.inbox):
                self.cancelled.add(self.stop)
            if self.on_interrupt is not None:
                self.on_interrupt()
        else:
            self.inbox.append(frame)
            if self.on_inbox is not None:
                self.on_inbox()
            waiter = self.main_waiter
            if waiter is not None:
                self.finish(waiter, None)

    def finish(self, waiter: Waiter | None, frame: Any) -> None:
        if waiter is None or waiter.done:
            return
        waiter.frame = frame
        waiter.done = True
        if waiter.deliver is not None:
            waiter.deliver(waiter)
        elif waiter is not self.leader:
            unlock(waiter)
        elif self.polling:
            write_bytes(self.wake[1], b"x")

    # Waiting

    def wait(self, waiter: Waiter) -> None:
        """Waits until the waiter is done. In the main thread an interrupt may end it."""
        is_main = get_ident() == self.main
        try:
            while not waiter.done:
                if self.leading.acquire(False):
                    try:
                        self.lead(waiter, is_main)
                    finally:
                        self.leader = None
                        self.polling = False
                        self.leading.release()
                else:
                    self.follow(waiter, is_main)
        finally:
            if is_main:
                self.blocked = False
            # Somebody must go on receiving for those who still wait.
            self.promote()

    def follow(self, waiter: Waiter, is_main: bool) -> None:
        self.followers.append(waiter)
        try:
            # Before the line above the leader may have left without seeing this one.
            self.promote()
            if is_main:
                self.main_follows = waiter
                self.blocked = True
                self.raise_deferred()
            waiter.lock.acquire()
        finally:
            if is_main:
                self.blocked = False
            if waiter in self.followers:
                self.followers.remove(waiter)

    def lead(self, waiter: Waiter, is_main: bool) -> None:
        self.leader = waiter
        while True:
            if is_main:
                self.blocked = True
                self.raise_deferred()
            # Before the look at the waiter: whoever finishes it after the look ends the poll.
            self.polling = True
            if waiter.done:
                return
            if is_main and not self.is_watched:
                self.blocked = self.polling = False
                self.receive_next()
                continue
            for descriptor, _ in self.waiting.poll():
                if descriptor != RECEIVING:
                    read(descriptor, PIECE)
            if is_main:
                self.blocked = False
            self.polling = False
            self.pump()

    def promote(self) -> None:
        """Wakes one of those who wait when nobody receives: it will lead."""
        while self.followers and not self.leading.locked():
            try:
                follower = self.followers.pop()
            except IndexError:
                return
            if not follower.done:
                unlock(follower)
                return

    def next_frame(self) -> dict[str, Any]:
        """The next frame for the main loop."""
        while not self.inbox:
            if not self.is_watched and self.leading.acquire(False):
                try:
                    while not self.is_watched:
                        # May receive what is waited for.
                        self.raise_deferred()
                        if self.inbox:
                            break
                        self.receive_next()
                finally:
                    self.leading.release()
                    self.promote()
            else:
                self.main_waiter = waiter = Waiter()
                if not self.inbox:
                    self.wait(waiter)
                self.main_waiter = None
        return self.inbox.pop(0)


def is_forked() -> bool:
    """Whether this is a child that a cell forked: it never speaks the protocol, and ends with its cell."""
    return getpid() != wire.pid


def handle_signal(number: int, frame: FrameType | None) -> None:
    wire.on_signal(number, frame)


wire = Wire()
