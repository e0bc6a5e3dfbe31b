# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Cuvette: a model of AMD GCN and CDNA GPUs.

    import cuvette, numpy

    with cuvette.Device('golden', 'small') as device:
        saxpy = device.load('saxpy.hsail')['saxpy']
        x = device.array(numpy.arange(4096, dtype=numpy.float32))
        y = device.zeros(4096)
        saxpy(4096, 256, 4096, 2.0, x, y)
        print(y[:4])

Device has the machine, its memory, queue and time; run() runs a dispatch file in a process of its own."""
from .arguments import Argument, Local
from .device import Device
from .errors import (AccessError, ArgumentError, CallError, Cancelled, CompileError, DescriptionError,
                     DeviceMemoryError, Error, Fault, Hang, InternalError, OnceError, RunError, Timeout)
from .kernel import Kernel, Launch, Program
from .program import RunResult, run
from .version import __version__

__all__ = [
    'AccessError', 'Argument', 'ArgumentError', 'CallError', 'Cancelled', 'CompileError', 'DescriptionError', 'Device',
    'DeviceMemoryError', 'Error', 'Fault', 'Hang', 'InternalError', 'Kernel', 'Launch', 'Local', 'OnceError', 'Program',
    'RunError', 'RunResult', 'Timeout', '__version__', 'run',
]
