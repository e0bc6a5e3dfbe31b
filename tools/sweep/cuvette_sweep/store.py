# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The results of sweeps: one SQLite file in the sweep's folder. It needs the standard library alone.

results  by content address: what a point came to; statistics are JSON, compressed by zlib
plans    by the identity of a plan with the content of what it names; `number` counts the sweeps
points   of a plan, finished ones alone: which result, and the values of the plan's objectives
"""
import contextlib
import fcntl
import json
import os
import sqlite3

from .errors import InputError

FILE = "sweep.sqlite"
APPLICATION = 0x43757653  # "CuvS"
VERSION = 1
TABLES = """
CREATE TABLE results (key TEXT PRIMARY KEY, passed INTEGER NOT NULL, attempts INTEGER NOT NULL, exit INTEGER,
                      seconds REAL NOT NULL, message TEXT NOT NULL, statistics BLOB) WITHOUT ROWID;
CREATE TABLE plans (id TEXT PRIMARY KEY, number INTEGER NOT NULL, path TEXT NOT NULL, description TEXT NOT NULL,
                    points INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE points (plan TEXT NOT NULL, point INTEGER NOT NULL, key TEXT NOT NULL, kernel INTEGER NOT NULL,
                     machine INTEGER NOT NULL, settings TEXT NOT NULL, objectives TEXT NOT NULL,
                     PRIMARY KEY (plan, point)) WITHOUT ROWID;
"""


class Store:
    """The file of results in a folder, opened for a sweep (alone) or for reading."""

    def __init__(self, folder, write):
        """Errors: no folder, another sweep works in it, no file of results or one of another version."""
        self.path = os.path.join(folder, FILE)
        self.lock = None
        try:
            if write:
                os.makedirs(folder, exist_ok=True)
                self._take_lock(folder)
            elif not os.path.exists(self.path):
                raise InputError(f"{folder}: error: no {FILE} in it, expected a folder of cuvette sweep")
            self.base = sqlite3.connect(self.path if write else f"file:{quoted(self.path)}?mode=ro", uri=not write,
                                        isolation_level=None, timeout=60)
            self._check(write)
        except OSError as e:
            raise InputError(f"{folder}: error: cannot be used: {e.strerror}") from None
        except sqlite3.Error as e:
            raise InputError(f"{self.path}: error: cannot be used: {e}") from None

    def _take_lock(self, folder):
        """Held until the process ends, however it ends."""
        self.lock = open(os.path.join(folder, "lock"), "w", encoding="ascii")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{folder}: error: another sweep works in it") from None

    def _check(self, write):
        found = self.base.execute("PRAGMA application_id").fetchone()[0]
        version = self.base.execute("PRAGMA user_version").fetchone()[0]
        empty = not self.base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if write:
            self.base.execute("PRAGMA journal_mode = WAL")
            self.base.execute("PRAGMA synchronous = FULL")  # what is committed is there after a power cut
        if write and empty:
            self.base.executescript(f"BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; "
                                    f"PRAGMA user_version = {VERSION}; COMMIT;")
        elif found != APPLICATION:
            raise InputError(f"{self.path}: error: not a file of cuvette sweep")
        elif version != VERSION:
            raise InputError(f"{self.path}: error: results of version {version}, expected {VERSION}")

    def close(self):
        if self.lock:
            self.base.execute("PRAGMA journal_mode = DELETE")  # one file, readable where nothing can be written
        self.base.close()
        if self.lock:
            self.lock.close()

    # Sweeps

    def begin_plan(self, ident, path, description, points):
        """Makes a plan the last one of the folder."""
        number = self.base.execute("SELECT coalesce(max(number), 0) + 1 FROM plans").fetchone()[0]
        self.base.execute("INSERT INTO plans VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET number = "
                          "excluded.number, path = excluded.path", (ident, number, path, json.dumps(description), points))

    def result(self, key):
        """(passed, message, statistics) of a content address, or None."""
        return self.base.execute("SELECT passed, message, statistics FROM results WHERE key = ?", (key,)).fetchone()

    def has_result(self, key):
        return self.base.execute("SELECT passed FROM results WHERE key = ?", (key,)).fetchone()

    def has_point(self, plan, point):
        return self.base.execute("SELECT 1 FROM points WHERE plan = ? AND point = ?", (plan, point)).fetchone() is not None

    @contextlib.contextmanager
    def _transaction(self):
        self.base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.base.execute("ROLLBACK")
            raise
        self.base.execute("COMMIT")

    def add(self, key, result, attempts, points):
        """A result with the points that have it, in one transaction. `points`: rows of `points`."""
        with self._transaction():
            self.base.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?)",
                              (key, int(result["exit"] == 0), attempts, result["exit"], result["seconds"],
                               result["message"], result["statistics"]))
            self.base.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?, ?)", points)

    def add_points(self, points):
        """Points whose results are there, in one transaction."""
        with self._transaction():
            self.base.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?, ?)", points)

    # Reports

    def last_plan(self):
        """(id, path, description, points) of the plan that was swept last. Errors: there is none."""
        row = self.base.execute("SELECT id, path, description, points FROM plans ORDER BY number DESC LIMIT 1").fetchone()
        if row is None:
            raise InputError(f"{self.path}: error: no plan was swept")
        return row[0], row[1], json.loads(row[2]), row[3]

    def rows(self, plan, kernel=None, machine=None):
        """Finished points of a plan in order: (point, kernel, machine, settings, objectives, passed, attempts, message,
        seconds)."""
        where = "".join(f" AND p.{n} = {v:d}" for n, v in (("kernel", kernel), ("machine", machine)) if v is not None)
        for row in self.base.execute(
                "SELECT p.point, p.kernel, p.machine, p.settings, p.objectives, r.passed, r.attempts, r.message, "
                "r.seconds FROM points p JOIN results r ON r.key = p.key WHERE p.plan = ?" + where + " ORDER BY p.point",
                (plan,)):
            yield (*row[:3], json.loads(row[3]), json.loads(row[4]), *row[5:])

    def counts(self, plan):
        """(finished, failed) points of a plan."""
        return self.base.execute("SELECT count(*), coalesce(sum(1 - r.passed), 0) FROM points p JOIN results r "
                                 "ON r.key = p.key WHERE p.plan = ?", (plan,)).fetchone()


def quoted(path):
    """A path in a URI."""
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
