# The text of `python3 -c`. It reads the boot frame from descriptor 3, and with it every other file of this folder, so
# that nothing touches the disk. It runs inside `__main__`, the user's namespace, and leaves no name there.
def _evalcell_boot():
    del globals()["_evalcell_boot"]
    import sys

    # It kept the working directory off `sys.path` while Python itself was starting; children shall not have it.
    if sys.modules["os"].environ.get("PYTHONSAFEPATH") == "evalcell":
        del sys.modules["os"].environ["PYTHONSAFEPATH"]
    path = sys.path[:]
    library = sys.modules["os"].__file__.rpartition("/")[0]
    # What the runner imports comes from the standard library, whatever lies in the working directory or PYTHONPATH.
    standard = [entry for entry in path if entry == library or entry.startswith((library + "/lib-dynload", library + ".zip"))]
    sys.path[:] = standard or path
    import posix

    from _json import make_scanner

    line = b""
    while line[-1:] != b"\n":
        piece = posix.read(3, 1 << 20)
        if not piece:
            posix._exit(0)
        line += piece

    class Plain:
        strict = False
        object_hook = object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float
        memo = {}

    boot, _ = make_scanner(Plain)(line.decode(), 0)
    package = type(sys)("_evalcell")
    package.__path__ = []
    package.sources = boot.pop("sources")
    package.standard = standard
    sys.modules["_evalcell"] = package
    loader = type(sys)("_evalcell.loader")
    loader.__package__ = "_evalcell"
    sys.modules["_evalcell.loader"] = package.loader = loader
    exec(compile(package.sources["loader"], "<evalcell>/loader.py", "exec"), loader.__dict__)
    for name in ("lossless", "wire", "streams", "cells"):
        loader.load(name)
    loader.load("runner").main(boot, path)


_evalcell_boot()
