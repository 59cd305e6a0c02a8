"""`sys.stdout` and `sys.stderr`: exact order when it is quiet, large writes in a burst.

Every write goes out at once, so that the order with C code, children and frames is exact and nothing is lost when the
process dies. A program that prints thousands of lines would spend its time in system calls; while one does, stdout is
buffered and a thread flushes it every `FLUSH_SECONDS`.
"""

from __future__ import annotations

import sys
from _io import BufferedWriter, FileIO, TextIOWrapper
from _thread import RLock, start_new_thread
from time import monotonic, sleep

from .wire import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# More than this many writes within this time are a burst.
BURST_WRITES = 200
BURST_SECONDS = 0.05
# What may be lost in a burst when the process dies without warning, and how little ends the burst.
FLUSH_SECONDS = 0.02
CALM_BYTES = 2048
BUFFER_BYTES = 1 << 16


# CPython's text layer is not safe against a second thread that enters it while its buffer's `write` is Python code, as
# ours is: its pending bytes come out wrong (python/cpython#119506). So one thread at a time is in either stream.
lock = RLock()


class Text(TextIOWrapper):
    """The text half of a stream, for one thread at a time."""

    def write(self, text: str, /) -> int:
        with lock:
            count = TextIOWrapper.write(self, text)
        # A cell that only prints is mostly in here, where an interrupt waits: it is raised on the way out.
        if wire.deferred:
            wire.raise_deferred()
        return count

    def flush(self) -> None:
        with lock:
            TextIOWrapper.flush(self)
        if wire.deferred:
            wire.raise_deferred()


class Output(BufferedWriter):
    """The binary half of a stream. In a burst the text half hands over large pieces only."""

    text: Text
    bursts = False
    in_burst = False
    writes = 0
    since = 0.0
    written = 0
    other: Output | None = None

    def write(self, data: Any) -> int:
        if self.in_burst:
            self.written += len(data)
            return BufferedWriter.write(self, data)
        if self.other is not None and self.other.in_burst:
            self.other.text.flush()
        count = BufferedWriter.write(self, data)
        self.flush()
        if self.bursts:
            self.writes += 1
            if self.writes == BURST_WRITES:
                self.writes = 0
                now = monotonic()
                if now - self.since < BURST_SECONDS:
                    self.begin_burst()
                self.since = now
        if wire.deferred:
            wire.raise_deferred()
        return count

    def begin_burst(self) -> None:
        self.in_burst = True
        wire.send('{"type":"burst","on":true}\n')
        self.text.reconfigure(write_through=False)
        start_new_thread(self.flush_often, ())

    def flush_often(self) -> None:
        while self.in_burst:
            before = self.written
            sleep(FLUSH_SECONDS)
            if not self.in_burst:
                return
            self.text.flush()
            if self.written - before < CALM_BYTES:
                self.end_burst()

    def end_burst(self) -> None:
        with lock:
            if not self.in_burst:
                return
            self.in_burst = False
            self.text.reconfigure(write_through=True)
            self.text.flush()
        wire.send('{"type":"burst","on":false}\n')


def open_text(descriptor: int) -> Text:
    binary = Output(FileIO(descriptor, "wb", closefd=False), BUFFER_BYTES)
    text = Text(binary, "utf-8", "backslashreplace", "\n", write_through=True)
    text.mode = "w"  # type: ignore[misc]
    binary.text = text
    return text


stdout = open_text(1)
stderr = open_text(2)
_out: Any = stdout.buffer
_err: Any = stderr.buffer
_out.bursts = True
_err.other = _out


def install() -> None:
    sys.stdout = sys.__stdout__ = stdout  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = stderr  # type: ignore[misc]


def after_fork() -> None:
    """In a forked child: the thread that flushes a burst is not there, and another thread may have held the lock."""
    lock._at_fork_reinit()  # type: ignore[attr-defined]
    if _out.in_burst:
        _out.in_burst = False
        stdout.reconfigure(write_through=True)


def flush() -> None:
    """Everything that was printed is with the host after this, also when the cell put other objects in place."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not stdout and stream is not stderr:
            try:
                stream.flush()
            except Exception:
                pass
    if _out.in_burst:
        stdout.flush()


def end_of_cell() -> None:
    if sys.stdout is stdout and sys.stderr is stderr and not _out.in_burst:
        _out.writes = 0
        return
    flush()
    _out.end_burst()
    _out.writes = 0


def write_line(text: str) -> None:
    """A line of the cell's output from the runner, whatever `sys.stdout` is now."""
    flush()
    stdout.write(text if text.endswith("\n") else text + "\n")
