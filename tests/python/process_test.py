# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The Python package in processes of their own: arrays that outlive their device, ends of processes, Ctrl-C.

usage: process_test.py CODE_FOLDER"""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from device_kernels import SAXPY, SPIN

import cuvette

FOLDER = pathlib.Path(sys.argv.pop(1))
ENGINES = ('golden', 'lt', 'ca')

BEGIN = f'''
import sys, threading, time
import numpy
import cuvette
device = cuvette.Device(sys.argv[1], 'small')
spin = device.load({str(FOLDER / 'spin.co')!r})['spin']
saxpy = device.load({str(FOLDER / 'saxpy.co')!r})['saxpy']
flag = device.zeros(16, numpy.uint32, memory='fine_grained')
out = device.array(numpy.full(64, 7, dtype=numpy.uint32))
'''


def start(script, engine):
    return subprocess.Popen([sys.executable, '-c', BEGIN + script, engine], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


class ProcessTest(unittest.TestCase):
    def ends(self, script, expected, status=0):
        """On every engine the script prints `expected`."""
        for engine in ENGINES:
            with self.subTest(engine=engine):
                out, errors = (process := start(script, engine)).communicate(timeout=120)
                self.assertEqual((out, process.returncode), (expected, status), errors)

    def test_views_outlive_their_device(self):
        self.ends('''
x = device.array(numpy.arange(100000, dtype=numpy.int64))
view = x[::1000]
device.close()
del device, spin, saxpy, flag, out, x
import gc; gc.collect()
view[0] = 5
print(view.sum(), view.base is not None)
''', f'{sum(range(0, 100000, 1000)) + 5} True\n')

    def test_devices_without_close(self):
        self.ends('''
x = device.array(numpy.ones(64, dtype=numpy.float32))
launch = saxpy.launch(64, 64, 64, 2.0, x, x)
del device
launch.wait()  # a launch keeps its device
print(x.sum())
del launch, spin, saxpy
import gc; gc.collect()
print(x.sum())
''', '192.0\n192.0\n')

    def test_end_with_work_under_way(self):
        self.ends('''
spin.launch(64, 64, flag, out)
if sys.argv[1] != 'golden':
    device.step(20000)
    print(len(device.waves()))
else:
    print(1)
''', '1\n')

    def test_end_by_an_exception(self):
        for engine in ENGINES:
            out, errors = (process := start('spin.launch(64, 64, flag)', engine)).communicate(timeout=120)
            self.assertEqual((out, process.returncode), ('', 1))
            self.assertIn("cuvette.errors.ArgumentError: kernel 'spin' has 2 arguments, 1 are given", errors)

    def interrupted(self, script, engine):
        """Ctrl-C as soon as the script says so."""
        process = start(script, engine)
        self.assertEqual(process.stdout.readline(), 'now\n')
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        return out, errors, process.returncode

    def test_interrupt(self):
        script = '''
launch = spin.launch(64, 64, flag, out)
threading.Timer(0.3, lambda: print('now', flush=True)).start()
begin = time.monotonic()
try:
    launch.wait()
except KeyboardInterrupt:
    print('interrupted', launch.done, len(device.waves()), time.monotonic() - begin < 20)
flag[0] = 3
launch.wait()
print((out == 3 * numpy.arange(64) + 7 + 3).all())
'''
        for engine in ENGINES:
            with self.subTest(engine=engine):
                out, errors, status = self.interrupted(script, engine)
                self.assertEqual((out, status), ('interrupted False 1 True\nTrue\n', 0), errors)

    def test_interrupt_ends_the_script(self):
        script = '''
threading.Timer(0.3, lambda: print('now', flush=True)).start()
spin(64, 64, flag, out)
print('not reached')
'''
        for engine in ENGINES:
            with self.subTest(engine=engine):
                out, errors, status = self.interrupted(script, engine)
                self.assertEqual((out, status), ('', -signal.SIGINT), errors)
                self.assertIn('KeyboardInterrupt', errors)

    def test_handler_that_goes_on(self):
        script = '''
import signal
def handler(number, frame):
    print('heard', number == signal.SIGINT)
    flag[0] = 2
signal.signal(signal.SIGINT, handler)
threading.Timer(0.3, lambda: print('now', flush=True)).start()
spin(64, 64, flag, out)
print((out == 3 * numpy.arange(64) + 7 + 2).all(), signal.getsignal(signal.SIGINT) is handler)
'''
        for engine in ENGINES:
            with self.subTest(engine=engine):
                out, errors, status = self.interrupted(script, engine)
                self.assertEqual((out, status), ('heard True\nTrue True\n', 0), errors)

    def test_cancel_by_a_thread(self):
        self.ends('''
launch = spin.launch(64, 64, flag, out)
threading.Timer(0.3, device.cancel).start()
try:
    launch.wait()
except cuvette.Cancelled:
    print('cancelled', launch.done)
flag[0] = 1
print(launch.wait().done)
device.cancel()
try:
    device.step(1000000)
except cuvette.Cancelled:
    print('the next one')
''', 'cancelled False\nTrue\nthe next one\n')

    def test_wait_in_a_thread(self):
        self.ends('''
launch = spin.launch(64, 64, flag, out)
done = []
thread = threading.Thread(target=lambda: done.append(launch.wait().done))
thread.start()
time.sleep(0.2)  # Python's lock is free meanwhile
flag[0] = 1
thread.join()
print(done)
''', '[True]\n')


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in (('spin', SPIN), ('saxpy', SAXPY)):
        source = FOLDER / f'{name}.hsail'
        source.write_text(text, encoding='utf-8')
        (FOLDER / f'{name}.co').write_bytes(cuvette.program.compile_code([source], 'gfx908'))
    os.environ['PYTHONUNBUFFERED'] = '1'
    unittest.main()


if __name__ == '__main__':
    main()
