# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Loaded code, kernels, and launches."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Sequence, SupportsIndex, Union

from . import _native
from .arguments import Argument, encode
from .errors import ArgumentError, CallError, Error, Fault, translated

if TYPE_CHECKING:
    from .device import Device

Size = Union[SupportsIndex, Iterable[SupportsIndex]]

#: The longest wait, in cycles.
FOREVER = 1_000_000_000_000


def whole_numbers(what: str, sizes: Size) -> tuple[int, ...]:
    """One number or several, of Python or numpy. Throws ArgumentError."""
    several = sizes if isinstance(sizes, Iterable) else (sizes,)
    try:
        return tuple(operator.index(n) for n in several)
    except TypeError:
        raise ArgumentError(f'{what} {sizes!r}, expected whole numbers') from None


def _three(what: str, size: Size) -> tuple[int, tuple[int, int, int]]:
    sizes = whole_numbers(what, size)
    if not 1 <= len(sizes) <= 3 or not all(1 <= n <= 0xffffffff for n in sizes):
        raise ArgumentError(f'{what} {size!r}, expected 1 to 3 numbers of work-items')
    x, y, z = sizes + (1,) * (3 - len(sizes))
    return len(sizes), (x, y, z)


class Launch:
    """A dispatch on its way. Time passes in wait(), and in whatever else lets time pass."""

    def __init__(self, device: Device, kernel: Kernel, packet: int, keep: tuple[Any, ...]) -> None:
        self._device, self._packet, self._keep = device, packet, keep
        self.kernel = kernel
        self._times: Optional[tuple[int, int]] = None

    @property
    def done(self) -> bool:
        """Whether it is over. Throws Fault where it has failed, CallError where the queue was reset before its end."""
        if self._times is not None:
            return True
        with translated():
            state = self._device._queue.state(self._packet)
        if state == _native.PacketState.DONE:
            self._finish()
            return True
        if state == _native.PacketState.FAILED:
            raise self._device._fault()
        if state == _native.PacketState.LOST:
            if self._packet in self._device._faults:
                raise Fault(*self._device._faults[self._packet])
            lost = f"the launch of '{self.kernel.name}' is lost: its queue "
            if self._device._queue.error != 0:
                raise CallError(lost + f'has stopped at one before it: {self._device._fault()}')
            raise CallError(lost + 'was reset before its end')
        return False

    def wait(self, most_cycles: int = FOREVER) -> Launch:
        """Lets time pass until it is over. Throws Fault, Hang, Timeout, Cancelled, KeyboardInterrupt."""
        if self._times is None:
            self._device._pass_time(lambda: self._device._queue.wait(self._packet, most_cycles))
            if not self.done:
                raise Error(f"the launch of '{self.kernel.name}' has neither ended nor failed")
        return self

    @property
    def begin(self) -> int:
        """The cycle in which the command processor started it. Throws CallError before its end."""
        return self._interval()[0]

    @property
    def end(self) -> int:
        """The cycle of its completion. Throws CallError before its end."""
        return self._interval()[1]

    @property
    def cycles(self) -> int:
        """From begin to end; engine golden, which has no time, gives 0 or 1. Throws CallError before its end."""
        begin, end = self._interval()
        return end - begin

    def _interval(self) -> tuple[int, int]:
        if not self.done or self._times is None:
            raise CallError('the launch is not over')
        return self._times

    def _finish(self) -> None:
        self._times = self._device._queue.times(self._packet)
        self._keep = ()


class Kernel:
    """A kernel of a loaded program. Calling it launches it and waits."""

    def __init__(self, device: Device, native: _native.Kernel) -> None:
        self._device, self._native = device, native
        #: name in the source, without '&'
        self.name: str = native.name
        #: what it wants, in order
        self.arguments: list[Argument] = [Argument(*a) for a in native.arguments]
        self._group_bytes: int = native.group_bytes

    def launch(self, grid: Size, workgroup: Size, *arguments: Any, group_bytes: int = 0, stack_bytes: int = 16384,
               offset: Sequence[int] = ()) -> Launch:
        """Puts a dispatch into the queue of the device.

        grid, workgroup: work-items, one number or up to three. arguments: in the order of the kernel; arrays of the
        device pass their address, numbers of Python take the argument's type, numbers of numpy keep theirs, which has
        to have its size, Local(bytes) is dynamic group memory, bytes are taken as they are, None is a null pointer.
        group_bytes: dynamic group memory beside that of Local. stack_bytes: for kernels with a dynamic stack.
        offset: global offset of OpenCL.

        Throws ArgumentError: nothing is launched then."""
        dimensions, grid_sizes = _three('grid', grid)
        of_workgroup, workgroup_sizes = _three('work-group', workgroup)
        if of_workgroup > dimensions:
            raise ArgumentError(f'work-group {workgroup!r} has more dimensions than grid {grid!r}')
        encoded, local_bytes = encode(self._device, self.name, self.arguments, arguments, self._group_bytes)
        offsets = (*offset, 0, 0, 0)[:3]
        with translated():
            packet = self._device._queue.submit(self._native, dimensions, grid_sizes, workgroup_sizes, encoded,
                                                local_bytes + group_bytes, stack_bytes, offsets)
        return Launch(self._device, self, packet, arguments)

    def __call__(self, grid: Size, workgroup: Size, *arguments: Any, **options: Any) -> Launch:
        """launch() and Launch.wait()."""
        return self.launch(grid, workgroup, *arguments, **options).wait()

    def __repr__(self) -> str:
        words = ', '.join(f'{a.type or a.kind} {a.name}'.rstrip() for a in self.arguments)
        return f'<cuvette.Kernel {self.name}({words})>'


class Program:
    """A loaded code object: a mapping from names to kernels, without '&' and '.kd'. Ends with its device or unload()."""

    def __init__(self, device: Device, native: _native.Object) -> None:
        self._native = native
        with translated():
            self._kernels = {k.name: Kernel(device, k) for k in native.kernels()}

    def __getitem__(self, name: str) -> Kernel:
        """A kernel by its name. Throws ArgumentError."""
        found = self._kernels.get(name.removeprefix('&').removesuffix('.kd'))
        if found is None:
            names = ', '.join(self._kernels) or 'none'
            raise ArgumentError(f"no kernel '{name}', the program has {names}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    @property
    def kernel(self) -> Kernel:
        """The only kernel. Throws ArgumentError when there are several."""
        if len(self._kernels) != 1:
            raise ArgumentError(f"the program has {len(self._kernels)} kernels ({', '.join(self._kernels)}), name one")
        return next(iter(self._kernels.values()))

    def symbol(self, name: str) -> tuple[int, int]:
        """Address and bytes of a global variable or function. Throws ArgumentError."""
        with translated():
            return self._native.symbol(name)

    def unload(self) -> None:
        """Takes its memory away; none of its kernels may be running. Throws ArgumentError the second time."""
        with translated():
            self._native.unload()
