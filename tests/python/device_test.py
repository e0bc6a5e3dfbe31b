# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Devices of the Python package on one engine: memory, launches, time, waves, counters, cancels, faults and hangs.
What kernels have to leave is computed by numpy.

usage: device_test.py ENGINE OPENCL (0 or 1: whether clang and AMD's device libraries are there)"""
import gc
import os
import signal
import sys
import threading
import time
import unittest

import numpy
from device_kernels import OPENCL, SAXPY, SMALL_MODEL, SPIN

import cuvette

ENGINE = sys.argv.pop(1)
HAS_OPENCL = sys.argv.pop(1) == '1'
WATCHDOG = 200_000  # cycles


class DeviceTest(unittest.TestCase):
    """One device for all tests: one of lt and ca is open at a time."""

    @classmethod
    def setUpClass(cls):
        cls.device = cuvette.Device(ENGINE, 'small', watchdog_cycles=WATCHDOG)
        cls.saxpy = cls.device.load_text(SAXPY, 'saxpy.hsail')['saxpy']
        cls.spin = cls.device.load_text(SPIN, 'spin.hsail')['spin']
        if HAS_OPENCL:
            cls.opencl = cls.device.load_text(OPENCL, 'tests.cl')

    @classmethod
    def tearDownClass(cls):
        cls.device.close()

    def run_saxpy(self, count=1000):
        """A launch that has to be right."""
        x = self.device.array(numpy.arange(count, dtype=numpy.float32))
        y = self.device.array(numpy.full(count, 5, dtype=numpy.float32))
        self.saxpy(count, 64, count, -2.0, x, y)
        numpy.testing.assert_array_equal(y, 5 - 2 * numpy.arange(count, dtype=numpy.float32))

    def launch_spin(self, waves=1):
        """(launch, flag, out): a kernel that waits for the flag."""
        flag = self.device.zeros(16, numpy.uint32, memory='fine_grained')
        out = self.device.array(numpy.full(64 * waves, 7, dtype=numpy.uint32))
        return self.spin.launch(64 * waves, 64, flag, out), flag, out

    def check_spin(self, out, flag):
        numpy.testing.assert_array_equal(out, 3 * numpy.arange(len(out), dtype=numpy.uint32) + 7 + flag)

    # ---- memory and launches ----

    def test_launch(self):
        self.run_saxpy()

    def test_views_are_device_memory(self):
        x = self.device.zeros((4, 8), numpy.uint32)
        address = self.device.address_of(x)
        x[1, 2] = 0x12345678
        self.assertEqual(self.device.read(address + 4 * (8 + 2), 4), bytes.fromhex('78563412'))
        self.device.write(address + 4, bytes.fromhex('01000000'))
        self.assertEqual(x[0, 1], 1)
        self.assertEqual(self.device.address_of(x[2]), address + 4 * 16)
        self.assertEqual(self.device.address_of(x.reshape(-1)[5:]), address + 4 * 5)

    def test_slices_are_arguments(self):
        x = self.device.array(numpy.arange(256, dtype=numpy.float32))
        y = self.device.zeros(256)
        self.saxpy(64, 64, 64, 1.0, x[64:128], y[128:192])
        expected = numpy.zeros(256, dtype=numpy.float32)
        expected[128:192] = numpy.arange(64, 128)
        numpy.testing.assert_array_equal(y, expected)

    def test_launches_in_order(self):
        y = self.device.zeros(64)
        ones = self.device.array(numpy.ones(64, dtype=numpy.float32))
        launches = [self.saxpy.launch(64, 64, 64, float(i), ones, y) for i in range(200)]
        self.assertFalse(launches[-1].done)
        launches[-1].wait()
        self.assertTrue(all(launch.done for launch in launches))
        numpy.testing.assert_array_equal(y, numpy.full(64, 199 * 200 / 2))
        self.assertGreaterEqual(launches[-1].begin, launches[0].end)

    def test_numbers_keep_their_type(self):
        x = self.device.array(numpy.ones(64, dtype=numpy.float32))
        y = self.device.zeros(64)
        self.saxpy(64, 64, numpy.uint32(64), numpy.float32(0.1), x, y)
        numpy.testing.assert_array_equal(y, numpy.full(64, numpy.float32(0.1)))

    def test_bytes_and_null_are_arguments(self):
        x = self.device.array(numpy.ones(64, dtype=numpy.float32))
        y = self.device.zeros(64)
        self.saxpy(64, 64, bytes(4), 1.0, None, y)  # n is 0: nothing is touched
        numpy.testing.assert_array_equal(y, numpy.zeros(64))
        self.saxpy(64, 64, (32).to_bytes(4, 'little'), 1, x, y)
        self.assertEqual(y.sum(), 32)

    def test_small_machine_model(self):
        kernel = self.device.load_text(SMALL_MODEL, 'small.hsail').kernel
        values = numpy.arange(-32, 32, dtype=numpy.int32)
        x = self.device.array(values, below_4gib=True)
        kernel(64, 64, x)
        numpy.testing.assert_array_equal(x, -values)
        with self.assertRaisesRegex(cuvette.ArgumentError, 'below_4gib'):
            kernel(64, 64, self.device.array(values))

    @unittest.skipUnless(HAS_OPENCL, 'no OpenCL compiler')
    def test_group_memory(self):
        values = (numpy.arange(1024, dtype=numpy.int32) * 7919) % 1000 - 500
        out = self.device.zeros(4, numpy.int32)
        self.opencl['sum'](1024, 256, self.device.array(values), out, cuvette.Local(256 * 4))
        numpy.testing.assert_array_equal(out, values.reshape(4, 256).sum(axis=1))

    @unittest.skipUnless(HAS_OPENCL, 'no OpenCL compiler')
    def test_two_dimensions_and_types(self):
        out = self.device.zeros((6, 32), numpy.int64)
        self.opencl['place']((32, 6), (8, 2), out, 32, -100, -30000, -2**40, 2.0**40 + 0.5, 255, offset=(5, 9))
        x, y = numpy.meshgrid(numpy.arange(5, 37), numpy.arange(9, 15))
        numpy.testing.assert_array_equal(out, x * 1000000 + y - 100 - 30000 + 255)

    @unittest.skipUnless(HAS_OPENCL, 'no OpenCL compiler')
    def test_scratch_memory(self):
        values = numpy.random.default_rng(11).integers(-1000, 1000, (256, 8), dtype=numpy.int32)
        x = self.device.array(values)
        self.opencl['sort8'](256, 64, x)
        numpy.testing.assert_array_equal(x, numpy.sort(values, axis=1))

    # ---- time ----

    def test_step(self):
        before = self.device.cycle
        self.assertEqual(self.device.step(123), before + 123)
        launch, flag, out = self.launch_spin()
        if ENGINE != 'golden':  # there a kernel is one step
            for _ in range(20):
                self.device.step(500)
            self.assertFalse(launch.done)
            self.assertEqual(self.device.cycle, before + 123 + 20 * 500)
        flag[0] = 1
        launch.wait()
        self.check_spin(out, 1)

    def test_run_until_idle(self):
        launch, flag, out = self.launch_spin()
        flag[0] = 9
        self.device.run()
        self.assertTrue(launch.done)
        self.check_spin(out, 9)

    def test_times(self):
        before = self.device.cycle
        x = self.device.zeros(64)
        launch = self.saxpy(64, 64, 64, 0.0, x, x)
        self.assertTrue(before <= launch.begin <= launch.end <= self.device.cycle)
        self.assertEqual(launch.cycles, launch.end - launch.begin)
        if ENGINE != 'golden':
            self.assertGreater(launch.cycles, 100)

    # ---- what is going on ----

    def test_waves_and_registers(self):
        launch, flag, out = self.launch_spin(waves=3)
        if ENGINE == 'golden':
            with self.assertRaises(cuvette.Hang):
                launch.wait()
        else:
            self.device.step(20000)
        waves = self.device.waves()
        self.assertEqual([wave['kernel'] for wave in waves], ['spin'] * 3)
        self.assertIn('spin', self.device.hang_report())
        if ENGINE == 'golden':
            self.assertIsNone(waves[0]['simd'])
            with self.assertRaisesRegex(cuvette.ArgumentError, 'golden'):
                self.device.wave_register(waves[0], 'v0')
        else:
            addresses = (self.device.address_of(out) + 4 * numpy.arange(192) & 0xffffffff).reshape(3, 64)
            for wave, expected in zip(sorted(waves, key=lambda w: w['wave']), addresses):
                registers = [list(self.device.wave_register(wave, f'v{i}')) for i in range(8)]
                self.assertIn(list(expected), registers)
                self.assertEqual(self.device.wave_register(wave, 'exec_hi'), [0xffffffff])
            with self.assertRaisesRegex(cuvette.ArgumentError, 'no wave'):
                self.device.wave_register(waves[0] | {'slot': 9, 'simd': 3}, 'v0')
            with self.assertRaisesRegex(cuvette.ArgumentError, "register 'q7'"):
                self.device.wave_register(waves[0], 'q7')
        flag[0] = 2
        launch.wait()
        self.check_spin(out, 2)
        self.assertEqual(self.device.waves(), [])

    def test_statistics(self):
        before = self.device.statistics()
        x = self.device.zeros(256)
        self.saxpy(256, 64, 128, 1.0, x, x)  # two of four waves leave at once
        after = self.device.statistics()
        self.assertEqual(after['waves'] - before['waves'], 4)
        changed = {name: count - before['by_instruction'].get(name, 0)
                   for name, count in after['by_instruction'].items()}
        self.assertEqual(changed['s_endpgm'], 4)
        self.assertEqual(changed['global_store_dword'], 2)
        self.assertEqual(changed['global_load_dword'], 4)
        self.assertEqual(after['instructions'], sum(after['by_instruction'].values()))
        self.assertEqual(after['engine'], ENGINE)
        packets = [s['blocks']['command_processor']['total']['packets'] for s in (before, after)]
        self.assertEqual(packets[1] - packets[0], 1)
        if ENGINE != 'golden':
            units = after['blocks']['compute_unit']
            self.assertEqual(sum(unit['waves'] for unit in units['instances']), units['total']['waves'])
            self.assertEqual(units['total']['instructions'], after['instructions'])
        if ENGINE == 'ca':
            # 128 elements of 4 bytes are 8 blocks of 64, read twice, written once.
            def l1(statistics, name):
                return statistics['blocks']['vector_l1']['total'][name]
            self.assertEqual(l1(after, 'writes') - l1(before, 'writes'), 8)
            self.assertEqual(l1(after, 'reads') - l1(before, 'reads'), 16)

    def test_counters(self):
        if ENGINE == 'golden':
            with self.assertRaisesRegex(cuvette.CallError, 'golden'):
                self.device.counters('SQ_WAVES')
            return
        self.device.mark_counters()
        self.assertEqual(self.device.counters('SQ_WAVES', 'VALUInsts'), {'SQ_WAVES': 0, 'VALUInsts': None})
        self.assertEqual(self.device.why_no_counter('VALUInsts'), 'division by 0')
        self.assertIsNone(self.device.why_no_counter('SQ_WAVES'))
        x = self.device.zeros(256)
        self.saxpy(256, 64, 128, 1.0, x, x)  # two of four waves leave at once
        found = self.device.counters('SQ_WAVES', 'SQ_WAVES[0]', 'TA_FLAT_READ_WAVEFRONTS', 'TA_FLAT_WRITE_WAVEFRONTS',
                                     'SQ_INSTS_SALU', 'SALUInsts', 'TCP_TCP_TA_DATA_STALL_CYCLES')
        self.assertEqual([found[n] for n in ('SQ_WAVES', 'SQ_WAVES[0]', 'TA_FLAT_READ_WAVEFRONTS',
                                             'TA_FLAT_WRITE_WAVEFRONTS')], [4, 4, 4, 2])
        self.assertEqual(found['SALUInsts'], found['SQ_INSTS_SALU'] / 4)
        self.assertEqual(found['TCP_TCP_TA_DATA_STALL_CYCLES'] is None, ENGINE == 'lt')
        everything = self.device.counters()
        self.assertEqual(everything['Wavefronts'], 4)
        self.assertEqual(len(everything), 28 + 38)
        with self.assertRaisesRegex(cuvette.ArgumentError, 'such as SQ_WAVES'):
            self.device.counters('SQ_WAVES', 'SQ_WAVE')

    def test_retirements(self):
        seen = []
        self.device.on_retirement(seen.append)
        x = self.device.array(numpy.arange(64, dtype=numpy.float32))
        y = self.device.array(numpy.full(64, 100, dtype=numpy.float32))
        before = self.device.statistics()['instructions']
        self.saxpy(64, 64, 64, 3.0, x, y)
        self.device.on_retirement(None)
        self.assertEqual(len(seen), self.device.statistics()['instructions'] - before)
        self.run_saxpy(64)
        seen.sort(key=lambda r: r['order'])  # of issue; loads retire when they have their data
        self.assertEqual([r['order'] for r in seen], list(range(len(seen))))
        self.assertEqual(seen[-1]['instruction'], 's_endpgm')
        self.assertEqual({r['wave'] for r in seen}, {seen[0]['wave']})
        arithmetic = [r for r in seen if r['instruction'].startswith(('v_fma', 'v_fmac', 'v_mac', 'v_mad_f32'))]
        (_, lanes, values), = arithmetic[0]['vector_writes']
        self.assertEqual(lanes, 2**64 - 1)
        numpy.testing.assert_array_equal(values.view(numpy.float32), 100 + 3 * numpy.arange(64))

    def test_exception_in_callback(self):
        def fails(retirement):
            raise LookupError(retirement['instruction'])
        x = self.device.zeros(64)
        self.device.on_retirement(fails)
        launch = self.saxpy.launch(64, 64, 64, 1.0, x, x)
        with self.assertRaises(LookupError):
            launch.wait()
        while not launch.done:  # other instructions raise, too
            try:
                launch.wait()
            except LookupError:
                pass
        self.device.on_retirement(None)
        self.run_saxpy()

    def test_reset_after_exception_in_callback(self):
        def fails(retirement):
            raise LookupError(retirement['instruction'])
        x = self.device.zeros(64)
        self.device.on_retirement(fails)
        with self.assertRaises(LookupError):
            self.saxpy.launch(64, 64, 64, 1.0, x, x).wait()
        self.device.reset_queue()  # tells nothing of what it ends
        self.device.on_retirement(None)
        self.run_saxpy()

    # ---- ends of waits ----

    def test_cancel(self):
        launch, flag, out = self.launch_spin()
        timer = threading.Timer(0.05, self.device.cancel)
        timer.start()
        # The watchdog may be faster: it is the spin's end in cycles.
        with self.assertRaises((cuvette.Cancelled, cuvette.Hang)):
            launch.wait()
        timer.join()
        flag[0] = 4
        for _ in range(2):  # a cancel that came late ends the next wait
            try:
                launch.wait()
            except cuvette.Cancelled:
                pass
        self.assertTrue(launch.done)
        self.check_spin(out, 4)

    def test_hang(self):
        launch, _, _ = self.launch_spin()
        with self.assertRaises(cuvette.Hang) as caught:
            launch.wait()
        self.assertIn('kernel spin', caught.exception.report)
        self.assertIn('watchdog', str(caught.exception))
        self.assertEqual([wave['kernel'] for wave in caught.exception.waves], ['spin'])
        behind = self.launch_spin()[0]
        self.device.reset_queue()
        for lost in (launch, behind):
            with self.assertRaisesRegex(cuvette.CallError, 'lost'):
                lost.wait()
        self.run_saxpy()

    def test_timeout(self):
        if ENGINE == 'golden':
            return  # a kernel is one step
        launch, flag, out = self.launch_spin()
        with self.assertRaises(cuvette.Timeout) as caught:
            launch.wait(most_cycles=5000)
        self.assertIn('spin', caught.exception.report)
        self.assertIsInstance(caught.exception, TimeoutError)
        flag[0] = 3
        launch.wait()
        self.check_spin(out, 3)

    def test_fault(self):
        x = self.device.zeros(1000)
        y = self.device.zeros(2048)
        launch = self.saxpy.launch(2048, 64, 2048, 1.0, x, y)
        behind = self.saxpy.launch(64, 64, 64, 1.0, y, y)
        with self.assertRaises(cuvette.Fault) as caught:
            launch.wait()
        end = self.device.address_of(x) + 4000
        self.assertIn('global_load_dword', str(caught.exception))
        self.assertIn(f'{end & ~0xff:#x}'[:-2], str(caught.exception))
        self.assertIn('beyond the end of the allocation', str(caught.exception).replace('right behind', 'beyond'))
        self.assertEqual(caught.exception.code, 0x20000000)
        with self.assertRaisesRegex(cuvette.CallError, 'lost'):
            behind.wait()
        self.run_saxpy()

    def test_a_fault_belongs_to_its_launch(self):
        x = self.device.zeros(64)
        y = self.device.zeros(64)
        good = self.saxpy.launch(64, 64, 64, 1.0, x, y)
        bad = self.saxpy.launch(64, 64, 64, 1.0, 0xdead0000, y)
        good.wait()
        self.assertTrue(good.done)
        with self.assertRaisesRegex(cuvette.Fault, '0xdead0000'):
            bad.wait()
        # Also when another one was waited for first, or time has passed otherwise.
        bad = self.saxpy.launch(64, 64, 64, 1.0, 0xdead0000, y)
        behind = self.saxpy.launch(64, 64, 64, 1.0, x, y)
        with self.assertRaisesRegex(cuvette.CallError, "'saxpy' is lost: its queue has stopped at one before it: .*0xdead0000"):
            behind.wait()
        bad_too = self.saxpy.launch(64, 64, 64, 1.0, 0xbeef0000, y)
        with self.assertRaisesRegex(cuvette.Fault, '0xbeef0000'):
            self.device.run()
        for launch, address in ((bad, '0xdead0000'), (bad_too, '0xbeef0000')):
            with self.assertRaisesRegex(cuvette.Fault, address):
                launch.wait()
        self.run_saxpy()

    def test_a_grid_of_too_many_work_groups(self):
        x = self.device.zeros(64)
        with self.assertRaises(cuvette.Fault) as caught:
            self.saxpy((0xffffffff, 64), (1, 1), 64, 1.0, x, x)
        self.assertEqual(caught.exception.code, 2)  # HSA: a grid that is not legal
        self.run_saxpy()

    def test_sizes_are_whole_numbers_of_any_kind(self):
        x = self.device.zeros(numpy.int64(64))
        y = self.device.zeros((numpy.uint8(8), 8))
        self.saxpy(numpy.int64(64), numpy.uint32(64), 64, 1.0, x, y)
        for size in (64.0, '64', None, [8.0]):
            with self.assertRaisesRegex(cuvette.ArgumentError, 'expected whole numbers|grid'):
                self.saxpy(size, 64, 64, 1.0, x, y)

    def test_fault_of_freed_memory(self):
        x = self.device.zeros(64, numpy.uint64)
        y = self.device.zeros(64)
        address = self.device.address_of(x)
        self.device.free(x)
        with self.assertRaisesRegex(cuvette.Fault, 'freed'):
            self.saxpy(64, 64, 64, 1.0, address, y)
        self.run_saxpy()

    def test_stores_beyond_the_end_are_faults(self):
        x = self.device.zeros(64)
        y = self.device.zeros(63)
        with self.assertRaisesRegex(cuvette.Fault, 'store'):
            self.saxpy(64, 64, 64, 1.0, x, y)
        self.saxpy(64, 64, 63, 1.0, x, y)

    def test_keyboard_interrupt(self):
        launch, flag, out = self.launch_spin()
        main = os.getpid()
        timer = threading.Timer(0.03, lambda: os.kill(main, signal.SIGINT))
        timer.start()
        with self.assertRaises((KeyboardInterrupt, cuvette.Hang)):
            launch.wait()
            time.sleep(5)
        try:
            timer.join()
            time.sleep(0.05)
        except KeyboardInterrupt:  # the watchdog was faster
            pass
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        flag[0] = 6
        launch.wait()
        self.check_spin(out, 6)

    # ---- lifetimes ----

    def test_views_outlive_their_block(self):
        x = self.device.array(numpy.arange(1 << 16, dtype=numpy.uint32))
        view = x[100:200:3]
        self.device.free(x)
        del x
        gc.collect()
        numpy.testing.assert_array_equal(view, numpy.arange(100, 200, 3))
        view[0] = 1  # memory of the host, nobody else's
        with self.assertRaisesRegex(cuvette.ArgumentError, 'freed'):
            self.device.address_of(view)
        with self.assertRaisesRegex(cuvette.ArgumentError, 'freed'):
            self.device.free(view)


if __name__ == '__main__':
    unittest.main()
