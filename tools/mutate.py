#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Copies of sources with the mutants of a table in them (tests/mutants/*.csv). A copy takes the wrong expression of
mutant N while N is selected at run time, the right one otherwise.

usage: mutate.py [--source DIR] TABLE OUT   OUT gets a copy of each file, under its path in the repository
       mutate.py [--source DIR] --list TABLE the files that the table names

A row has id, file and edit, the piece of source text with the edit marked as `git diff --word-diff` marks it:

    up_ready_o = !valid_q || [-down_ready_i-]{+1'b1+};

Without the {+ +} it has to be in the file exactly once. White space is of no account, except between two words. A row
may mark several expressions. An expression may hold, or be, that of another mutant.

Errors name table, line, mutant and file; nothing is written then.
"""
import argparse
import csv
import pathlib
import re
import sys

MARK = re.compile(r"\[-(.*?)-\]\{\+(.*?)\+\}")
TOKEN = re.compile(r"\w+|[^\w\s]")
# Per kind of file: what a copy begins with, and an expression with one mutant.
CPP = ('#include "selected_mutant.h"\n#line 1 "{file}"\n', "(::cuvette::mutant_is({id}) ? ({wrong}) : ({right}))")
FORMS = {".cpp": CPP, ".h": CPP,
         ".sv": ("", "((mutant_pkg::cuvette_selected_mutant() == 32'd{id}) ? ({wrong}) : ({right}))")}


class Wrong(Exception):
    """Error in a row."""


def pattern(parts):
    """An expression for the anchor, whose odd parts are the marked ones: a group each."""
    text, last = "", ""
    for n, part in enumerate(parts):
        tokens = TOKEN.findall(part)
        for i, token in enumerate(tokens):
            if last:
                text += r"\s+" if re.match(r"\w", last[-1]) and re.match(r"\w", token) else r"\s*"
            text += ("(" if n % 2 and i == 0 else "") + re.escape(token) + (")" if n % 2 and i + 1 == len(tokens) else "")
            last = token
    first = TOKEN.search("".join(parts))
    return re.compile(("(?<!\\w)" if first and re.match(r"\w", first[0]) else "") + f"(?={text}" +
                      (r"(?!\w))" if re.match(r"\w", last) else ")"))


def places(edit, text):
    """(start, end, wrong expression) of each expression marked in `edit`."""
    cells = MARK.split(edit)
    rights, wrongs = cells[1::3], cells[2::3]
    if not rights:
        raise Wrong("no [-right-]{+wrong+} in its edit")
    for right, wrong in zip(rights, wrongs):
        if not TOKEN.search(right) or not TOKEN.search(wrong):
            raise Wrong("an empty expression in its edit")
        if TOKEN.findall(right) == TOKEN.findall(wrong):
            raise Wrong("its edit changes nothing")
    parts = [cell for i, cell in enumerate(cells) if i % 3 != 2]
    found = list(pattern(parts).finditer(text))
    if len(found) != 1:
        how = f"is there {len(found)} times" if found else "not found"
        raise Wrong(f"anchor {how}: {' '.join(''.join(parts).split())}")
    return [(*found[0].span(n + 1), wrong.strip()) for n, wrong in enumerate(wrongs)]


def mutated(text, edits, form):
    """The text with `edits`, (start, end, wrong, id), in it; the inner of nested ones first."""
    out, at = [], 0
    edits = sorted(edits, key=lambda e: (e[0], -e[1], e[3]))
    while edits:
        start, end, wrong, number = edits[0]
        inner = [e for e in edits[1:] if e[0] < end]
        right = mutated(text[start:end], [(s - start, e - start, w, n) for s, e, w, n in inner], form)
        out += [text[at:start], form.format(id=number, wrong=wrong, right=right)]
        at, edits = end, edits[1 + len(inner):]
    return "".join(out) + text[at:]


def read(table):
    with open(table, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = {"id", "file", "edit"} - set(reader.fieldnames or ())
        if missing:
            sys.exit(f"error: {table}:1: no column {', '.join(sorted(missing))}")
        return [(reader.line_num, row) for row in reader]


def apply(table, source):
    """The copies, path to text, and the errors."""
    texts, edits, errors, seen = {}, {}, [], set()
    for line, row in read(table):
        name = row["file"] or ""
        try:
            if not re.fullmatch(r"[1-9]\d*", row["id"] or ""):
                raise Wrong("its id is no number")
            if row["id"] in seen:
                raise Wrong("its id is there twice")
            seen.add(row["id"])
            if pathlib.PurePath(name).suffix not in FORMS or not (source / name).is_file():
                raise Wrong("no such source file")
            if name not in texts:
                texts[name] = (source / name).read_text(encoding="utf-8")
            new = [(*place, int(row["id"])) for place in places(row["edit"] or "", texts[name])]
            for start, end, _, _ in new:
                for s, e, _, other in edits.get(name, []):
                    if start < e and s < end and not (s <= start and end <= e) and not (start <= s and e <= end):
                        raise Wrong(f"its expression overlaps that of mutant {other}")
            edits.setdefault(name, []).extend(new)
        except Wrong as wrong:
            errors.append(f"{table}:{line}: mutant {row['id']}: {name}: {wrong}")
    copies = {}
    for name, text in texts.items():
        head, form = FORMS[pathlib.PurePath(name).suffix]
        copies[name] = head.format(file=name) + mutated(text, edits.get(name, []), form)
    return copies, errors


def write(copies, out):
    """Writes what differs and removes what is no copy any more: it may stand in front of a header."""
    for old in sorted(p for p in out.rglob("*") if p.is_file()):
        if str(old.relative_to(out)) not in copies:
            old.unlink()
    for name, text in copies.items():
        path = out / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    args = parser.parse_args()
    if args.list:
        print("\n".join(sorted({row["file"] for _, row in read(args.table) if (args.source / row["file"]).is_file()})))
        return 0
    if args.out is None:
        parser.error("no OUT")
    copies, errors = apply(args.table, args.source)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    if errors:
        return 1
    write(copies, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
