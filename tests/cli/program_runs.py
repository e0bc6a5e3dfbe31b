# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers shared by the tests of the program: runs of cuvette, files in a scratch folder, and the tally of checks."""
import os
import re
import subprocess
import sys


class Runs:
    def __init__(self, cuvette, scratch):
        self.cuvette = cuvette
        self.scratch = scratch
        self.checks = 0
        self.failures = []
        os.makedirs(scratch, exist_ok=True)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def write(self, name, data):
        """The path of a file with text or bytes."""
        with open(self.path(name), "wb") as f:
            f.write(data.encode("ascii") if isinstance(data, str) else data)
        return self.path(name)

    def run(self, *arguments, **options):
        """Exit status, standard output and standard error of cuvette, as text unless text=False is among the options."""
        done = subprocess.run([self.cuvette, *arguments], **{"capture_output": True, "text": True, "check": False, **options})
        return done.returncode, done.stdout, done.stderr

    def expect(self, good, what):
        """One check. Returns `good`."""
        self.checks += 1
        if not good:
            self.failures.append(what)
        return good

    def equal(self, got, wanted, what):
        """One check. Returns whether it is good."""
        return self.expect(got == wanted, f"{what}: {str(got)[:400]}, expected {str(wanted)[:400]}")

    def check(self, what, code, pattern, *arguments):
        """One check: cuvette ends with a status, and either output has a match of a pattern."""
        status, out, err = self.run(*arguments)
        return self.expect(status == code and re.search(pattern, out + err),
                           f"{what}: exit {status}, expected {code} and {pattern!r}:\n{out}{err}")

    def end(self, least=1):
        """Ends the test with the tally; fewer checks than `least` fail too."""
        print(f"{self.checks} checks, {len(self.failures)} failed")
        for failure in self.failures[:30]:
            print("FAILED:", failure[:1000])
        sys.exit(1 if self.failures or self.checks < least else 0)
