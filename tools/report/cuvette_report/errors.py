# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of inputs, and text that a terminal can be given."""


class InputError(Exception):
    """A file that cannot be used; its text is the whole message, with the place."""


def error_at(place, what):
    """An error with the place it was found at: a file, with line and column where there are any."""
    return InputError(f"{place}: error: {what}")


def printable(text):
    """Text with control characters, and bytes that are no UTF-8, as escape sequences."""
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "".join(names.get(c) or (f"\\x{ord(c) & 0xff:02x}" if hidden(c) else c) for c in text)


def hidden(c):
    return ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 or 0xd800 <= ord(c) < 0xe000
