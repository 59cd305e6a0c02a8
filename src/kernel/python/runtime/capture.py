"""`%%capture`: the output of a cell into a variable."""

from __future__ import annotations

import os

from . import cells, display, streams
from .cells import namespace
from .shell import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


class Captured:
    """What a cell has written and shown: `.stdout`, `.stderr`, `.outputs`, and `.show()` to show it now."""

    def __init__(self, stdout: str, stderr: str, outputs: list[tuple[str, str]]) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.outputs = outputs

    def show(self) -> None:
        streams.stdout.write(self.stdout)
        streams.stderr.write(self.stderr)
        for form, fields in self.outputs:
            display.send(form, fields)

    __call__ = show

    def __str__(self) -> str:
        return self.stdout


class Capture:
    """Puts files in the place of descriptors 1 and 2, so that children and C code are captured too."""

    def __init__(self, arguments: str) -> None:
        from tempfile import TemporaryFile

        words = arguments.split()
        if len(words) > 1 or words and not words[0].isidentifier():
            raise UsageError("%%capture takes the name of one variable, or nothing")
        self.name = words[0] if words else ""
        streams.end_of_cell()
        self.files: list[IO[bytes]] = [TemporaryFile(), TemporaryFile()]
        self.saved = [os.dup(1), os.dup(2)]
        for descriptor, file in zip((1, 2), self.files):
            os.dup2(file.fileno(), descriptor)
        self.outputs: list[tuple[str, str]] = []
        self.outer, display.held = display.held, self.outputs

    def report(self) -> None:
        cells.show_figures()
        streams.end_of_cell()
        display.held = self.outer
        texts = []
        for descriptor, saved, file in zip((1, 2), self.saved, self.files):
            os.dup2(saved, descriptor)
            os.close(saved)
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
            file.close()
        if self.name:
            namespace[self.name] = Captured(texts[0], texts[1], self.outputs)
