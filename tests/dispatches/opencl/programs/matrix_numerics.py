# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/mfma_numerics.md in Python, from the page alone: one output element of a matrix instruction over finite
numbers none of whose products is beyond binary32."""
import math
import struct
from fractions import Fraction

from common import signed
from ieee import F32, F64, f32, fma, from_bits16, from_bits32, rounded


class Format:
    """An A or B format: decode() gives the value, parts() the significand in units of 2^-23 and the exponent, as
    the page defines them (binary32 and smaller)."""

    def __init__(self, code, mantissa, bias, decode):
        self.code, self.mantissa, self.low, self.decode = code, mantissa, 1 - bias, decode

    def parts(self, value):
        if value == 0:
            return 0, -126
        exponent = max(math.frexp(value)[1] - 1, self.low)
        return int(math.ldexp(value, 23 - exponent)), exponent

    def is_subnormal(self, value):
        return value != 0 and abs(value) < 2.0 ** self.low


def small_float(mantissa, bias):
    def decode(byte):
        field, fraction = byte >> mantissa & (0x7F >> mantissa), byte & (1 << mantissa) - 1
        value = math.ldexp(fraction + (1 << mantissa if field else 0), max(field, 1) - bias - mantissa)
        return -value if byte & 0x80 else value
    return decode


FORMATS = {
    "f32": Format("I", 23, 127, from_bits32),
    "xf32": Format("I", 23, 127, from_bits32),
    "f64": Format("Q", 52, 1023, lambda u: struct.unpack("<d", struct.pack("<Q", u))[0]),
    "f16": Format("H", 10, 15, from_bits16),
    "bf16": Format("H", 7, 127, lambda u: from_bits32(u << 16)),
    "i8": Format("B", 0, 0, lambda u: signed(u, 8)),
    "fp8": Format("B", 3, 8, small_float(3, 8)),
    "bf8": Format("B", 2, 16, small_float(2, 16)),
}


def flushed(x):
    return math.copysign(0.0, x) if abs(x) < 2.0**-126 else x


def exact(a, b, d, group):
    """d and the products of each group, rounded once."""
    for first in range(0, len(a), group):
        products = zip(a[first:first + group], b[first:first + group])
        d = rounded(Fraction(d) + sum(Fraction(x) * Fraction(y) for x, y in products), F32)
    return d


def pairwise(a, b, d, group):
    """RNE at every node of a balanced tree over each group, then RNE into d; no subnormal results."""
    for first in range(0, len(a), group):
        nodes = [flushed(f32(x * y)) for x, y in zip(a[first:first + group], b[first:first + group])]
        while len(nodes) > 1:
            nodes = [flushed(f32(nodes[i] + nodes[i + 1])) for i in range(0, len(nodes), 2)]
        d = flushed(f32(d + nodes[0]))
    return d


def shifted(x, units, places, bits, downward=True):
    """x * 2^places, x in units of 2^-units, in units of 2^-bits: toward minus infinity or toward zero."""
    shift = places + bits - units
    if shift >= 0:
        return x << shift
    return x >> -shift if downward or x >= 0 else -(-x >> -shift)


def products_sum(terms):
    """Step 2: the terms (units of 2^-46) at their largest exponent, each truncated at 24 fraction bits. Those that are
    zero have no exponent; None when all are."""
    terms = [(s, e) for s, e in terms if s]
    if not terms:
        return None
    top = max(e for _, e in terms)
    return sum(shifted(s, 46, e - top, 24, False) for s, e in terms), top


def fused(terms, d, group, split):
    """Terms are (significand product, exponent sum); d is a binary32 value."""
    for first in range(0, len(terms), group):
        block = terms[first:first + group]
        sd, ed = FORMATS["f32"].parts(d)
        parts = [part for part in map(products_sum, (block[0::2], block[1::2]) if split else (block,)) if part]
        top = max((e for _, e in parts), default=ed)
        total = sum(shifted(s, 24, e - top, 24) for s, e in parts)
        high = max(top, ed)
        if split and ed < high - 25:
            sd = 0
        total = shifted(total, 24, top - high, 32) + (shifted(sd, 23, ed - high, 24) << 8)
        # Once more downward, at 31 bits below the leading one.
        leading = max(abs(total).bit_length() - 1 + high - 32, -126)
        low = max(leading - 31 - (high - 32), 0)
        d = rounded(Fraction(total >> low << low) * Fraction(2) ** (high - 32), F32)
    return d


def element(target, a_format, b_format, one_k, k_of_instruction, a, b, d):
    """D[i][j] of one instruction: a and b are the values of row i and column j, k ascending."""
    if a_format == "i8":
        return signed(d + sum(x * y for x, y in zip(a, b)))
    if a_format in ("f32", "f64"):
        for x, y in zip(a, b):
            d = fma(x, y, d, F64 if a_format == "f64" else F32)
        return d
    size = 4 if a_format == "f16" or one_k else 2
    if target == "gfx908":
        return exact(a, b, d, size)
    if target == "gfx90a":
        # Zeros and subnormal numbers become +0.
        form, binary32 = FORMATS[a_format], FORMATS["f32"]
        a, b = ([0.0 if x == 0 or form.is_subnormal(x) else x for x in row] for row in (a, b))
        return pairwise(a, b, 0.0 if d == 0 or binary32.is_subnormal(d) else d, size)
    terms = []
    for x, y in zip(a, b):
        sa, ea = FORMATS[a_format].parts(x)
        sb, eb = FORMATS[b_format].parts(y)
        terms.append((sa * sb, ea + eb))
    if a_format == "xf32":
        return fused(terms, d, 4, False)
    if a_format in ("fp8", "bf8"):
        return fused(terms, d, 16, True)
    return fused(terms, d, min(8, k_of_instruction), False)


def truncated_xf32(value):
    return from_bits32(struct.unpack("<I", struct.pack("<f", value))[0] & 0xFFFFE000)
