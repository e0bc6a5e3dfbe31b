# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A device: one GPU of the model, its memory, its queue, its time."""
from __future__ import annotations

import atexit
import math
import os
import pathlib
import tempfile
import weakref
from types import TracebackType
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

import numpy

from . import _native
from .errors import ArgumentError, Error, Fault, Hang, Timeout, exception_of, translated
from .kernel import FOREVER, Program, whole_numbers
from .program import Path, compile_code, setting_words

Array = numpy.ndarray[Any, Any]
Result = TypeVar('Result')

_MEMORY = {'coarse_grained': 0, 'fine_grained': _native.FINE_GRAINED, 'uncached': _native.UNCACHED}
_AMDGPU = 224  # e_machine of ELF
_VGPR, _AGPR, _SGPR = 0x400, 0x500, 0x200
_NAMED = {'vcc_lo': _SGPR + 106, 'vcc_hi': _SGPR + 107, 'm0': _SGPR + 124, 'exec_lo': _SGPR + 126,
          'exec_hi': _SGPR + 127, 'mode': 0x11, 'status': 0x12, 'trapsts': 0x13}

_open: weakref.WeakSet[Device] = weakref.WeakSet()


def _is_code_object(data: bytes) -> bool:
    return data[:4] == b'\x7fELF' and int.from_bytes(data[18:20], 'little') == _AMDGPU


