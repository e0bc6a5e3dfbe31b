# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of a point besides its settings: kernels with every file they refer to, machines, the program."""
import hashlib
import os
import re
import subprocess

import yaml

from .errors import InputError

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
SETTING = re.compile(r"^--set [^:]*: error: ")


def file_hash(path):
    """SHA-256 of a file. Errors: not readable."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as f:
            while block := f.read(1 << 20):
                digest.update(block)
    except OSError as e:
        raise InputError(f"{path}: cannot open: {e.strerror}") from None
    return digest.hexdigest()


class Kernel:
    """A dispatch file. Its identity is of its bytes and those of all files that it names, with the names."""

    def __init__(self, name, path, schema):
        """Errors: a file is not readable, no YAML, or writes files that the points would overwrite for each other."""
        self.name = name
        self.path = path
        identity = [file_hash(path)]
        try:
            with open(path, encoding="utf-8") as f:
                value = yaml.load(f, yaml.BaseLoader)  # names as they are written
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as e:
            raise InputError(f"{path}: no dispatch file: {str(e).splitlines()[0]}") from None
        if isinstance(value, dict) and value.get("dump"):
            raise InputError(f"{path} has a 'dump': points that run at the same time would overwrite each other's files")
        folder = os.path.dirname(path)
        for file in sorted(set(files_of(value, schema, schema))):
            identity += [file, file_hash(os.path.join(folder, file)), *self._included(os.path.join(folder, file))]
        self.identity = hashlib.sha256("\n".join(identity).encode("utf-8", "surrogateescape")).hexdigest()

    @staticmethod
    def _included(path):
        """Hashes of the files that OpenCL C includes by name in quotes, and these in turn."""
        if not path.endswith(".cl"):
            return []
        known, waiting, out = {path}, [path], []
        while waiting:
            source = waiting.pop()
            with open(source, "rb") as f:
                names = INCLUDE.findall(f.read())
            for name in names:
                inner = os.path.normpath(os.path.join(os.path.dirname(source), os.fsdecode(name)))
                if inner in known or not os.path.exists(inner):
                    continue  # a header of the compiler
                known.add(inner)
                waiting.append(inner)
                out += [os.fsdecode(name), file_hash(inner)]
        return out


def files_of(value, schema, root):
    """The names of files in a dispatch file: what its schema calls a file."""
    if schema is True or schema is False:
        return
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name == "file":
            if isinstance(value, str):
                yield value
            return
        yield from files_of(value, root["$defs"][name], root)
        return
    for inner in schema.get("anyOf", []):
        yield from files_of(value, inner, root)
    if isinstance(value, dict):
        others = schema.get("additionalProperties", False)
        for name, member in value.items():
            yield from files_of(member, schema.get("properties", {}).get(name, others), root)
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            yield from files_of(item, schema["items"], root)


class Program:
    """The program `cuvette`. Its identity is of its version and its bytes."""

    def __init__(self, path):
        self.path = path
        self.version = self.ask("--version")[1].strip()
        self.identity = f"{self.version} {file_hash(path)}"

    def ask(self, *arguments):
        """Exit status, standard output and standard error of the program."""
        done = subprocess.run([self.path, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.returncode, *(t.decode("utf-8", "backslashreplace") for t in (done.stdout, done.stderr))


class Machine:
    """A machine description. Its identity is of every field with its value, and of users' modules that it names."""

    def __init__(self, name, argument, program, config_dirs):
        """Errors: what `cuvette machine show` says."""
        self.name = name
        self.argument = argument  # of --config
        self.program = program
        self.config_dirs = config_dirs
        status, text, wrong = program.ask("machine", "show", argument, *config_dirs)
        if status != 0:
            raise InputError(f"machine {name}: {wrong.strip().splitlines()[0].removeprefix('error: ')}")
        self.fields = dict(line.split(None, 1) if " " in line else (line, "") for line in text.splitlines())
        folder = os.path.dirname(argument) if "/" in argument else ""
        modules = [os.path.join(folder, v) for f, v in self.fields.items()
                   if f.startswith("devices.") or f.endswith(".library")]
        hashes = [file_hash(m) for m in modules if os.path.isfile(m)]
        self.identity = hashlib.sha256("\n".join([text, *hashes]).encode("utf-8", "surrogateescape")).hexdigest()

    def refuses(self, path, text):
        """Error in a setting whatever the other fields are; "" for none."""
        status, _, wrong = self.program.ask("machine", "check", self.argument, *self.config_dirs, "--set",
                                            f"{path}={text}")
        line = wrong.strip().splitlines()[0] if wrong.strip() else ""
        if status == 0:
            return ""
        if SETTING.match(line):
            return SETTING.sub("", line)
        # At another place: the value does not go with another field, which a point may change, too.
        return line.removeprefix("error: ") if line.startswith("error: ") else ""


def key_of(program, kernel, machine, engine, options, settings):
    """The content address of a point: equal keys mean equal results.

    The timeout is not in it: a run that ended within a longer or shorter one is the same run.
    """
    parts = [program.identity, kernel.identity, machine.identity, engine, *options, "--"]
    parts += [f"{path}={text}" for path, text in sorted(settings)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
