# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""From the Markdown of the repository, which is that of its hosting site, to the dialect of Python-Markdown.

Differences that matter here: nested blocks are indented by multiples of four columns, and a list or a table begins
behind a blank line."""
import re

MARKER = re.compile(r'(?P<indent> *)(?P<marker>[-*+]|\d+[.)]) +')
FENCE = re.compile(r' *```')
TABLE = re.compile(r' *\|')


def starts_item(line, before):
    """True if `line`, which is no code, begins a list item; behind text a number other than 1 does not."""
    marker = MARKER.match(line)
    if marker is None or not before or MARKER.match(before) or before.startswith(' '):
        return marker
    return marker if marker['marker'][0] in '-*+' or marker['marker'][:-1] == '1' else None


def adapt(text):
    """`text` with indentation and blank lines as Python-Markdown wants them."""
    result = []
    levels = []  # columns at which the contents of the open list items begin
    fence = code = loose = False
    before = ''  # the last line
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped and not fence:
            result.append('')
            before = ''
            loose = bool(levels)  # an item of several paragraphs: the next one needs a blank line before it
            continue
        indent = len(line) - len(line.lstrip(' '))
        if not fence:
            # Text below an item continues its paragraph, however little it is indented, unless a blank line ends it.
            new_block = not before or code or stripped.startswith(('#', '```', '|'))
            outside = [column for column in levels if column <= indent]
            base = outside[-1] if outside else 0
            code = indent >= base + 4 and (code or not before)
            marker = None if code else starts_item(line, before)
            if new_block or marker:
                levels = outside
                loose = loose and bool(levels or marker)
            if marker:
                behind_text = before and not MARKER.match(before) and not levels and not result[-1].startswith(' ')
                if behind_text or loose and before:
                    result.append('')
                result.append(' ' * 4 * len(levels) + marker['marker'].ljust(3) + ' ' + line[marker.end():])
                levels.append(marker.end())
                before = line
                continue
        if TABLE.match(line) and before and not TABLE.match(before) and not fence and not code:
            result.append('')
        result.append(' ' * 4 * len(levels) + line[min(indent, levels[-1] if levels else 0):])
        if FENCE.match(line) and not code:
            fence = not fence
        before = line
    return '\n'.join(result) + '\n'
