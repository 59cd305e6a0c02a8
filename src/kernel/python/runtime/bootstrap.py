# The text of `python3 -c`. It reads the boot frame, and with it every other file of this folder, so that nothing touches
# the disk. Frames come over descriptor 3, or over what `connect.py` opens when that stands before this. It runs inside
# `__main__`, the user's namespace, and leaves no name there.
def _evalcell_boot():
    del globals()["_evalcell_boot"]
    import sys

    if sys.version_info < (3, 9):
        raise SystemExit("This is Python %d.%d.%d; 3.9 or newer is needed." % tuple(sys.version_info[:3]))
    # It kept the working directory off `sys.path` while Python itself was starting; children shall not have it.
    os = sys.modules["os"]
    if os.environ.get("PYTHONSAFEPATH") == "evalcell":
        del os.environ["PYTHONSAFEPATH"]
    path = sys.path[:]
    library = os.path.dirname(os.__file__)
    # What the runner imports comes from the standard library, whatever lies in the working directory or PYTHONPATH.
    beside = (library + "/lib-dynload", library + ".zip")
    if os.name == "nt":
        home = os.path.dirname(library)
        beside = (home + "\\DLLs", home + "\\python%d%d.zip" % sys.version_info[:2])
    standard = [entry for entry in path if entry == library or entry.startswith(beside)]
    sys.path[:] = standard or path
    connect = globals().pop("_evalcell_connect", None)
    receiving, sending = connect(os) if connect else (3, 3)

    from _json import make_scanner

    line = b""
    while line[-1:] != b"\n":
        piece = os.read(receiving, 1 << 20)
        if not piece:
            os._exit(0)
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
    package.receiving, package.sending = receiving, sending
    sys.modules["_evalcell"] = package
    loader = type(sys)("_evalcell.loader")
    loader.__package__ = "_evalcell"
    sys.modules["_evalcell.loader"] = package.loader = loader
    exec(compile(package.sources["loader"], "<evalcell>/loader.py", "exec"), loader.__dict__)
    for name in ("lossless", "interrupts", "waiter", "wire", "streams", "cell_sources", "compiling", "cells"):
        loader.load(name)
    loader.load("runner").main(boot, path)


_evalcell_boot()
