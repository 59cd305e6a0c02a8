"""Small changes to libraries that a user imports, so that they work without a screen, a terminal and a main file."""

from __future__ import annotations

import sys
from _thread import get_ident

from . import cell_sources, cells, streams
from .loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def getpass(module: Any) -> None:
    def no_getpass(prompt: str = "Password: ", stream: Any = None, **_: Any) -> str:
        streams.write_line(prompt)
        raise cells.StdinUnavailable

    module.getpass = no_getpass


def matplotlib(module: Any) -> None:
    module.use("agg")


def pyplot(module: Any) -> None:
    def show(*args: Any, **options: Any) -> None:
        """Shows all open figures and closes them."""
        load("display").show_figures()

    def show_one(self: Any, warn: bool = True) -> None:
        """Shows this figure."""
        load("display").show_figure(self)

    module.show = show
    sys.modules["matplotlib.figure"].Figure.show = show_one  # type: ignore[attr-defined]


def plotly_io(module: Any) -> None:
    def show(figure: Any, *args: Any, **options: Any) -> None:
        """Shows the figure as JSON."""
        load("display").display(figure)

    module.show = show


def image_show(module: Any) -> None:
    """`image.show()` shows it here: there is no screen."""

    def show(image: Any, *args: Any, **options: Any) -> bool:
        load("display").display(image)
        return True

    module.show = show


def plotly_figures(module: Any) -> None:
    def show(self: Any, *args: Any, **options: Any) -> None:
        """Shows the figure as JSON."""
        load("display").display(self)

    module.BaseFigure.show = show


def ipython_display(module: Any) -> None:
    def display(*values: Any, **_: Any) -> None:
        """Shows values."""
        load("display").display(*values)

    module.display = display


# Threads that are starting a process which finds nothing of ours.
launching: set[int] = set()


def multiprocessing_spawn(module: Any) -> None:
    """A process that is spawned cannot find what a cell has defined: say so at once instead of hanging.

    The same pickler also serves forked processes, which find everything: it refuses only while a spawned one is there.
    """
    reduction: Any = sys.modules["multiprocessing.reduction"]
    process: Any = sys.modules["multiprocessing.process"]
    original = module.Popen._launch
    functions = (type(lambda: None), type)

    def is_for_spawned() -> bool:
        if get_ident() in launching:
            return True
        started = [getattr(child, "_popen", None) for child in list(process._children)]
        return any(popen is not None and popen.method != "fork" and popen.poll() is None for popen in started)

    def reducer_override(self: Any, value: Any) -> Any:
        if isinstance(value, functions) and getattr(value, "__module__", "") == "__main__" and is_for_spawned():
            raise RuntimeError(
                f"{value.__qualname__} was defined in a cell: a spawned process cannot import it. Use "
                "multiprocessing.get_context('fork'), or put it into a module file and import it from there."
            )
        return NotImplemented

    def launch(self: Any, process: Any) -> Any:
        reduction.ForkingPickler.reducer_override = reducer_override
        launching.add(get_ident())
        try:
            return original(self, process)
        finally:
            launching.discard(get_ident())

    module.Popen._launch = launch


def inspect(module: Any) -> None:
    """`inspect.getsource` of a class that a cell has defined."""
    getfile = module.getfile

    def getfile_of_cell(object: Any) -> Any:
        if isinstance(object, type) and object.__module__ == "__main__":
            for member in vars(object).values():
                function = getattr(member, "__func__", getattr(member, "fget", member))
                code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
                if code is not None and code.co_filename in cell_sources.texts:
                    return code.co_filename
            for name in reversed(list(cell_sources.texts)):
                if f"class {object.__name__}" in cell_sources.texts[name]:
                    return name
        return getfile(object)

    getfile_of_cell.__doc__ = getfile.__doc__
    module.getfile = getfile_of_cell


ADAPTED = {
    "getpass": getpass,
    "inspect": inspect,
    "matplotlib": matplotlib,
    "matplotlib.pyplot": pyplot,
    "PIL.ImageShow": image_show,
    "plotly.io": plotly_io,
    "plotly.basedatatypes": plotly_figures,
    "IPython.core.display_functions": ipython_display,
    "multiprocessing.popen_spawn_posix": multiprocessing_spawn,
    "multiprocessing.popen_forkserver": multiprocessing_spawn,
}


def adapt(module: ModuleType) -> None:
    ADAPTED[module.__name__](module)
