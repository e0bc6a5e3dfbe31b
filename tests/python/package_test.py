# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The Python package as files: stubs that agree with the module, docstrings and types everywhere, its reference page.

usage: package_test.py PAGE"""
import ast
import inspect
import json
import pathlib
import sys
import typing
import unittest

import cuvette
from cuvette import _native

PAGE = pathlib.Path(sys.argv.pop(1))
FOLDER = pathlib.Path(cuvette.__file__).parent


def public(owner):
    """Members of a class that users see, own ones."""
    return {name: member for name, member in vars(owner).items() if not name.startswith('_')}


class PackageTest(unittest.TestCase):
    def test_stub(self):
        tree = ast.parse((FOLDER / '_native.pyi').read_text(encoding='utf-8'))
        stub = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                stub[node.name] = {getattr(part, 'name', None) or part.targets[0].id for part in node.body
                                   if isinstance(part, (ast.FunctionDef, ast.Assign))}
            elif isinstance(node, ast.FunctionDef):
                stub[node.name] = set()
            elif isinstance(node, ast.AnnAssign):
                stub[node.target.id] = set()
        module = {name: member for name, member in vars(_native).items() if not name.startswith('_')}
        self.assertEqual(sorted(stub), sorted(module))
        for name, members in stub.items():
            if inspect.isclass(module[name]) and name not in ('CallFailed', 'PacketState'):
                self.assertEqual({m for m in members if not m.startswith('_')}, set(public(module[name])), name)
        self.assertEqual(stub['PacketState'], set(_native.PacketState.__members__))

    def test_typed(self):
        self.assertTrue((FOLDER / 'py.typed').exists())
        for file in FOLDER.glob('*.py'):
            for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
                if not isinstance(node, ast.FunctionDef):
                    continue
                arguments = node.args
                every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
                         *filter(None, (arguments.vararg, arguments.kwarg))]
                untyped = [a.arg for a in every if a.annotation is None and a.arg not in ('self', 'cls')]
                self.assertEqual(untyped, [], f'{file.name}: {node.name}')
                self.assertIsNotNone(node.returns, f'{file.name}: {node.name}')

    def test_types_can_be_resolved(self):
        for owner in (cuvette.Device, cuvette.Program):
            for name, member in public(owner).items():
                if inspect.isfunction(member):
                    self.assertIn('return', typing.get_type_hints(member), name)

    def test_docstrings(self):
        for name in cuvette.__all__:
            member = getattr(cuvette, name)
            if name == '__version__':
                continue
            self.assertTrue(inspect.getdoc(member), name)
            for inner, value in public(member).items() if inspect.isclass(member) else ():
                if inspect.isfunction(value) or isinstance(value, property):
                    self.assertTrue(inspect.getdoc(value), f'{name}.{inner}')

    def test_page(self):
        page = PAGE.read_text(encoding='utf-8')
        wanted = [name for name in cuvette.__all__ if name != '__version__']
        for owner in (cuvette.Device, cuvette.Program, cuvette.Kernel, cuvette.Launch):
            wanted += [name for name, value in public(owner).items()
                       if inspect.isfunction(value) or isinstance(value, property)]
        self.assertEqual([name for name in wanted if f'`{name}' not in page and f'.{name}' not in page], [])

    def test_statistics_are_plain(self):
        with cuvette.Device('golden', 'small') as device:
            statistics = device.statistics()
        self.assertEqual(json.loads(json.dumps(statistics)), statistics)

    def test_version(self):
        self.assertRegex(cuvette.__version__, r'^\d+\.\d+\.\d+$')


if __name__ == '__main__':
    unittest.main()
