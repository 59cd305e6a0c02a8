"""Small changes to libraries that a user imports, so that they work without a screen and a terminal."""

from __future__ import annotations

from . import cells, streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def getpass(module: ModuleType) -> None:
    def no_getpass(prompt: str = "Password: ", stream: Any = None, **_: Any) -> str:
        streams.write_line(prompt)
        raise cells.StdinUnavailable

    module.getpass = no_getpass  # type: ignore[attr-defined]


def matplotlib(module: ModuleType) -> None:
    pass


def pyplot(module: ModuleType) -> None:
    pass


def plotly(module: ModuleType) -> None:
    pass
