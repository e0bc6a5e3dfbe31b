# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The suite of kernels (docs/develop/suite.md): what its table says, and the dispatch files and data made from it.

  suite.py list SUITE.yaml
  suite.py make SUITE.yaml KERNEL test|bench --code FILE --reference PROGRAM -o FOLDER
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys

import yaml

KEYS = {"name", "class", "source", "target", "expect", "test", "bench"}
OPTIONAL = {"flags"}  # of the compiler
SIZES = ("test", "bench")


class BadSuite(Exception):
    """Error in the table or a template, for the user."""


def load(path):
    """The rows of the table, checked."""
    try:
        with open(path, encoding="utf-8") as file:
            document = yaml.safe_load(file)
    except (OSError, yaml.YAMLError) as error:
        raise BadSuite(f"{path}: error: {error}") from error
    rows = document.get("kernels") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        raise BadSuite(f"{path}: error: expected a list 'kernels'")
    folder = os.path.dirname(path)
    names = set()
    for row in rows:
        if not isinstance(row, dict) or set(row) - OPTIONAL != KEYS:
            raise BadSuite(f"{path}: error: expected the keys {', '.join(sorted(KEYS))}, found {row}")
        name = row["name"]
        if not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)) or name in names:
            raise BadSuite(f"{path}: error: '{name}' is no name, or there twice")
        names.add(name)
        for size in SIZES:
            values = row[size]
            if not isinstance(values, dict) or not all(type(v) is int and v > 0 for v in values.values()):
                raise BadSuite(f"{path}: error: {name}: '{size}' expects positive integers by name")
        if set(row["test"]) != set(row["bench"]):
            raise BadSuite(f"{path}: error: {name}: 'test' and 'bench' expect the same names")
        files = [row["source"], name + ".yaml", os.path.join("..", "reference", row["expect"])]
        for file in files:
            if not os.path.isfile(os.path.join(folder, file)):
                raise BadSuite(f"{path}: error: {name}: no file {file}")
    return rows


def expand(lines, values, place):
    """The lines of a template: ${expression}, and '%for NAME in EXPRESSION' to '%end'."""

    def value(expression):
        functions = {"__builtins__": {}, "range": range, "min": min, "max": max}
        try:
            return eval(expression, functions, dict(values))  # pylint: disable=eval-used
        except Exception as error:
            raise BadSuite(f"{place}: error: '{expression}': {error}") from error

    out = []
    at = 0
    while at < len(lines):
        loop = re.fullmatch(r"\s*%for (\w+) in (.+)", lines[at])
        at += 1
        if not loop:
            out.append(re.sub(r"\$\{([^}]+)\}", lambda m: str(value(m[1])), lines[at - 1]))
            continue
        first, depth = at, 1
        while at < len(lines) and depth:
            depth += bool(re.match(r"\s*%for ", lines[at])) - (lines[at].strip() == "%end")
            at += 1
        if depth:
            raise BadSuite(f"{place}: error: %for without %end")
        for item in value(loop[2]):
            out += expand(lines[first : at - 1], {**values, loop[1]: item}, place)
    return out


class Case:
    """Arguments of a reference in Python: the sizes, and where its files go."""

    def __init__(self, sizes, folder):
        self.sizes = sizes
        self.folder = folder

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)


def make_data(expect, name, sizes, program, folder):
    if expect.endswith(".py"):
        spec = importlib.util.spec_from_file_location("suite_expectation", expect)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if not hasattr(module, name):
            raise BadSuite(f"{expect}: error: no function '{name}'")
        getattr(module, name)(Case(sizes, folder))
        return
    pairs = [f"{key}={value}" for key, value in sizes.items()]
    if subprocess.run([program, name, folder, *pairs], check=False).returncode != 0:
        raise BadSuite(f"{expect}: error: no data for {name}")


def make(rows, arguments):
    found = [row for row in rows if row["name"] == arguments.kernel]
    if not found:
        raise BadSuite(f"{arguments.suite}: error: no kernel '{arguments.kernel}'")
    row = found[0]
    name, sizes = row["name"], row[arguments.size]
    kernels = os.path.dirname(arguments.suite)
    template = os.path.join(kernels, name + ".yaml")
    with open(template, encoding="utf-8") as file:
        lines = file.read().splitlines()
    os.makedirs(arguments.output, exist_ok=True)
    make_data(os.path.join(kernels, "..", "reference", row["expect"]), name, sizes, arguments.reference,
              arguments.output)
    text = "\n".join(expand(lines, {**sizes, "code": os.path.abspath(arguments.code)}, template)) + "\n"
    if not arguments.code.endswith(".hsail"):
        text = text.replace('kernel: "&', 'kernel: "')  # names are those of HSAIL, which machine code drops
    untold = re.sub(r"^expect:\n(?:[ -].*\n)+", "", text, flags=re.MULTILINE)
    if untold == text:
        raise BadSuite(f"{template}: error: expected a block 'expect:'")
    for ending, content in ((".timed.yaml", untold), (".yaml", text)):
        with open(os.path.join(arguments.output, name + ending), "w", encoding="utf-8") as file:
            file.write(content)


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    lister = verbs.add_parser("list")
    maker = verbs.add_parser("make")
    for verb in (lister, maker):
        verb.add_argument("suite")
    maker.add_argument("kernel")
    maker.add_argument("size", choices=SIZES)
    maker.add_argument("--code", required=True)
    maker.add_argument("--reference", required=True)
    maker.add_argument("-o", dest="output", required=True)
    arguments = parser.parse_args()
    try:
        rows = load(arguments.suite)
        if arguments.verb == "make":
            make(rows, arguments)
        else:
            columns = ("name", "source", "target", "expect", "flags")
            print(";".join(",".join(row.get(column, "") for column in columns) for row in rows))
    except BadSuite as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
