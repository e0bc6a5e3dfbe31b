# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a model: data, style, program and the drawing library inside."""
import json
import os

from . import json_file
from .errors import InputError

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "d3")
SCRIPTS = ("base.js", "bars.js", "heat.js", "lines.js", "roofline.js", "timeline.js", "waterfall.js", "table.js",
           "scatter.js", "main.js")
MOST_BYTES = 15_000_000  # of a page


def read(folder, name):
    with json_file.open_text(os.path.join(folder, name)) as f:
        return f.read()


def data_text(model):
    """The model as JSON that no element of HTML can end."""
    text = json.dumps(model, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c")


def fit(model, room):
    """The text of a model of at most `room` bytes: single dispatches go first, and that is told."""
    text = data_text(model)
    while len(text) > room:
        run = max(model["runs"], key=lambda r: len(r["scopes"]))
        if len(run["scopes"]) == 1:
            raise InputError(f"error: the page would have {len(text)} bytes of data, at most {room}: name fewer runs")
        del run["scopes"][max(1, len(run["scopes"]) // 2):]
        run["note"] = f"The first {len(run['scopes']) - 1} dispatches have sections of their own: more would not fit."
        text = data_text(model)
    return text


def html(model):
    library, licence = read(LIBRARY, "d3.min.js"), read(LIBRARY, "copyright")
    parts = {"STYLE": read(HERE, "style.css"), "LICENCE": escape(licence), "LIBRARY": library,
             "PROGRAM": "\n".join(read(HERE, name) for name in SCRIPTS), "TITLE": escape(model["title"])}
    page = read(HERE, "page.html")
    room = MOST_BYTES - len(page) - sum(len(p.encode()) for p in parts.values())
    parts["DATA"] = fit(model, room)
    # One pass over the template: what is filled in is not looked at again.
    pieces = page.split("@@")
    return "".join(parts[piece] if n % 2 else piece for n, piece in enumerate(pieces))


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").encode(
        "utf-8", "backslashreplace").decode()


def write(model, path):
    """Errors: the page would be too large, the file cannot be written."""
    text = html(model)
    try:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    except OSError as e:
        raise InputError(f"{path}: error: cannot write: {e.strerror}") from None
