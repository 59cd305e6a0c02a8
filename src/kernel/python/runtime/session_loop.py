"""The session's event loop: cells with top-level await run in it, and their tasks live on in it between cells."""

from __future__ import annotations

import asyncio
import sys
from contextvars import ContextVar, copy_context

from . import cells
from .loader import PREFIX, load
from .wire import RECEIVING, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, ModuleType
    from typing import Any

    from .cells import Cell

# The run that a task or a timer belongs to: what starts it hands it down.
run_of: ContextVar[int] = ContextVar("evalcell_run", default=0)


class SessionLoop:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.task: Any = None
        self.cell: Cell | None = None
        # Tasks by the run that started them.
        self.tasks: dict[Any, int] = {}
        # Tasks that failed while nobody waited for them, by the run that started them.
        self.failed: dict[Any, int] = {}
        self.loop.set_task_factory(self.make_task)
        watch(self.loop)
        wire.loop = self
        wire.in_loop = self.is_to_raise

    def make_task(self, loop: Any, coroutine: Any, **options: Any) -> Any:
        task = asyncio.Task(coroutine, loop=loop, **options)
        self.tasks[task] = run_of.get()
        task.add_done_callback(self.forget)
        return task

    def forget(self, task: Any) -> None:
        run = self.tasks.pop(task, 0)
        if task is not self.task and is_unheard(task):
            self.failed[task] = run

    def failures(self, current: int) -> list[str]:
        """A sentence for each task of an earlier cell whose exception nobody has asked for; each is told once.

        Asked when a cell ends: it may be the one that awaits the task.
        """
        sentences = []
        for task, run in list(self.failed.items()):
            if run != current:
                del self.failed[task]
                if is_unheard(task):
                    sentences.append(load("failure").of_task(task.exception(), cells.names.get(run)))
        return sentences

    # Cells

    def run(self, cell: Cell) -> Any:
        self.cell = cell
        context = copy_context()
        context.run(run_of.set, cell.run)
        self.task = context.run(self.loop.create_task, self.drive(cell))
        try:
            try:
                self.complete(self.task)
            except (KeyboardInterrupt, SystemExit):
                # These leave the loop at once, also when another task raised them.
                if not self.task.done():
                    # It was another task's: a `sys.exit` ends that one alone, an interrupt is meant for the cell.
                    if wire.hit == cell.run:
                        self.abandon(cell.run)
                    self.complete(self.task)
            return self.task.result()
        finally:
            if wire.hit == cell.run:
                self.stop(cell)
            self.task = self.cell = None

    def complete(self, future: Any) -> None:
        """Runs the loop until the future is done, whatever else stops the loop: user code, or what an interrupted run has
        left in its queue."""
        while not future.done():
            try:
                self.loop.run_until_complete(future)
            except RuntimeError as error:
                if future.done() or "stopped before" not in str(error):
                    raise

    async def drive(self, cell: Cell) -> Any:
        value = None
        for code in cell.codes:
            value = eval(code, cells.namespace)
            if code.co_flags & cells.CO_COROUTINE:
                value = await value
        return value

    def abandon(self, run: int) -> None:
        """The cell waits; it is woken with a cancellation. Which run is meant is said: this may come late."""
        if self.task is not None and self.cell is not None and self.cell.run == run:
            if not self.task.done():
                self.cell.awaiting = True
                self.task.cancel()

    def stop(self, cell: Cell) -> None:
        """Cancels what the stopped cell has started and waits until it is gone."""
        for handle in list(getattr(self.loop, "_scheduled", ())):
            context = getattr(handle, "_context", None)
            if context is not None and context.get(run_of) == cell.run:
                handle.cancel()
        own = [task for task, run in self.tasks.items() if run == cell.run and not task.done()]
        for task in own:
            task.cancel()
        if own:
            try:
                self.complete(asyncio.ensure_future(asyncio.wait(own), loop=self.loop))
            except (KeyboardInterrupt, SystemExit, RuntimeError):
                pass
        if "_evalcell.bridge" in sys.modules:
            load("bridge").stop(cell)

    # Interrupts

    def is_to_raise(self, frame: FrameType | None) -> bool:
        """Whether an interrupt may be raised where it came: in somebody's code, but not where a loop of ours is at work.

        Raised between two lines of the loop's own code it would leave the loop neither running nor stopped; there the
        cell's task is cancelled instead.
        """
        if frame is None:
            frame = sys._getframe()
        while frame is not None:
            file = frame.f_code.co_filename
            if frame.f_code in (RUN, IDLE):
                break
            if not file.startswith((PREFIX, LIBRARY, "<frozen")):
                return True
            frame = frame.f_back
        else:
            return True
        self.loop.call_soon_threadsafe(self.abandon, wire.current)
        return False

    # Between cells

    def is_busy(self) -> bool:
        loop = self.loop
        return bool(self.tasks or loop._scheduled or loop._ready)  # type: ignore[attr-defined]

    def idle(self) -> None:
        """Lets tasks go on until the host has something to do."""
        loop = self.loop
        # `asyncio.run` leaves none behind.
        asyncio.set_event_loop(loop)
        while not wire.inbox and self.is_busy():
            future = loop.create_future()
            wire.on_inbox = lambda: loop.call_soon_threadsafe(done, future)
            try:
                if not wire.inbox:
                    self.complete(future)
            except KeyboardInterrupt:
                if wire.stop == 0 or wire.stop in wire.cancelled:
                    wire.stop = -1
                    cells.pending_notices.append("A background task kept the kernel busy and was interrupted.")
            except SystemExit:
                pass
            finally:
                wire.on_inbox = None


# What is above these on the stack, and not the standard library's, is somebody's code.
RUN, IDLE = SessionLoop.run.__code__, SessionLoop.idle.__code__


def is_unheard(task: Any) -> bool:
    """Whether it failed and nobody has asked for its exception: what asyncio itself would log when it is collected."""
    return not task.cancelled() and getattr(task, "_log_traceback", False)


def done(future: Any) -> None:
    if not future.done():
        future.set_result(None)


LIBRARY = asyncio.__file__.rpartition("/")[0].rpartition("/")[0] + "/"


def watch(loop: Any) -> None:
    """Has the loop receive frames while it runs, unless a thread of ours does."""
    wire.is_watched = True
    if not wire.has_receiver and getattr(loop, "_evalcell_watches", None) is None:
        try:
            loop._evalcell_watches = True
        except AttributeError:
            pass
        loop.add_reader(RECEIVING, wire.pump)


def session() -> Any:
    if wire.loop is None:
        wire.shielded += 1
        try:
            SessionLoop()
        finally:
            wire.shielded -= 1
    return wire.loop


def run_cell(cell: Cell) -> Any:
    return session().run(cell)


def adapt_asyncio(module: ModuleType) -> None:
    """`asyncio.create_task` works in any cell: where no loop runs, it takes the session's."""
    tasks: Any = sys.modules["asyncio.tasks"]
    original = tasks.create_task

    def create_task(coro: Any, **options: Any) -> Any:
        if asyncio._get_running_loop() is None and wire.current:
            loop = session().loop
            context = copy_context()
            context.run(run_of.set, wire.current)
            return context.run(loop.create_task, coro, **{k: v for k, v in options.items() if v is not None})
        return original(coro, **options)

    create_task.__doc__ = original.__doc__
    create_task.__module__ = original.__module__
    tasks.create_task = module.create_task = create_task  # type: ignore[attr-defined]
