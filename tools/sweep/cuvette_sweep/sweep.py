# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The sweep: points that have no result yet go to the workers, results are committed as they come."""
import hashlib
import itertools
import json
import os
import queue
import shutil
import sys
import uuid
import zlib

from .errors import printable
from .inputs import key_of
from .progress import Progress
from .store import Store

ATTEMPTS = 2
LATER = object()
BATCH = 1000        # points with known results in one transaction
MOST_LISTED = 20    # failed points that are told one by one at the end


class Sweep:
    """A plan on its way through the workers into a folder. Memory does not depend on the number of points."""

    def __init__(self, plan, folder, retry_failed=False):
        self.plan, self.folder, self.retry_failed = plan, folder, retry_failed
        self.store = Store(folder, write=True)
        self.scratch = os.path.join(folder, "work")
        shutil.rmtree(self.scratch, ignore_errors=True)  # of a sweep that was killed
        os.makedirs(self.scratch)
        self.options = plan.run_options()
        self.ident = self._identity()
        self.finished = self.ran = self.failed = self.reused = 0
        self.doubles = 0   # points that wait for the result of another one
        self.waiting = {}  # key of a point under way to the rows of all points that have it
        self.hits = []     # rows of points with known results, not yet committed
        self.progress = Progress(plan.layout.size)

    def description(self):
        """Part of the plan that a report needs."""
        plan = self.plan
        return {"kernels": [k.name for k in plan.kernels], "machines": [m.name for m in plan.machines],
                "engine": plan.engine, "options": self.options, "program": plan.program.version,
                "parameters": [path for path, _ in plan.parameters()],
                "objectives": [{"name": o.name, "goal": o.goal, **o.paths} for o in plan.objectives]}

    def _identity(self):
        plan = self.plan
        text = json.dumps([plan.program.identity, [k.identity for k in plan.kernels],
                           [m.identity for m in plan.machines], plan.file.value.get("parameters", {}),
                           self.description()], sort_keys=False)
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    def run(self, make_cluster):
        """Runs what has no result. `make_cluster` is called when there is something to run."""
        plan = self.plan
        self.store.begin_plan(self.ident, plan.path, self.description(), plan.layout.size)
        cluster = None
        try:
            todo = self._todo()
            first = next(todo, None)
            if first is not None:
                cluster = make_cluster()
                self._feed(cluster, itertools.chain([first], todo))
        finally:
            self.progress.clear()
            if cluster:
                cluster.close()
            self._commit_hits()
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _todo(self):
        """(key, index) of the points to run, LATER when some of those have to end before; the other ones are taken
        from the results."""
        plan = self.plan
        for index in range(plan.layout.size):
            kernel, machine, settings = plan.layout.point(index)
            key = key_of(plan.program, plan.kernels[kernel], plan.machines[machine], plan.engine, self.options, settings)
            row = (self.ident, index, key, kernel, machine, json.dumps(dict(settings)))
            if key in self.waiting:
                self.waiting[key].append(row)
                self.doubles += 1
                if self.doubles > BATCH:
                    yield LATER
                continue
            known = self.store.has_result(key)
            if known is None or (self.retry_failed and not known[0]):
                self.waiting[key] = [row]
                yield key, index
                continue
            self._take(row, known[0])

    def _take(self, row, passed):
        """A point whose result is known."""
        self.finished += 1
        self.reused += 1
        self.failed += not passed
        self.progress.update(self.finished, self.ran, self.failed)
        if not self.store.has_point(self.ident, row[1]):
            _, _, statistics = self.store.result(row[2])
            self.hits.append((*row, self._objectives(statistics if passed else None)))
        if len(self.hits) >= BATCH:
            self._commit_hits()

    def _commit_hits(self):
        if self.hits:
            self.store.add_points(self.hits)
            self.hits = []

    def _objectives(self, statistics):
        if statistics is None:
            return json.dumps([None] * len(self.plan.objectives))
        value = json.loads(zlib.decompress(statistics))
        return json.dumps([o.value(value) for o in self.plan.objectives])

    def _feed(self, cluster, todo):
        ended = queue.SimpleQueue()
        session = uuid.uuid4().hex  # names of tasks are those of one scheduler, which several sweeps may share
        under_way = {}  # future to (key, index, attempt)

        def send(key, index, attempt):
            future = cluster.submit(self.plan.program.path, self.plan.arguments(index), self.plan.timeout,
                                    f"point-{session}-{index}-{attempt}")
            under_way[future] = key, index, attempt
            future.add_done_callback(ended.put)

        room = cluster.room()
        more = True
        while more or under_way:
            while more and len(under_way) < room:
                new = next(todo, None)
                more = new is not None
                if not more or new is LATER:
                    break
                send(*new, 1)
            if not under_way:
                continue
            try:
                future = ended.get(timeout=1)
            except queue.Empty:
                cluster.check()
                continue
            key, index, attempt = under_way.pop(future)
            result = outcome(future, cluster)
            future.release()
            if result["exit"] == 0 and result["statistics"] is None:
                result |= {"exit": None, "message": "no statistics were written"}
            if result["exit"] != 0 and attempt < ATTEMPTS:
                send(key, index, attempt + 1)
                continue
            self._finish(key, index, result, attempt)
            room = cluster.room() if self.ran % 64 == 0 else room

    def _finish(self, key, index, result, attempts):
        rows = self.waiting.pop(key)
        self.doubles -= len(rows) - 1
        passed = result["exit"] == 0
        objectives = self._objectives(result["statistics"] if passed else None)
        self.store.add(key, result, attempts, [(*row, objectives) for row in rows])
        self.finished += len(rows)
        self.ran += len(rows)
        if not passed:
            self.failed += len(rows)
            self.progress.clear()
            print(printable(f"{self.name(index)}: failed {attempts} times: {result['message']}"), file=sys.stderr)
        self.progress.update(self.finished, self.ran, self.failed)

    def name(self, index):
        """A point as messages call it."""
        kernel, machine, settings = self.plan.layout.point(index)
        words = [f"point {index}", self.plan.kernels[kernel].name]
        if self.plan.engine != "hsail":
            words.append(self.plan.machines[machine].name)
        return ", ".join([*words, *(f"{p}={t}" for p, t in settings)])

    def summary(self):
        """Lines about the sweep as it stands."""
        plan, size = self.plan, self.plan.layout.size
        yield f"{plan.path}: {size} points, {self.finished} finished, {self.failed} failed"
        yield f"  in this call   {self.ran} run, {self.reused} with a result before"
        yield f"  results        {self.store.path}"
        for column, objective in enumerate(plan.objectives):
            best = self._best(column, objective)
            if best is not None:
                yield f"  {objective.goal} {objective.name}: {best[0]:.10g} at {self.name(best[1])}"
        if self.failed:
            yield from self._failures()

    def _best(self, column, objective):
        if objective.goal is None:
            return None
        sign = 1 if objective.goal == "minimize" else -1
        best = None
        for row in self.store.rows(self.ident):
            value = row[4][column]
            if value is not None and (best is None or sign * value < sign * best[0]):
                best = value, row[0]
        return best

    def _failures(self):
        listed = 0
        for row in self.store.rows(self.ident):
            if row[5]:
                continue
            listed += 1
            if listed > MOST_LISTED:
                yield f"  failed         {self.failed - MOST_LISTED} more, listed by cuvette report"
                return
            yield f"  failed         {self.name(row[0])}: {row[7]}"


def outcome(future, cluster):
    """Result of a point; an error of its worker is a failed attempt. Errors: there are no workers any more."""
    if future.status == "finished":
        return future.result()
    cluster.check()
    error = future.exception() if future.status == "error" else None
    what = f"{type(error).__name__}: {error}" if error is not None else "it was given up"
    return {"exit": None, "seconds": 0.0, "message": f"the worker failed: {what.splitlines()[0]}", "statistics": None}
