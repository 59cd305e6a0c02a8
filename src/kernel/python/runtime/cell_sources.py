"""Sources of cells whose code may still show up in a traceback or in `inspect.getsource`."""

from __future__ import annotations

import sys

from .loader import when_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# By the cell's name, which is its file name.
texts: dict[str, str] = {}


def keep(name: str, text: str) -> None:
    texts[name] = text
    if "linecache" in sys.modules:
        show_to_linecache(name)


def forget(name: str) -> None:
    texts.pop(name, None)
    linecache = sys.modules.get("linecache")
    if linecache is not None:
        linecache.cache.pop(name, None)


def show_to_linecache(name: str) -> None:
    text = texts[name]
    sys.modules["linecache"].cache[name] = (len(text), None, lines_of(text), name)


def show_all_to_linecache(module: ModuleType | None = None) -> None:
    if "linecache" in sys.modules:
        for name in list(texts):
            show_to_linecache(name)


def lines_of(text: str) -> list[str]:
    """Lines as the compiler counts them, each with its end."""
    return [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


when_imported("linecache", show_all_to_linecache)
