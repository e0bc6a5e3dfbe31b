#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""tools/docs/markdown.py: pages of the repository in the dialect of Python-Markdown.

Usage: markdown_test.py SOURCE"""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve() / 'tools/docs'))
import markdown  # noqa: E402

for before, after in (
        ('a\nb\n', 'a\nb\n'),
        ('text\n- one\n- two\n', 'text\n\n-   one\n-   two\n'),
        ('1. one\n   more\n2. two\n', '1.  one\n    more\n2.  two\n'),
        ('- one\n  - inner\n    more\n- two\n', '-   one\n    -   inner\n        more\n-   two\n'),
        ('- one\nlazy\n\nbehind\n', '-   one\n    lazy\n\nbehind\n'),
        ('text of chapter\n4. and on\n', 'text of chapter\n4. and on\n'),  # no list
        ('text\n| a | b |\n|---|---|\n', 'text\n\n| a | b |\n|---|---|\n'),
        ('text\n\n    - code\n    - more\n      deeper\n', 'text\n\n    - code\n    - more\n      deeper\n'),
        ('1. one\n\n       code\n\n   text\n2. two\n', '1.  one\n\n        code\n\n    text\n\n2.  two\n'),
        ('```\n- not a list\n| x\n```\n', '```\n- not a list\n| x\n```\n'),
        ('- one\n\n# Head\n', '-   one\n\n# Head\n')):
    found = markdown.adapt(before)
    assert found == after, (before, found, after)
print('passed')
