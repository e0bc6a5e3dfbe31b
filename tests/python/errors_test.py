# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the Python package on bad input: one exception of the right kind each, and the device works on.

usage: errors_test.py OPENCL DISPATCHES"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy
from device_kernels import OPENCL, SAXPY, SPIN

import cuvette

HAS_OPENCL = sys.argv.pop(1) == '1'
DISPATCHES = pathlib.Path(sys.argv.pop(1))


class OpenTest(unittest.TestCase):
    """Devices that are none."""

    def refused(self, kind, words, *arguments, **options):
        with self.assertRaisesRegex(kind, words) as caught:
            cuvette.Device(*arguments, **options)
        self.assertIsInstance(caught.exception, cuvette.Error)

    def test_engine(self):
        self.refused(cuvette.ArgumentError, "engine 'fast', expected golden, lt or ca", 'fast', 'small')
        self.refused(ValueError, 'name no engine', '', 'small')

    def test_machine(self):
        self.refused(cuvette.DescriptionError, 'no_such_machine', 'golden', 'no_such_machine')

    def test_description_with_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / 'bad.yaml'
            good = (DISPATCHES / '../../config/small.yaml').read_text(encoding='utf-8')
            line = good[:good.index('\ncompute_units:')].count('\n') + 2
            file.write_text(re.sub(r'(?m)^compute_units: .*', 'compute_units: many', good), encoding='utf-8')
            self.refused(cuvette.DescriptionError, rf'bad\.yaml:{line}:16: error: ', 'golden', file)

    def test_settings(self):
        self.refused(cuvette.DescriptionError, 'l2.slice.weighs', 'golden', 'small', set={'l2.slice.weighs': 4})
        self.refused(cuvette.DescriptionError, '--set l2.slice.ways=many', 'golden', 'small',
                     set={'l2.slice.ways': 'many'})
        self.refused(cuvette.DescriptionError, 'tlm', 'golden', 'small', set={'implementations.valu': 'rtl'})

    def test_settings_count(self):
        with cuvette.Device('golden', 'small', set={'memory.bytes': 1 << 20}) as device:
            device.zeros(1 << 18, numpy.uint8)
            with self.assertRaisesRegex(cuvette.DeviceMemoryError, "are left of the machine's memory"):
                device.zeros(1 << 20, numpy.uint8)

    def test_once(self):
        script = '''
import cuvette
with cuvette.Device('lt', 'small'):
    try:
        cuvette.Device('ca', 'small')
    except cuvette.OnceError as error:
        print('once:', error)
with cuvette.Device('ca', 'small') as device:
    print('then:', device.zeros(4, 'f4').sum())
'''
        done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, '^once: .*SystemC.*\nthen: 0.0\n$')

    def test_closed(self):
        device = cuvette.Device('golden', 'small')
        kernel = device.load_text(SAXPY)['saxpy']
        x = device.zeros(64)
        device.close()
        device.close()
        self.assertFalse(device.is_open)
        for call in (lambda: device.zeros(4), lambda: device.cycle, lambda: kernel(64, 64, 1, 1.0, 0, 0),
                     lambda: kernel(64, 64, 1, 1.0, x, x), device.run, device.statistics, device.cancel):
            with self.assertRaises(cuvette.ArgumentError):
                call()