class Device:
    """A GPU with one AQL queue.

    engine: 'golden', the reference without time, any number of devices beside each other; 'lt', loosely timed, or
    'ca', cycle-approximate with caches: one of these in a process. machine: the name of a description ('mi100',
    'small') or a file. set: fields of it that are changed, {'l2.slice.ways': 32}, as --set of `cuvette run`.
    machine_dir: where names are looked for first. quantum: cycles between two borders of time; 0: 1000.
    watchdog_cycles, watchdog_seconds: a wait ends with Hang when nothing has got on for so long; 0: never.
    poison: registers of waves start with a pattern instead of 0.

    Time is counted in cycles and stands still but in the calls that let it pass (Launch.wait, step, run). Ctrl-C ends
    those, on every engine; the device stands still then, and the next one goes on. One thread at a time may use a
    device, others cancel() alone.

    Throws ArgumentError, DescriptionError, OnceError."""

    def __init__(self, engine: str = 'golden', machine: Path = 'mi100', *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
                 machine_dir: Optional[Path] = None, quantum: int = 0, watchdog_cycles: int = 0,
                 watchdog_seconds: float = 0, poison: bool = False) -> None:
        self.engine, self.machine = engine, os.fspath(machine)
        with translated():
            self._native = _native.Machine(engine, self.machine, os.fspath(machine_dir or ''), quantum, poison,
                                           watchdog_cycles, watchdog_seconds, setting_words(set))
            _open.add(self)
            self._queue = _native.Queue(self._native)
        self._blocks: dict[int, _native.Block] = {}  # that are not freed, by address
        self._faults: dict[int, tuple[str, int]] = {}  # of launches that have failed, by packet: text and code

    # ---- life ----

    def close(self) -> None:
        """Ends the machine. Arrays of the device stay as they are, as memory of the host; nothing else works. Throws
        CallError inside a callback."""
        with translated():
            self._native.close()
        _open.discard(self)
        self._blocks.clear()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Until close()."""
        return self._native.is_open

    @property
    def target(self) -> str:
        """What code is made for: 'gfx908'."""
        with translated():
            return self._native.target

    def __repr__(self) -> str:
        return f"<cuvette.Device {self.engine} {self.machine}{'' if self.is_open else ', closed'}>"

    # ---- memory ----

    def empty(self, shape: Union[int, Sequence[int]], dtype: Any = numpy.float32, *, alignment: int = 0,
              memory: str = 'coarse_grained', read_only: bool = False, below_4gib: bool = False) -> Array:
        """A new array in device memory, zeros. Host and GPU see the same bytes: nothing is copied, ever.

        alignment: bytes, a power of two; 0: 256. memory: 'coarse_grained', where host and kernels see each other's
        stores before and after launches, 'fine_grained' for what both look at meanwhile, 'uncached'. read_only: for
        kernels. below_4gib: for code of HSAIL's small machine model.

        Do not touch it in another thread while time passes. Throws ArgumentError, DeviceMemoryError."""
        if memory not in _MEMORY:
            raise ArgumentError(f"memory '{memory}', expected {', '.join(_MEMORY)}")
        element = numpy.dtype(dtype)
        if element.hasobject or element.kind in 'USMm':
            raise ArgumentError(f'an array of {element}, expected numbers')
        sizes = whole_numbers('an array of shape', shape)
        count = math.prod(sizes)
        if count <= 0 or element.itemsize == 0:
            raise ArgumentError(f'an array of shape {sizes} and {element}, expected at least one byte')
        flags = _MEMORY[memory] | (_native.READ_ONLY if read_only else 0) | (_native.BELOW_4GIB if below_4gib else 0)
        with translated():
            block = self._native.attach(count * element.itemsize, alignment, flags)
        self._blocks[block.address] = block
        buffer: Any = block
        flat: Array = numpy.frombuffer(buffer, dtype=element, count=count)
        return flat.reshape(sizes)

    def zeros(self, shape: Union[int, Sequence[int]], dtype: Any = numpy.float32, **options: Any) -> Array:
        """empty(), by numpy's name for it."""
        return self.empty(shape, dtype, **options)

    def array(self, values: Any, dtype: Any = None, **options: Any) -> Array:
        """A new array in device memory with a copy of `values`. Throws as empty() does."""
        source = numpy.asarray(values, dtype=dtype)
        out = self.empty(source.shape or (1,), source.dtype, **options)
        out[...] = source
        return out

    def free(self, array: Array) -> None:
        """Takes the memory of an array, of which this may be a view, away from the device. The array and its views
        stay as they are, as memory of the host; kernels that use them fault. Throws ArgumentError."""
        block, _ = self._block_of(array)
        with translated():
            self._native.detach(block.address)
        del self._blocks[block.address]

    def address_of(self, array: Array) -> int:
        """The device address of an array's first element. Throws ArgumentError: not an array of this device, or one
        that was freed."""
        block, offset = self._block_of(array)
        return block.address + offset

    def _block_of(self, array: Array) -> tuple[_native.Block, int]:
        block, offset = _native.locate(array)
        if block is None:
            raise ArgumentError('an array of the host, expected one of the device (Device.array copies it there)')
        if self._blocks.get(block.address) is not block:
            raise ArgumentError('an array that was freed, or one of another device')
        return block, offset

    def read(self, address: int, count: int) -> bytes:
        """Bytes of device memory, wherever they are from. Throws DeviceMemoryError."""
        with translated():
            return self._native.read(address, count)

    def write(self, address: int, data: bytes) -> None:
        """The same, written. Throws DeviceMemoryError."""
        with translated():
            self._native.write(address, bytes(data))

    # ---- code ----

    def load(self, code: Union[Path, bytes, Sequence[Path]]) -> Program:
        """Loads a code object, HSAIL as text or BRIG, or OpenCL C: the content of a file or `bytes` decides. A
        sequence of files is that of HSAIL modules, which are linked. All but code objects are compiled for target by
        the program `cuvette`.

        Throws CompileError with file, line and column; ArgumentError: a code object for another target, or none; OSError."""
        if isinstance(code, (bytes, bytearray)):
            data = bytes(code)
            if not _is_code_object(data):
                return self.load_text(data)
        elif isinstance(code, (str, os.PathLike)):
            data = pathlib.Path(code).read_bytes()
            if not _is_code_object(data):
                data = compile_code([code], self.target)
        else:
            data = compile_code(code, self.target)
        with translated():
            return Program(self, self._native.load(data))

    def load_text(self, text: Union[str, bytes], name: str = 'program') -> Program:
        """load() of what is no file, such as a string in the script; `name` is its file in messages."""
        with tempfile.TemporaryDirectory(prefix='cuvette-') as scratch:
            file = pathlib.Path(scratch) / name
            file.write_bytes(text.encode() if isinstance(text, str) else text)
            return self.load(file)

    # ---- time ----

    @property
    def cycle(self) -> int:
        """The present one."""
        with translated():
            return self._native.cycle()

    def step(self, cycles: int = 1) -> int:
        """Lets exactly so many cycles pass; the present one then. Throws Fault, Hang, Cancelled, KeyboardInterrupt."""
        self._wait(lambda: self._native.advance(cycles))
        return self.cycle

    def run(self, most_cycles: int = FOREVER) -> int:
        """Lets time pass until nothing is left to do; the present cycle then, a multiple of the quantum. Throws as
        Launch.wait() does."""
        self._wait(lambda: self._native.run_until_idle(most_cycles))
        return self.cycle

    def cancel(self) -> None:
        """Ends the wait of another thread, or the next one, with Cancelled; from any thread and any callback."""
        with translated():
            self._native.cancel()

    def reset_queue(self) -> None:
        """Ends what is under way, a kernel that hangs for one, and makes the queue anew. Its launches are lost."""
        with translated():
            self._queue.reset()

    def _wait(self, wait: Callable[[], Result]) -> Result:
        result = self._pass_time(wait)
        if self._queue.error != 0:
            raise self._fault()
        return result

    def _pass_time(self, wait: Callable[[], Result]) -> Result:
        try:
            return wait()
        except TypeError:
            with translated():  # of the call; those of callbacks stay what they are
                raise
        except _native.CallFailed as failed:
            status, text = failed.args
            if status == 'CUVETTE_ERROR_WATCHDOG':
                raise Hang(text.split(';')[0], self.hang_report(), self.waves()) from None
            if status == 'CUVETTE_ERROR_TIMEOUT':
                raise Timeout(text, self.hang_report()) from None
            raise exception_of(failed) from None

    def _fault(self) -> Error:
        """What has stopped the queue, which is made anew. The launch that has failed throws the same."""
        with translated():
            code = self._queue.error
            packet = self._queue.failed
            text = self._native.take_reports().strip() or f'the queue has stopped with error bits {code:#x}'
            self._queue.reset()
        if packet is not None:
            self._faults[packet] = text, code
        return Fault(text, code)

    # ---- what is going on ----

    def waves(self) -> list[dict[str, Any]]:
        """The waves that are resident now, one dictionary each: wave, kernel, packet, compute_unit, simd, slot, pc,
        instruction, waits_for, vm_count, lgkm_count, exp_count, at_barrier, halted. Engine golden runs a kernel as a
        whole and has waves only behind a wait that was cancelled or ended by a watchdog; they have no place (None)."""
        with translated():
            return self._native.hang_report()[2]

    def wave_register(self, wave: Mapping[str, Any], name: str) -> Array:
        """A register of one of waves() on lt and ca: 'v0', 'a0' (64 lanes) or 's0', 'vcc_lo', 'vcc_hi', 'exec_lo',
        'exec_hi', 'm0', 'mode', 'status', 'trapsts' (one value), as uint32. Throws ArgumentError."""
        letter, digits = name[:1], name[1:]
        if name in _NAMED:
            index = _NAMED[name]
        elif digits.isdecimal() and letter in ('v', 'a', 's') and int(digits) < (102 if letter == 's' else 256):
            index = {'v': _VGPR, 'a': _AGPR, 's': _SGPR}[letter] + int(digits)
        else:
            raise ArgumentError(f"register '{name}', expected v0 to v255, a0 to a255, s0 to s101, {', '.join(_NAMED)}")
        if wave.get('simd') is None:
            raise ArgumentError('a wave without a place: engine golden shows no registers')
        with translated():
            return self._native.wave_read(wave['compute_unit'], wave['simd'], wave['slot'], index,
                                          64 if index >= _VGPR else 1)

    def hang_report(self) -> str:
        """Who waits for what: a line per queue, packet and wave."""
        with translated():
            return self._native.hang_report()[0]

    def statistics(self) -> dict[str, Any]:
        """What has been counted since the device was made, as plain dictionaries and lists: 'engine', 'machine',
        'cycle', 'waves', 'instructions', 'by_instruction' (mnemonic: number) and 'blocks': per block the sums
        ('total') and the counters of each instance, by the names of docs/reference/statistics.md."""
        with translated():
            counters = self._native.counters()
        out: dict[str, Any] = {'engine': self.engine, 'machine': self.machine, 'cycle': self.cycle}
        by_instruction: dict[str, int] = {}
        blocks: dict[str, Any] = {}
        for block, instance, name, value in counters:
            if block == 'machine':
                out[name] = value
            elif block == 'instruction':
                by_instruction[name] = value
            else:
                of_block = blocks.setdefault(block, {'total': {}, 'instances': []})
                of_block['total'][name] = of_block['total'].get(name, 0) + value
                while len(of_block['instances']) <= instance:
                    of_block['instances'].append({})
                of_block['instances'][instance][name] = value
        out['by_instruction'], out['blocks'] = by_instruction, blocks
        return out

    def counters(self, *names: str) -> dict[str, Optional[float]]:
        """Performance counters by their public names (docs/reference/counters.md) on lt and ca, all of one instant:
        counters('SQ_WAVES', 'TCC_HIT[3]', 'VALUUtilization'), or all of the target without a name; None where there is
        no value, for which why_no_counter() has the reason. Since the device was made or mark_counters() was called
        last. Throws ArgumentError with the nearest name, CallError on golden."""
        with translated():
            return {name: value for name, value, _ in self._native.counters_by_name(list(names))}

    def why_no_counter(self, name: str) -> Optional[str]:
        """Why a counter has no value: the model does not count it, a division by 0. None: it has one."""
        with translated():
            return self._native.counters_by_name([name])[0][2]

    def mark_counters(self) -> None:
        """counters() tells what is counted from here on."""
        with translated():
            self._native.counters_mark()

    def on_retirement(self, callback: Optional[Callable[[dict[str, Any]], None]]) -> None:
        """Calls `callback` for every instruction that a wave retires from now on, when its effects are complete; None:
        never again. It gets a dictionary: cycle, wave, order (of issue, in the wave), pc, exec, instruction, words,
        vector_writes (register, mask of lanes, 64 values), scalar_writes (operand code, value). Inside, read, write
        and cycle alone are allowed; an exception ends the wait that is under way and comes out of it. Throws CallError
        while waves are under way."""
        if callback is not None and not callable(callback):
            raise ArgumentError(f'{callback!r}, expected a function or None')
        with translated():
            self._native.watch(callback)


@atexit.register
def _close_all() -> None:
    for device in list(_open):
        device.close()
