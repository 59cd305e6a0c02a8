"""The prelude of Python cells, apart from `display`, `print` and `tool`, which the runner brings itself.

    install(namespace, helper, emit_status)

`helper(op, request)` sends a dict to the one implementation in Rust (src/prelude) and returns its answer, a dict;
`emit_status(event)` reports a status event. Install once per namespace: a name of the user's own shadows a helper.
"""

import os

# What `help(read)` says. Arguments are bound in Rust, by one table for both languages.
DOCUMENTATION = {
    "read": "read(path, offset=1, limit=None) -> str\n\nText of a file, or `limit` lines of it from line `offset` on.",
    "write": "write(path, data) -> str\n\nWrites text or bytes, creates parent folders, returns the absolute path.",
    "append": "append(path, data) -> str\n\nAppends text or bytes, creates parent folders, returns the absolute path.",
    "sort": "sort(text, reverse=False, unique=False) -> str\n\nThe lines in code point order.",
    "uniq": "uniq(text, count=False) -> str | list\n\nAdjacent equal lines once; with count, [count, line] pairs.",
    "counter": "counter(items, limit=None, reverse=False) -> list\n\n[count, item] pairs, the most frequent first.",
    "diff": "diff(a, b) -> str\n\nUnified diff of two files, or of two texts.",
    "tree": "tree(path='.', max_depth=3, show_hidden=False) -> str\n\nA folder as a tree.",
    "env": "env(key=None, value=None) -> str | dict | None\n\nReads or sets an environment variable, or lists all.",
    "output": "output(*ids, format='raw', query=None, offset=1, limit=None) -> str | dict | list\n\n"
    "Outputs of other agents of the host session.",
}


def carry(value):
    """An argument in the form that Rust reads: bytes as base64, a path as text, an iterable as a list."""
    if value is None or isinstance(value, (str, int, float, list, tuple, dict)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        from binascii import b2a_base64

        return {"base64": b2a_base64(value, newline=False).decode()}
    if hasattr(value, "__fspath__"):
        return os.fsdecode(value)
    if hasattr(value, "__iter__"):
        return list(value)
    return value


def install(namespace, helper, emit_status):
    errors = {"argument": TypeError, "missing": FileNotFoundError}

    def request(op, positional, options):
        # `maxDepth` is `max_depth`, as in JavaScript cells.
        named = {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): carry(value) for name, value in options.items()}
        message = {"cwd": os.getcwd(), "positional": [carry(value) for value in positional], "options": named}
        if op == "output":
            message["artifacts_dir"] = os.environ.get("PI_ARTIFACTS_DIR")
            message["session_file"] = os.environ.get("PI_SESSION_FILE")
        answer = helper(op, message)
        if not answer["ok"]:
            raise errors.get(answer["kind"], OSError)(answer["message"])
        if "status" in answer:
            emit_status(answer["status"])
        return answer["result"]

    def make(op):
        def call(*arguments, **options):
            return request(op, arguments, options)

        return call

    def env(*arguments, **options):
        # The variables of this process live here, so they are read and set here; Rust judges the arguments.
        action = request("env", arguments, options)
        if "set" in action:
            os.environ[action["key"]] = action["set"]
            return action["set"]
        if "key" in action:
            return os.environ.get(action["key"])
        return dict(sorted(os.environ.items()))

    for op, documentation in DOCUMENTATION.items():
        function = env if op == "env" else make(op)
        function.__name__ = function.__qualname__ = op
        function.__doc__ = documentation
        function.__module__ = "evalcell"
        namespace[op] = function