class CallTest(unittest.TestCase):
    """Calls of a device of engine golden."""

    def setUp(self):
        self.device = cuvette.Device('golden', 'small')
        self.kernel = self.device.load_text(SAXPY)['saxpy']
        self.x = self.device.zeros(64)

    def tearDown(self):
        self.x[...] = 1
        y = self.device.zeros(64)
        self.kernel(64, 64, 64, 3.0, self.x, y)
        self.assertTrue((y == 3).all())
        self.device.close()

    def refused(self, words, *arguments, kind=cuvette.ArgumentError, grid=64, workgroup=64, **options):
        with self.assertRaisesRegex(kind, words):
            self.kernel(grid, workgroup, *arguments, **options)

    def test_number_of_arguments(self):
        self.refused("'saxpy' has 4 arguments, 3 are given", 64, 1.0, self.x)
        self.refused("'saxpy' has 4 arguments, 0 are given")

    def test_types_of_numbers(self):
        self.refused("argument 0 'n'.*expected an integer", 64.0, 1.0, self.x, self.x)
        self.refused("argument 1 'alpha'.*float64 of 8 bytes, expected 4", 64, numpy.float64(1), self.x, self.x)
        self.refused("argument 1 'alpha'.*int32, expected f32", 64, numpy.int32(1), self.x, self.x)
        self.refused("argument 0.*range of u32", 2**32, 1.0, self.x, self.x)
        self.refused("argument 0.*range of u32", -1, 1.0, self.x, self.x)
        self.refused("argument 1.*range of f32", 1, 1e300, self.x, self.x)
        self.refused("argument 0.*a str, expected", '64', 1.0, self.x, self.x)
        self.refused('3 bytes, expected 4', b'abc', 1.0, self.x, self.x)

    def test_arrays(self):
        self.refused('an array of the host', 64, 1.0, numpy.zeros(64), self.x)
        self.refused('an array with gaps', 64, 1.0, self.x[::2], self.x)
        self.refused("argument 0 'n'.*an array, expected 4 bytes", self.x, 1.0, self.x, self.x)
        self.refused("argument 1 'alpha'.*an array, expected f32", 64, self.x, self.x, self.x)
        gone = self.device.zeros(64)
        self.device.free(gone)
        self.refused('was freed', 64, 1.0, gone, self.x)
        with cuvette.Device('golden', 'small') as other:
            self.refused('of another device', 64, 1.0, other.zeros(64), self.x)

    @unittest.skipUnless(HAS_OPENCL, 'no OpenCL compiler')
    def test_types_of_elements(self):
        kernel = self.device.load_text(OPENCL)['sum']
        out = self.device.zeros(1, numpy.int32)
        with self.assertRaisesRegex(cuvette.ArgumentError, "argument 0.*an array of float32, expected int32 for int"):
            kernel(64, 64, self.x, out, cuvette.Local(256))

    def test_shapes(self):
        self.refused('grid', 64, 1.0, self.x, self.x, grid=0)
        self.refused('grid', 64, 1.0, self.x, self.x, grid=(1, 1, 1, 1))
        self.refused('work-group', 64, 1.0, self.x, self.x, workgroup=-1)
        self.refused('more dimensions', 64, 1.0, self.x, self.x, workgroup=(8, 8))
        self.refused('work-group', 64, 1.0, self.x, self.x, grid=1 << 20, workgroup=1 << 16)

    def test_packets_that_are_refused(self):
        self.refused('1024 work-items', 64, 1.0, self.x, self.x, grid=4096, workgroup=2048)
        # The command processor stops the queue.
        self.refused('', 64, 1.0, self.x, self.x, kind=cuvette.Fault, group_bytes=1 << 20)

    def test_memory(self):
        for shape in (0, (4, 0), -1):
            with self.assertRaisesRegex(cuvette.ArgumentError, 'shape'):
                self.device.zeros(shape)
        with self.assertRaisesRegex(cuvette.ArgumentError, 'object'):
            self.device.zeros(4, object)
        for values in (['a'], numpy.array(['2020-01-01'], dtype='datetime64')):
            with self.assertRaisesRegex(cuvette.ArgumentError, 'expected numbers'):
                self.device.array(values)
        with self.assertRaisesRegex(cuvette.ArgumentError, "memory 'fast', expected coarse_grained"):
            self.device.zeros(4, memory='fast')
        with self.assertRaises((cuvette.ArgumentError, cuvette.DeviceMemoryError)):
            self.device.zeros(4, alignment=3)
        with self.assertRaises(MemoryError):
            self.device.zeros(1 << 45, numpy.uint8)
        with self.assertRaisesRegex(cuvette.DeviceMemoryError, 'unmapped address 0x10'):
            self.device.read(16, 4)
        with self.assertRaises(cuvette.ArgumentError):
            self.device.free(numpy.zeros(4))

    def test_numbers(self):
        for what, call in (('advance.-1.', lambda: self.device.step(-1)), ('advance.1.5.', lambda: self.device.step(1.5)),
                           ('read.-1, 4.', lambda: self.device.read(-1, 4)),
                           ('run_until_idle.-2.', lambda: self.device.run(-2))):
            with self.assertRaisesRegex(cuvette.ArgumentError, what + ': a value of a wrong type or range'):
                call()
        with self.assertRaisesRegex(cuvette.ArgumentError, 'a value of a wrong type or range'):
            cuvette.Device('golden', 'small', quantum=-1)

    def test_names(self):
        program = self.device.load_text(SAXPY)
        with self.assertRaisesRegex(cuvette.ArgumentError, "no kernel 'nothing', the program has saxpy"):
            program['nothing']
        self.assertEqual(program['&saxpy'].name, 'saxpy')
        self.assertEqual(program['saxpy.kd'].name, 'saxpy')
        with self.assertRaisesRegex(cuvette.ArgumentError, "'nothing'"):
            program.symbol('nothing')
        program.unload()
        with self.assertRaisesRegex(cuvette.ArgumentError, 'unloaded'):
            program.unload()

    def test_code(self):
        with self.assertRaises(FileNotFoundError):
            self.device.load('no_such_file.hsail')
        with self.assertRaises(cuvette.CompileError) as caught:
            self.device.load_text(SAXPY.replace('fma_f32', 'fma_f33'), 'wrong.hsail')
        line = SAXPY[:SAXPY.index('fma_f32')].count('\n') + 1
        self.assertEqual(caught.exception.line, line)
        self.assertTrue(caught.exception.file.endswith('wrong.hsail'))
        self.assertRegex(str(caught.exception), rf'wrong\.hsail:{line}:\d+: ')
        with self.assertRaises(cuvette.ArgumentError):
            self.device.load(b'\x7fELF' + bytes(14) + (224).to_bytes(2, 'little') + bytes(100))
        with cuvette.Device('golden', 'small_gfx90a') as other:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / 'saxpy.hsail'
                file.write_text(SAXPY, encoding='utf-8')
                code = cuvette.program.compile_code([file], other.target)
        with self.assertRaisesRegex(cuvette.ArgumentError, 'gfx90a'):
            self.device.load(code)

    @unittest.skipUnless(HAS_OPENCL, 'no OpenCL compiler')
    def test_opencl_code(self):
        with self.assertRaises(cuvette.CompileError) as caught:
            self.device.load_text('__kernel void f(__global int *x) {\n  x[0] = y;\n}\n', 'wrong.cl')
        self.assertEqual((caught.exception.line, caught.exception.column), (2, 10))
        self.assertIn("'y'", str(caught.exception))

    def test_several_kernels(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ('a.hsail', 'b.hsail')]
            for file, text in zip(files, (SAXPY, SPIN)):
                file.write_text(text, encoding='utf-8')
            program = self.device.load(files)
            self.assertEqual(sorted(program), ['saxpy', 'spin'])
            self.assertEqual(len(program), 2)
            with self.assertRaisesRegex(cuvette.ArgumentError, 'has 2 kernels'):
                program.kernel

    def test_callbacks(self):
        with self.assertRaisesRegex(cuvette.ArgumentError, 'expected a function'):
            self.device.on_retirement('no function')
        told = []

        def waits(_):
            try:
                self.device.step(1)
            except cuvette.Error as error:
                told.append(error)
        self.device.on_retirement(waits)
        self.kernel(64, 64, 0, 1.0, None, None)
        self.device.on_retirement(None)
        self.assertTrue(told)
        self.assertIsInstance(told[0], cuvette.CallError)

    def test_close_in_a_callback(self):
        told = []

        def closes(_):
            try:
                self.device.close()
            except cuvette.CallError as error:
                told.append(type(error))
        self.device.on_retirement(closes)
        self.kernel(64, 64, 0, 1.0, None, None)
        self.device.on_retirement(None)
        self.assertEqual(set(told), {cuvette.CallError})


