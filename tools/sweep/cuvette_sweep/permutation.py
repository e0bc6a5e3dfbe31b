# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers and permutations that are functions of their index: nothing is kept between two of them."""
import hashlib


def word(seed, name, index, bits=64):
    """A random number of so many bits (at most 256) of a seed, a stream's name and an index."""
    text = f"{seed}\n{name}\n{index}".encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.sha256(text).digest(), "little") & ((1 << bits) - 1)


def unit(seed, name, index):
    """A random number in [0, 1), a multiple of 2^-53."""
    return word(seed, name, index, 53) / (1 << 53)


class Permutation:
    """A pseudo-random permutation of 0 to size - 1: a Feistel network of four rounds, whose values beyond the size are
    sent through it again (cycle walking)."""

    def __init__(self, size, seed, name):
        self.size = size
        self.half = max(1, ((size - 1).bit_length() + 1) // 2)  # bits of a half
        self.mask = (1 << self.half) - 1
        self.seed = seed
        self.names = [f"{name}\nround {r}" for r in range(4)]

    def __call__(self, index):
        assert 0 <= index < self.size
        while True:
            left, right = index >> self.half, index & self.mask
            for name in self.names:
                left, right = right, left ^ word(self.seed, name, right, self.half)
            index = left << self.half | right
            if index < self.size:
                return index
