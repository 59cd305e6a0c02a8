"""Start and main loop of a kernel."""

from __future__ import annotations

import builtins
import sys
from os import _exit, chdir, close, set_inheritable

from . import cells, lossless, streams
from .loader import load, watcher
from .wire import RECEIVING, SENDING, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# Characters of one displayed text and bytes of one image; the host says it at the start.
max_text = max_image = 0


class Exit:
    """`exit` and `quit`: unlike the interpreter's own they do not close stdin."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Use {self.name}() to end the cell"

    def __call__(self, code: Any = None) -> None:
        raise SystemExit(code)


class LazyTool:
    """`tool`, until a cell uses it: then `bridge` is loaded and answers."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return load("bridge").attribute(name)

    def __getitem__(self, name: str) -> Any:
        return load("bridge").item(name)

    def __dir__(self) -> list[str]:
        return load("bridge").names()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return "<tools: " + (", ".join(tools.names) or "none") + ">"


class Tools:
    """What the host's tools are called; told with a run when they have changed."""

    names: list[str] = []
    open = False


tools = Tools()
tool = LazyTool()


def no_input(prompt: object = "", /) -> str:
    text = str(prompt)
    if text:
        streams.write_line(text)
    raise cells.StdinUnavailable


def no_breakpoint(*_: object, **__: object) -> None:
    raise cells.StdinUnavailable


def main(boot: dict[str, Any], path: list[str]) -> None:
    global max_text, max_image
    max_text, max_image = boot["max_text"], boot["max_image"]
    set_inheritable(RECEIVING, False)
    set_inheritable(SENDING, False)
    for descriptor in boot["close_on_exec"]:
        set_inheritable(descriptor, False)
    chdir(boot["cwd"])
    sys.path[:] = path
    # As for a script that is started there: the working directory comes first.
    if not path or path[0] != "":
        sys.path.insert(0, "")
    sys.argv[:] = [""]
    set_limits(boot["limits"])
    streams.install()
    names = vars(builtins)
    names["exit"] = Exit("exit")
    names["quit"] = Exit("quit")
    names["input"] = no_input
    sys.breakpointhook = no_breakpoint
    names["tool"] = tool
    load("display_light").install(names)
    load("prelude_light").install(names)
    watcher.after.update(adaptations())
    register_at_fork = getattr(sys.modules["os"], "register_at_fork", None)
    if register_at_fork is not None:
        register_at_fork(before=streams.flush, after_in_child=after_fork)
    wire.install()
    if wire.has_receiver:
        load("receiver").start(wire)
    wire.send(
        '{"type":"boot-ack","version":"%d.%d.%d","executable":%s}\n' % (*sys.version_info[:3], lossless.quote(sys.executable or ""))
    )
    serve()


def serve() -> None:
    while True:
        try:
            frame = next_frame()
            kind = frame["type"]
            if kind == "run":
                if "tools" in frame:
                    tools.names = frame["tools"]
                    tools.open = frame["open_tools"]
                cells.run(frame)
            elif kind == "variables":
                load("variables").send(frame["id"])
            elif kind == "exit":
                end()
        except KeyboardInterrupt:
            # An interrupt that came too late for its run.
            wire.deferred = False


def next_frame() -> dict[str, Any]:
    loop = wire.loop
    if loop is not None and not wire.inbox:
        loop.idle()
    return wire.next_frame()


def end() -> None:
    """Ends the process as a script ends, but without waiting for its threads."""
    try:
        atexit = sys.modules.get("atexit")
        if atexit is not None:
            atexit._run_exitfuncs()
        streams.end_of_cell()
    finally:
        _exit(0)


def after_fork() -> None:
    for descriptor in {RECEIVING, SENDING}:
        close(descriptor)
    streams.after_fork()


def set_limits(limits: dict[str, int]) -> None:
    if limits:
        try:
            import resource
        except ImportError:
            raise SystemExit("This system has no resource limits for processes (python.limits).")

        for name, value in (("cpu_seconds", resource.RLIMIT_CPU), ("address_space_bytes", resource.RLIMIT_AS)):
            if name in limits:
                _, hard = resource.getrlimit(value)
                wanted = limits[name] if hard == resource.RLIM_INFINITY else min(limits[name], hard)
                resource.setrlimit(value, (wanted, hard))


# Libraries that are adapted once they have been imported, by `adapt`.
ADAPTED = (
    "IPython.core.display_functions",
    "PIL.ImageShow",
    "getpass",
    "inspect",
    "matplotlib",
    "matplotlib.pyplot",
    "multiprocessing.popen_forkserver",
    "multiprocessing.popen_spawn_posix",
    "plotly.basedatatypes",
    "plotly.io",
)


def adaptations() -> dict[str, Any]:
    hooks: dict[str, Any] = {"asyncio": lambda module: load("session_loop").adapt_asyncio(module)}
    for name in ADAPTED:
        hooks[name] = lambda module: load("adapt").adapt(module)
    return hooks