class RunTest(unittest.TestCase):
    """Dispatch files in processes of their own."""

    def test_passes(self):
        for engine in ('golden', 'ca', 'ca'):
            done = cuvette.run(DISPATCHES / 'saxpy.yaml', engine=engine, machine='small')
            self.assertTrue(done.passed, done.output)
            self.assertEqual(done.statistics['totals']['waves'], 64)
            self.assertIn('4100 elements compared, 0 differ', done.output)

    def test_settings(self):
        cycles = [cuvette.run(DISPATCHES / 'saxpy.yaml', engine='ca', machine='small',
                              set={'memory.latency_cycles': latency}).statistics['totals']['cycles']
                  for latency in (200, 2000)]
        self.assertGreater(cycles[1], cycles[0] + 1800)

    def test_fails(self):
        done = cuvette.run(DISPATCHES / 'saxpy.yaml', options=['--watchdog', '10'], machine='small')
        self.assertFalse(done.passed)
        self.assertIn('watchdog', done.output)

    def test_refused(self):
        with self.assertRaisesRegex(cuvette.RunError, 'no_such.yaml'):
            cuvette.run('no_such.yaml')
        with self.assertRaisesRegex(cuvette.RunError, 'l2.slice.weighs'):
            cuvette.run(DISPATCHES / 'saxpy.yaml', engine='ca', set={'l2.slice.weighs': 1})


if __name__ == '__main__':
    unittest.main()
