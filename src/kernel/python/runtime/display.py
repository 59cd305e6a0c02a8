"""The display rules: which forms of a value the host gets."""

from __future__ import annotations

import sys
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64

from . import lossless, runner, streams
from .wire import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

METHODS = {
    "text/markdown": "_repr_markdown_",
    "text/html": "_repr_html_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "image/svg+xml": "_repr_svg_",
    "application/json": "_repr_json_",
}
# Of several pictures of one object the first of these is shown.
PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif")
# No object has it; one that seems to have it answers to every name, so its answers mean nothing.
CANARY = "_evalcell_no_such_attribute_"
# Characters of one text: more is cut. Bytes of one image: more is told instead of shown.
MAX_TEXT: int = runner.max_text
MAX_IMAGE: int = runner.max_image

# Where `%%capture` keeps what is shown; None when it goes to the host.
held: list[tuple[str, str]] | None = None


def send(form: str, fields: str) -> None:
    if held is not None:
        held.append((form, fields))
        return
    streams.flush()
    wire.send_in_place(f'{{"type":"display","run":{wire.current},"form":"{form}",{fields}')


def send_text(text: str, form: str = "text") -> None:
    if len(text) > MAX_TEXT:
        # The host says to the reader what was cut.
        send(form, f'"text":{lossless.quote_shown(text[:MAX_TEXT])},"cut":{len(text) - MAX_TEXT}')
    else:
        send(form, '"text":' + lossless.quote_shown(text))


def send_json(value: Any) -> None:
    try:
        text = lossless.encode_display(value)
    except lossless.LosslessError:
        # A cycle, or more than a line can carry: its text says it.
        send_text(repr(value))
        return
    if len(text) > MAX_TEXT:
        send_text(text)
    else:
        send("json", '"value":' + text)


def send_image(mime_type: str, data: Any) -> None:
    if isinstance(data, str) and mime_type == "image/svg+xml":
        data = data.encode()
    if isinstance(data, str):
        # Already base64, perhaps with line breaks.
        try:
            data = a2b_base64(data)
        except (Base64Error, ValueError):
            send_text(f"<{mime_type} that is not base64>")
            return
    if not isinstance(data, (bytes, bytearray, memoryview)):
        send_text(f"<{mime_type} that is {type(data).__name__}, not bytes>")
        return
    if len(data) > MAX_IMAGE:
        send_text(f"<{mime_type} of {len(data)} bytes: too large to show>")
        return
    text = b2a_base64(data, newline=False).decode()
    send("image", f'"mime_type":"{mime_type}","data":"{text}"')


def display(*values: Any) -> None:
    for value in values:
        if type(value) is str:
            send_text(value)
        elif isinstance(value, (dict, list, tuple)) and not has_forms(value):
            send_json(value)
        else:
            show(value, False)


def show_value(value: Any) -> None:
    """Shows a cell's last value."""
    show(value, True)


def show(value: Any, is_last: bool) -> None:
    if is_figure(value):
        if not (is_last and id(value) in shown_in_this_cell()):
            show_figure(value)
        return
    forms = Forms(value)
    if forms.shows_itself():
        return
    picture = next((mime_type for mime_type in PICTURES if forms.get(mime_type)), None)
    if picture is not None:
        send_image(picture, forms.get(picture))
    vector = forms.get("image/svg+xml")
    if vector:
        send_image("image/svg+xml", vector)
    data = forms.data()
    if data is not None:
        send_json(data)
    markdown = forms.get("text/markdown")
    if markdown:
        send_text(str(markdown), "markdown")
        return
    plain = forms.bundle.get("text/plain")
    if plain is None or is_default(plain):
        if picture or vector or data is not None:
            return
        plain = repr(value) if plain is None else plain
        html = forms.get("text/html") if is_default(plain) else None
        if html:
            send_text(str(html), "html")
            return
    if is_last:
        streams.write_line(str(plain))
    else:
        send_text(str(plain))


def is_default(text: Any) -> bool:
    """Whether a text says no more than which object it is."""
    return isinstance(text, str) and text.startswith("<") and (" object at 0x" in text and text.endswith(">") or text.endswith(" object>"))


