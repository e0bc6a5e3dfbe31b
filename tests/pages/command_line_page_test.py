#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/command_line.md has every verb and option that the program's --help lists, and no other ones.

Usage: command_line_page_test.py CUVETTE SOURCE"""
import pathlib
import re
import subprocess
import sys

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
OPTION = re.compile(r'--[a-z][a-z-]*')


def helped(*verb):
    """The help of a verb."""
    return subprocess.run([PROGRAM, *verb, '--help'], capture_output=True, text=True, check=True).stdout


def verbs_of(text):
    """The subcommands that a help lists."""
    _, _, listed = text.partition('\nSubcommands:\n')
    return re.findall(r'^  ([a-z-]+) ', listed, re.M)


page = (SOURCE / 'docs/reference/command_line.md').read_text(encoding='utf-8')
known = {'--help', '--version'}
missing = []
for verb in verbs_of(helped()):
    for path in [(verb,)] + [(verb, inner) for inner in verbs_of(helped(verb))]:
        text = helped(*path)
        if ' '.join(path) not in page:
            missing.append(' '.join(path))
        options = set(re.findall(r'^ +(?:-\w,)?(--[a-z][a-z-]*)', text, re.M))
        known |= options
        missing += [f'{" ".join(path)} {option}' for option in sorted(options) if option not in page]
assert len(known) > 20, known
assert not missing, f'not on the page: {missing}'
unknown = sorted(set(OPTION.findall(page)) - known)
assert not unknown, f'on the page alone: {unknown}'
print(f'{len(known)} options')
