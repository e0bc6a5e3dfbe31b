# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The command line. Status 0: done; 2: bad usage or a bad input; 3: internal error."""
import argparse
import os
import sys
import traceback

from . import diff, page, report
from .errors import InputError, printable
from .run import load_runs


def options(words):
    parser = argparse.ArgumentParser(prog="cuvette")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("report")
    verb.add_argument("runs", nargs="+")
    verb.add_argument("-o", dest="output", required=True)
    verb.add_argument("--trace", action="append", default=[])
    verb.add_argument("--program", required=True)
    verb = verbs.add_parser("diff")
    verb.add_argument("a")
    verb.add_argument("b")
    verb.add_argument("-o", dest="output")
    return parser.parse_args(words)


def make_report(o):
    runs = load_runs(o.runs, o.trace, o.program)
    page.write(report.make(runs), o.output)
    print(printable(f"{o.output}: report of {', '.join(r.path for r in runs)}"))


def make_diff(o):
    comparison = diff.Comparison(*load_runs([o.a, o.b], [], with_traces=False))
    if o.output:
        page.write(diff.make(comparison), o.output)
    for line in diff.text(comparison).split("\n"):
        print(printable(line))


def main(words):
    o = options(words)
    try:
        make_report(o) if o.verb == "report" else make_diff(o)
        sys.stdout.flush()
    except InputError as e:
        print(printable(str(e)), file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except OSError as e:
        print(printable(f"error: {e}"), file=sys.stderr)
        return 2
    except Exception as e:  # a defect, told with its place
        where = traceback.extract_tb(e.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        print(printable(f"cuvette: internal error: {type(e).__name__}: {e} ({place})"), file=sys.stderr)
        return 3
    return 0
