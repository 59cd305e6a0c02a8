"""Loads the runner's own files when they are first needed, and what they import from the standard library alone."""

from __future__ import annotations

import sys
from _thread import RLock, get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

PREFIX = "<evalcell>/"

_package: Any = sys.modules["_evalcell"]
_lock = RLock()


class Watcher:
    """First on `sys.meta_path`. For the thread that loads the runner's files it looks nowhere but in the standard
    library; for all others it only watches what is imported, so that modules can be adapted once they are there."""

    def __init__(self) -> None:
        self.thread = 0
        # What to call with a module after it was imported for the first time, by full name.
        self.after: dict[str, Callable[[ModuleType], None]] = {}
        # Called once, before anything from outside the standard library is imported.
        self.before_foreign: Callable[[], None] | None = None

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        is_ours = self.thread == get_ident()
        before = self.before_foreign
        if not is_ours and before is not None and (name == "_ctypes" or path is None and not is_standard(name)):
            self.before_foreign = None
            before()
        if not is_ours and name not in self.after:
            return None
        spec = _path_finder.find_spec(name, _package.standard if is_ours and path is None else path)
        # What the runner imports first, `inspect` with `asyncio`, the user may import later. `asyncio` has its own way.
        if name in self.after and not (is_ours and name == "asyncio") and spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = Adapting(spec.loader, self.after.pop(name))
        return spec


class Adapting:
    """A loader that runs a function on the module once it is there, and then leaves no trace of itself."""

    def __init__(self, loader: Any, after: Callable[[ModuleType], None]) -> None:
        self.loader = loader
        self.after = after

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        adapt(module, self.after)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def adapt(module: ModuleType, after: Callable[[ModuleType], None]) -> None:
    try:
        after(module)
    except Exception:
        # A version of a library that nobody foresaw must not fail to import because of us.
        pass


def when_imported(name: str, after: Callable[[ModuleType], None]) -> None:
    """Has `after` called with the module: now when it is there, else once it is imported."""
    module = sys.modules.get(name)
    if module is None:
        watcher.after[name] = after
    else:
        adapt(module, after)


def _find_path_finder() -> Any:
    for finder in sys.meta_path:
        if getattr(finder, "__name__", "") == "PathFinder":
            return finder
    raise ImportError("no PathFinder on sys.meta_path")


_path_finder = _find_path_finder()
watcher = Watcher()


def is_standard(name: str) -> bool:
    """Whether a top-level module is the standard library's, as far as its name tells."""
    return name in getattr(sys, "stdlib_module_names", ())


def shadows() -> set[str]:
    """Names that modules have which stand before the standard library on `sys.path`."""
    names: set[str] = set()
    for entry in sys.path:
        if entry in _package.standard:
            break
        try:
            names.update(file.partition(".")[0] for file in _listdir(entry or "."))
        except OSError:
            pass
    return names


_listdir = sys.modules["os"].listdir


def load(name: str) -> ModuleType:
    """A file of the runner, as a module."""
    full = f"_evalcell.{name}"
    with _lock:
        if full in sys.modules:
            return sys.modules[full]
        module = type(sys)(full)
        module.__package__ = "_evalcell"
        module.__file__ = f"{PREFIX}{name}.py"
        code = compile(_package.sources[name], module.__file__, "exec")
        outer, watcher.thread = watcher.thread, get_ident()
        hidden = {} if outer else _hide_foreign()
        known = set(sys.modules)
        sys.modules[full] = module
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[full]
            raise
        finally:
            watcher.thread = outer
            if not outer:
                _give_way(known)
                sys.modules.update(hidden)
        setattr(_package, name, module)
        return module


def _hide_foreign() -> dict[str, ModuleType]:
    """Takes away modules of the user's that have a standard name: they must not be what the runner gets."""
    hidden = {}
    for top in shadows() & set(sys.modules):
        file = getattr(sys.modules[top], "__file__", None) or ""
        if top.startswith("__") or file.startswith(tuple(_package.standard)):
            continue
        if _path_finder.find_spec(top, _package.standard) is not None:
            for full in [full for full in sys.modules if full == top or full.startswith(top + ".")]:
                hidden[full] = sys.modules.pop(full)
    return hidden


def _give_way(known: set[str]) -> None:
    """The other way round: what the runner has imported must not be what the user gets, where there is one of his own."""
    new = [full for full in sys.modules if full not in known and not full.startswith("_evalcell")]
    if new:
        own = shadows()
        for full in new:
            if full.partition(".")[0] in own:
                del sys.modules[full]


def _lazily(name: str) -> ModuleType:
    if name in _package.sources:
        return load(name)
    raise AttributeError(name)


_package.__getattr__ = _lazily
sys.meta_path.insert(0, watcher)
