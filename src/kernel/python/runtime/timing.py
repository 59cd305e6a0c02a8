"""`%time` and `%timeit`."""

from __future__ import annotations

import os
from time import perf_counter

from . import streams
from .shell import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

REPEATS = 7
# Without `-r`: about as long as all repeats together may take, in seconds.
MAX_SECONDS = 5.0


class Clock:
    """Tells how long it took from here to `report()`."""

    def __init__(self) -> None:
        self.cpu = os.times()
        self.wall = perf_counter()

    def report(self) -> None:
        wall = perf_counter() - self.wall
        cpu = os.times()
        user, system = cpu.user - self.cpu.user, cpu.system - self.cpu.system
        total = f"CPU times: user {seconds(user)}, sys: {seconds(system)}, total: {seconds(user + system)}"
        streams.write_line(f"{total}\nWall time: {seconds(wall)}")

    def __enter__(self) -> Clock:
        return self

    def __exit__(self, *_: object) -> None:
        self.report()


def timed(clock: Clock, value: Any) -> Any:
    """`%time expression`: both arguments are evaluated in their order."""
    clock.report()
    return value


def seconds(value: float) -> str:
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"


def timeit(arguments: str, frame: FrameType) -> None:
    options, code = split_options(arguments, "%timeit")
    measure("pass", code, {**frame.f_globals, **frame.f_locals}, options)


def timeit_cell(arguments: str, body: str) -> None:
    from .cells import namespace

    options, setup = split_options(arguments, "%%timeit")
    measure(setup or "pass", body, namespace, options)


def split_options(arguments: str, magic: str) -> tuple[dict[str, int], str]:
    """Takes `-n 100` and `-r3` from the front."""
    options: dict[str, int] = {}
    while arguments.startswith(("-n", "-r")):
        flag, rest = arguments[1], arguments[2:].lstrip()
        number, _, arguments = rest.partition(" ")
        if not number.isdigit() or int(number) == 0:
            raise UsageError(f"{magic} -{flag} takes a number")
        options[flag] = int(number)
        arguments = arguments.lstrip()
    return options, arguments


def measure(setup: str, code: str, names: dict[str, Any], options: dict[str, int]) -> None:
    from statistics import mean, pstdev
    from timeit import Timer

    if not code.strip():
        raise UsageError("%timeit takes code")
    timer = Timer(code, setup, globals=names)
    loops, repeats = options.get("n", 0), options.get("r", 0)
    once = 0.0
    if not loops:
        loops, once = timer.autorange()
    if not repeats:
        repeats = max(1, min(REPEATS, int(MAX_SECONDS / once))) if once else REPEATS
    each = [taken / loops for taken in timer.repeat(repeats, loops)]
    text = f"{seconds(mean(each))} ± {seconds(pstdev(each))} per loop"
    runs, times = ("run" if repeats == 1 else "runs"), ("loop" if loops == 1 else "loops")
    streams.write_line(f"{text} (mean ± std. dev. of {repeats} {runs}, {loops:,} {times} each)")
