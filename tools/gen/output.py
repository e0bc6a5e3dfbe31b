# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Writing of generated files."""

import os


def write(folder, name, text):
    """Writes folder/name unless it holds `text` (or the list of its lines) already, so that an
    unchanged file does not make others build again."""
    path = os.path.join(folder, name)
    if not isinstance(text, str):
        text = "\n".join(text)
    if os.path.exists(path):
        with open(path, encoding="ascii") as old:
            if old.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as new:
        new.write(text)
