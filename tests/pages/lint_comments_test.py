#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/comments: comments of declarations and meanings of contracts that it refuses, and those that it lets pass.

Usage: lint_comments_test.py SOURCE"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
HEAD = '// SPDX-License-Identifier: Apache-2.0\n'


def lint(text, name):
    """Status and messages, from the line number on."""
    with tempfile.TemporaryDirectory(dir=os.environ.get('TMPDIR')) as folder:
        file = pathlib.Path(folder) / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding='utf-8')
        run = subprocess.run([SOURCE / 'tools/lint/comments', file], capture_output=True, text=True, check=False)
        assert not run.stderr, run.stderr
        return run.returncode, [line.split(f'{name}:', 1)[1] for line in run.stdout.splitlines()]


for text, message in (
        ('/// What a wave holds.\nstruct Held {};', '1: a comment starts with "What"'),
        (HEAD + '// How operands are read.', '2: a comment starts with "How"'),
        ('struct A {\n  /// Whether it ended.\n  bool ended;\n};', '2: a comment starts with "Whether"'),
        ('/// Of the wave.\nint x;', '1: a comment starts with "Of"'),
        ('/// Those that wait.\nint x;', '1: a comment starts with "Those that"'),
        ('/// Who owns a\n/// register.\nint x;', '1: a comment starts with "Who"'),
        ('int x;  ///< what it waits for', '1: a comment starts with "what"'),
        ('int x = 4 / 2;  // whose turn it is', '1: a comment starts with "whose"'),
        ('/* Why it failed. */\nint x;', '1: a comment starts with "Why"'),
        ('int x; /* who waits */', '1: a comment starts with "who"'),
        ('f("http://x");  ///< which of them', '1: a comment starts with "which"')):
    status, messages = lint(text + '\n', 'a.h')
    assert status == 1 and messages == [message + ', expected a noun phrase'], (text, messages)

for text in ('/// Registers of a wave. It says what they hold.\n/// what a line may start with\nint x;',
             'int x;  ///< of the wave', '/// Offset of a register.\nint x;', '/// However many.\nint x;',
             'f("// what");', '/// True if it ended.\nbool ended;', '//\n// What follows is text.'):
    assert lint(text + '\n', 'a.h') == (0, []), text

status, messages = lint('fields:\n- {name: a, meaning: "register"}\n- {name: b, meaning: "what it holds"}\n',
                        'a.contract.yaml')
assert status == 1 and messages == ['3: a comment starts with "what", expected a noun phrase'], messages

for name in ('model/a.cpp', 'ip/a.h'):
    status, messages = lint('int x;\nint y;  // judged by the model\n', name)
    assert status == 1 and messages == ['2: "judged" is no word of the field'], messages
assert lint('// judged\n', 'tests/a.h') == (0, [])
assert lint('// Work as it is done.\n', 'model/a.cpp') == (0, [])
