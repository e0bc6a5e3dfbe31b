# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Kernel arguments: Python values as the bytes of a kernarg segment."""
from __future__ import annotations

import functools
import re
import struct
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy

from .errors import ArgumentError

if TYPE_CHECKING:
    from .device import Device


class Local(NamedTuple):
    """Dynamic group memory of `bytes`, for a pointer argument to local memory."""

    bytes: int


class Argument(NamedTuple):
    """An explicit argument of a kernel, as its code object tells."""

    name: str  #: empty when the object does not say
    kind: str  #: 'by_value', 'global_buffer', 'dynamic_shared_pointer', ...
    type: str  #: as the source names it: 'float', 'int*', 'u64'; empty when the object does not say
    bytes: int  #: in the kernarg segment
    offset: int  #: the same


_DTYPES = {
    'bool': 'u1', 'char': 'i1', 'uchar': 'u1', 'short': 'i2', 'ushort': 'u2', 'int': 'i4', 'uint': 'u4',
    'long': 'i8', 'ulong': 'u8', 'half': 'f2', 'float': 'f4', 'double': 'f8', 'size_t': 'u8',
    'u8': 'u1', 'u16': 'u2', 'u32': 'u4', 'u64': 'u8', 's8': 'i1', 's16': 'i2', 's32': 'i4', 's64': 'i8',
    'f16': 'f2', 'f32': 'f4', 'f64': 'f8',
}
_INTEGERS = (1, 2, 4, 8)
_FLOATS = {2: 'e', 4: 'f', 8: 'd'}
_VECTOR = re.compile(r'(char|uchar|short|ushort|int|uint|long|ulong|half|float|double)(2|3|4|8|16)')


@functools.lru_cache(maxsize=None)
def element_type(name: str) -> Optional[numpy.dtype[Any]]:
    """The type of the elements that a type of OpenCL C or HSAIL points to or is; None where numpy has none."""
    words = [word for word in name.replace('*', ' ').split() if word not in ('const', 'volatile', 'restrict')]
    base = words[0] if len(words) == 1 else ''
    vector = _VECTOR.fullmatch(base)
    found = _DTYPES.get(vector[1] if vector else base)
    return None if found is None else numpy.dtype(found)


def _of_value(argument: Argument) -> Optional[numpy.dtype[Any]]:
    """The type of a number; None where it is not known, or the argument is none."""
    found = None if argument.type.endswith('*') else element_type(argument.type)
    return found if found is not None and found.itemsize == argument.bytes else None


def _address(device: Device, array: numpy.ndarray[Any, Any], argument: Argument) -> bytes:
    if array.ndim == 0:
        raise ArgumentError('an array without dimensions, expected a number')
    wanted = element_type(argument.type) if argument.type.endswith('*') else None
    if wanted is not None and array.dtype != wanted and not array.dtype.itemsize == wanted.itemsize == 1:
        raise ArgumentError(f'an array of {array.dtype}, expected {wanted} for {argument.type}')
    if argument.bytes not in (4, 8) or argument.type in ('float', 'double', 'f32', 'f64'):
        raise ArgumentError(f'an array, expected {argument.type or argument.kind} of {argument.bytes} bytes')
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ArgumentError('an array with gaps, expected a contiguous one')
    try:
        return device.address_of(array).to_bytes(argument.bytes, 'little')
    except OverflowError:
        raise ArgumentError('an array, expected 4 bytes; one for code of the small machine model is allocated with '
                            'below_4gib=True') from None


def _number(value: Union[int, float], argument: Argument) -> bytes:
    """A number of Python, which takes the argument's type."""
    known = _of_value(argument)
    size = argument.bytes
    as_float = isinstance(value, float) if known is None else known.kind == 'f'
    try:
        if as_float and size in _FLOATS:
            return struct.pack('<' + _FLOATS[size], value)
        if not as_float and size in _INTEGERS:
            if isinstance(value, float):
                raise ArgumentError(f'{value!r}, expected an integer ({argument.type})')
            if known is None:
                return value.to_bytes(size, 'little', signed=value < 0)
            return value.to_bytes(size, 'little', signed=known.kind == 'i')
    except (OverflowError, struct.error):
        raise ArgumentError(f'{value!r} is outside of the range of {argument.type or f"{size} bytes"}') from None
    raise ArgumentError(f'a number, expected {size} bytes ({argument.type or argument.kind})')


def _scalar(value: numpy.generic, argument: Argument) -> bytes:
    """A number of numpy, which keeps its own type."""
    if value.dtype.itemsize != argument.bytes:
        raise ArgumentError(f'{value.dtype} of {value.dtype.itemsize} bytes, expected {argument.bytes} bytes'
                            + (f' ({argument.type})' if argument.type else ''))
    known = _of_value(argument)
    if known is not None and (known.kind == 'f') != (value.dtype.kind == 'f'):
        raise ArgumentError(f'{value.dtype}, expected {argument.type}')
    return value.tobytes()


def _bytes(value: bytes, argument: Argument) -> bytes:
    if len(value) != argument.bytes:
        raise ArgumentError(f'{len(value)} bytes, expected {argument.bytes}')
    return bytes(value)


def _encode_one(device: Device, value: Any, argument: Argument) -> bytes:
    if isinstance(value, numpy.ndarray):
        return _address(device, value, argument)
    if isinstance(value, numpy.generic):  # before float, which numpy.float64 is, too
        return _scalar(value, argument)
    if isinstance(value, (int, float)):
        return _number(value, argument)
    if isinstance(value, (bytes, bytearray)):
        return _bytes(bytes(value), argument)
    if value is None and argument.bytes == 8:
        return bytes(8)
    raise ArgumentError(f'a {type(value).__name__}, expected a number, an array of the device, Local or bytes')


def encode(device: Device, kernel: str, arguments: list[Argument], values: tuple[Any, ...],
           static_group_bytes: int) -> tuple[list[bytes], int]:
    """The bytes of each argument, and the dynamic group memory that Local arguments want. Throws ArgumentError."""
    if len(values) != len(arguments):
        raise ArgumentError(f"kernel '{kernel}' has {len(arguments)} arguments, {len(values)} are given")
    encoded: list[bytes] = []
    group_end = static_group_bytes
    for value, argument in zip(values, arguments):
        if isinstance(value, Local):
            group_end = -(-group_end // 16) * 16
            encoded.append(group_end.to_bytes(argument.bytes, 'little'))
            group_end += value.bytes
            continue
        try:
            encoded.append(_encode_one(device, value, argument))
        except ArgumentError as error:
            name = f" '{argument.name}'" if argument.name else ''
            raise ArgumentError(f"argument {len(encoded)}{name} of kernel '{kernel}': {error}") from None
    return encoded, group_end - static_group_bytes
