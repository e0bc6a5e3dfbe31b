# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers shared by the expectation scripts: random numbers, fixed-width integers, raw little-endian files."""
import os
import struct

M32, M64 = 2**32 - 1, 2**64 - 1


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def u64(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & M64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        return z ^ (z >> 31)

    def u32(self):
        return self.u64() >> 32

    def integer(self, low, high):
        return low + self.u64() % (high - low + 1)

    def unit(self):
        """In [0, 1), a multiple of 2^-53."""
        return (self.u64() >> 11) * 2.0**-53


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def quotient(a, b):
    """Integer division that rounds toward zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


class Folder:
    """Writes <folder>/<name>.bin; codes are those of struct."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def write(self, name, code, values):
        bits = {"i": 32, "I": 32, "q": 64, "Q": 64, "b": 8, "B": 8, "H": 16}.get(code)
        if bits:
            mask, code = (1 << bits) - 1, code.upper()
            values = [v & mask for v in values]
        with open(os.path.join(self.folder, name + ".bin"), "wb") as f:
            f.write(struct.pack("<%d%s" % (len(values), code), *values))
