# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The command line. Status 0: done; 1: points failed, or the sweep was interrupted; 2: bad usage or input; 3: internal
error, or a part that is not there."""
import argparse
import json
import os
import sys
import traceback

from .errors import InputError, NotBuilt, printable

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_WORKERS = 1024


def options(words):
    parser = argparse.ArgumentParser(prog="cuvette")
    parser.add_argument("--program", required=True)
    parser.add_argument("--report-maker", required=True)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("sweep")
    verb.add_argument("plan")
    verb.add_argument("-o", "--output", default="")
    verb.add_argument("--workers", default="")
    verb.add_argument("--retry-failed", action="store_true")
    verb = verbs.add_parser("report")
    verb.add_argument("folder")
    verb.add_argument("-o", "--output", required=True)
    return parser.parse_args(words)


def workers(text):
    """A number of workers, the address of a scheduler, or "slurm". Errors: anything else."""
    if text == "":
        return len(os.sched_getaffinity(0))
    if text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_WORKERS:
        return int(text)
    if text == "slurm" or text.startswith(("tcp://", "tls://", "ucx://", "ws://", "wss://")):
        return text
    raise InputError(f"error: --workers '{text}', expected a number from 1 to {MOST_WORKERS}, an address like "
                     "tcp://HOST:PORT, or slurm")


def load_schemas():
    out = {}
    for name in ("sweep", "dispatch", "statistics"):
        with open(os.path.join(HERE, f"{name}.schema.json"), encoding="utf-8") as f:
            out[name] = json.load(f)
    return out


def need_modules():
    for module, package in (("yaml", "python3-yaml"), ("jsonschema", "python3-jsonschema")):
        try:
            __import__(module)
        except ImportError:
            raise NotBuilt(f"the Python module {module}, of the Debian package {package}") from None


def default_folder(plan):
    return os.path.splitext(os.path.basename(plan))[0] + ".sweep"


def do_sweep(o):
    need_modules()
    from . import inputs
    from .cluster import Cluster
    from .plan import Plan
    from .sweep import Sweep
    count = workers(o.workers)
    plan = Plan(o.plan, load_schemas(), inputs.Program(o.program))
    sweep = Sweep(plan, o.output or default_folder(o.plan), o.retry_failed)
    interrupted = False
    try:
        sweep.run(lambda: Cluster(count, plan.slurm, sweep.scratch))
    except KeyboardInterrupt:
        interrupted = True
    for line in sweep.summary():
        print(printable(line))
    if interrupted:
        print("interrupted: the same command goes on with the points that have no result", file=sys.stderr)
    sweep.store.close()
    return 1 if sweep.failed or interrupted else 0


def do_report(o):
    sys.path.insert(1, o.report_maker)
    from . import sweep_report
    sweep_report.write(o.folder, o.output)
    print(printable(f"{o.output}: report of {o.folder}"))
    return 0


def main(words):
    o = options(words)
    try:
        status = do_sweep(o) if o.verb == "sweep" else do_report(o)
        sys.stdout.flush()
    except InputError as e:
        print(printable(str(e)), file=sys.stderr)
        status = 2
    except NotBuilt as e:
        print(printable(f"cuvette {o.verb}: not built: {e}, is not installed"), file=sys.stderr)
        status = 3
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 2
    except OSError as e:
        print(printable(f"error: {e}"), file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        status = 1
    except Exception as e:  # a defect, told with its place
        where = traceback.extract_tb(e.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        print(printable(f"cuvette: internal error: {type(e).__name__}: {e} ({place})"), file=sys.stderr)
        status = 3
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    if o.verb == "sweep":
        os._exit(status)  # threads of the cluster have nothing left to do
    return status
