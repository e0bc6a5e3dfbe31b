# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers shared by the tests of sweeps: plans in a scratch folder, and the contents of a sweep's file."""
import json
import os
import shutil
import sqlite3
import subprocess
import zlib


def points_of(folder):
    """Finished points of the last plan: number to (key, passed, message, seconds, objectives, settings, statistics)."""
    path = os.path.join(folder, "sweep.sqlite")
    if not os.path.exists(path):
        return {}
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)
    try:
        rows = base.execute(
            "SELECT p.point, p.key, r.passed, r.message, r.seconds, p.objectives, p.settings, r.statistics FROM points p "
            "JOIN results r ON r.key = p.key WHERE p.plan = (SELECT id FROM plans ORDER BY number DESC LIMIT 1)").fetchall()
    except sqlite3.OperationalError:
        return {}  # before its tables are there
    finally:
        base.close()
    return {row[0]: row[1:] for row in rows}


def results_of(folder):
    """Part of a sweep that does not depend on when and where it ran: by point, all but the seconds."""
    return {n: (key, passed, message, objectives, settings, zlib.decompress(statistics) if statistics else None)
            for n, (key, passed, message, _, objectives, settings, statistics) in points_of(folder).items()}


def single_run(cuvette, scratch, kernel, settings, *options):
    """The bytes of the statistics of one `cuvette run`."""
    path = os.path.join(scratch, "single.json")
    words = [word for setting in settings.items() for word in ("--set", "=".join(setting))]
    subprocess.run([cuvette, "run", kernel, *options, *words, "--stats", path], check=True, stdout=subprocess.DEVNULL)
    with open(path, "rb") as f:
        return f.read()


def copied_kernel(dispatches, scratch, name):
    """A dispatch file, and all that it names, in a folder where they may be changed."""
    top = os.path.dirname(dispatches)
    os.makedirs(os.path.join(scratch, "dispatches"), exist_ok=True)
    os.makedirs(os.path.join(scratch, "kernels"), exist_ok=True)
    for file in (f"dispatches/{name}.yaml", f"dispatches/{name}.expected.bin", f"kernels/{name}.hsail"):
        shutil.copy(os.path.join(top, file), os.path.join(scratch, file))
    return os.path.join(scratch, "dispatches", f"{name}.yaml")


def plan_text(kernels, parameters, **more):
    """A plan on the small machine: YAML that is JSON."""
    return json.dumps({"kernels": kernels, "machines": ["small"], "parameters": parameters, **more})
