# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""JSON files, read with errors that name the place."""
import json

from .errors import error_at


def open_text(path):
    try:
        return open(path, encoding="utf-8")
    except OSError as e:
        raise error_at(path, f"cannot open: {e.strerror}") from None


def parse(text, place):
    """The value of a JSON text. `place` gives the name of the place of a line and column."""
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as e:
        raise error_at(place(e.lineno, e.colno), f"not JSON: {e.msg}") from None
    except RecursionError:
        raise error_at(place(None, None), "not a file of cuvette: JSON nested too deeply") from None
    except ValueError as e:
        raise error_at(place(None, None), f"not a file of cuvette: {e}") from None


def refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


DECODER = json.JSONDecoder(parse_constant=refuse_constant)  # one for all lines of a trace: making it is slow


def place_in(path, first_line=1):
    """Names places of a text that begins in a line of a file."""
    return lambda line, column: path if line is None else f"{path}:{line + first_line - 1}:{column}"


def read(path):
    with open_text(path) as f:
        try:
            text = f.read()
        except UnicodeDecodeError:
            raise error_at(path, "not JSON: bytes that are no UTF-8") from None
        except OSError as e:
            raise error_at(path, f"cannot read: {e.strerror}") from None
    return parse(text, place_in(path))
