# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Notebooks of the examples print what is stored in them.

usage: notebook_test.py NOTEBOOK..."""
import copy
import sys

import nbclient
import nbformat


def texts(cell):
    """Text that a cell prints; other outputs are none of these notebooks'."""
    assert all(output.output_type == 'stream' for output in cell.outputs), cell.outputs
    return ''.join(output.text for output in cell.outputs)


for name in sys.argv[1:]:
    stored = nbformat.read(name, as_version=4)
    run = copy.deepcopy(stored)
    nbclient.NotebookClient(run, timeout=300, kernel_name='python3').execute()
    printed = 0
    for before, after in zip(stored.cells, run.cells):
        if before.cell_type == 'code':
            assert texts(before) == texts(after), f'{name}: stored is\n{texts(before)}but it was\n{texts(after)}'
            printed += bool(texts(after))
    assert printed > 0, f'{name} prints nothing'
    print(f'{name}: {len(run.cells)} cells, {printed} outputs compared')
