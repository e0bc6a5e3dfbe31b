# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of plans, and text that a terminal can be given."""
import difflib


class InputError(Exception):
    """Something that cannot be used; its text is the whole message, with the place."""


class NotBuilt(Exception):
    """A part that is not installed; its text says which package has it."""


def nearest(name, known):
    """", nearest spelling 'x'" of the known names, or "" when none is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f", nearest spelling '{close[0]}'" if close else ""


def printable(text):
    """Text with control characters, and bytes that are no UTF-8, as escape sequences."""
    return "".join(f"\\x{ord(c) & 0xff:02x}" if hidden(c) else c for c in text)


def hidden(c):
    return ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 or 0xd800 <= ord(c) < 0xe000