def has_forms(value: Any) -> bool:
    return any(hasattr(type(value), name) for name in ("_repr_mimebundle_", *METHODS.values()))


class Forms:
    """What an object offers, by MIME type; asked for one by one, since some are dear. A method that fails offers nothing
    and says so."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.bundle: dict[str, Any] = {}
        self.has_methods = False
        if isinstance(value, type) or getattr(value, CANARY, None) is not None:
            return
        native = native_forms(value)
        if native is not None:
            self.bundle = native
            return
        self.has_methods = True
        bundle = self.call("_repr_mimebundle_", include=None, exclude=None)
        if isinstance(bundle, dict):
            self.bundle = bundle

    def shows_itself(self) -> bool:
        """`_ipython_display_`, which some widgets have."""
        name = "_ipython_display_"
        if self.has_methods and not self.bundle and hasattr(type(self.value), name):
            return self.call(name, failed=NotImplemented) is not NotImplemented
        return False

    def get(self, mime_type: str) -> Any:
        if mime_type not in self.bundle:
            self.bundle[mime_type] = self.call(METHODS[mime_type]) if self.has_methods and mime_type in METHODS else None
        return self.bundle[mime_type]

    def data(self) -> Any:
        data = self.get("application/json")
        if data is None:
            # Charts of plotly, vega and the like; not references to live widgets.
            vendors = (form for form in self.bundle if isinstance(form, str) and form.endswith("+json") and "widget" not in form)
            data = self.bundle.get(next(vendors, ""))
        return data

    def call(self, name: str, failed: Any = None, **options: Any) -> Any:
        try:
            method = getattr(self.value, name, None)
            if not callable(method):
                return failed
            try:
                data = method(**options)
            except TypeError:
                if not options:
                    raise
                data = method()
        except NotImplementedError:
            return failed
        except Exception as error:
            streams.stderr.write(f"{type(self.value).__name__}.{name} failed: {type(error).__name__}: {error}\n")
            return failed
        # Some give their metadata along.
        return data[0] if isinstance(data, tuple) and len(data) == 2 and name != "_repr_json_" else data


def native_forms(value: Any) -> dict[str, Any] | None:
    """For libraries whose own methods need a notebook."""
    top = type(value).__module__.partition(".")[0]
    if top == "plotly" and hasattr(value, "to_json"):
        return {"application/json": lossless.decode(value.to_json())}
    images: Any = sys.modules.get("PIL.Image")
    if images is not None and isinstance(value, images.Image):
        return {"image/png": picture_of(value)}
    return None


def picture_of(image: Any) -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    if image.mode not in ("1", "L", "LA", "I", "I;16", "P", "RGB", "RGBA"):
        image = image.convert("RGB")
    image.save(buffer, "PNG")
    return buffer.getvalue()


# matplotlib

_shown: dict[int, Any] = {}
_shown_run = 0


def shown_in_this_cell() -> dict[int, Any]:
    """Figures that the current cell has shown, kept alive so that an id means one figure."""
    global _shown_run
    if _shown_run != wire.current:
        _shown.clear()
        _shown_run = wire.current
    return _shown


def is_figure(value: Any) -> bool:
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def show_figure(figure: Any) -> None:
    from io import BytesIO

    shown_in_this_cell()[id(figure)] = figure
    buffer = BytesIO()
    # Written without the figure's own canvas, whatever a library has made of it.
    canvas = sys.modules["matplotlib.backends.backend_agg"].FigureCanvasAgg
    before = figure.canvas
    try:
        canvas(figure)
        figure.savefig(buffer, format="png", bbox_inches="tight")
    finally:
        figure.set_canvas(before)
    send_image("image/png", buffer.getvalue())


def show_figures(*_: Any, **__: Any) -> None:
    """Shows every open figure that the cell has not shown yet, and closes them all. Also `plt.show()`."""
    # With the user's libraries on the path: that is one of them.
    __import__("matplotlib.backends.backend_agg")

    managers = sys.modules["matplotlib._pylab_helpers"].Gcf.get_all_fig_managers()
    figures = [manager.canvas.figure for manager in managers]
    try:
        for figure in figures:
            if id(figure) not in shown_in_this_cell():
                show_figure(figure)
    finally:
        if figures:
            sys.modules["matplotlib.pyplot"].close("all")
