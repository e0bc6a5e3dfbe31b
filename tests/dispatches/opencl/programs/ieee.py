# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""IEEE 754 arithmetic for expectations. A Python float is a binary64 number and + - * / and math.sqrt round it
correctly. For binary32 and binary16 a binary64 operation rounded once more gives the correctly rounded result
(53 >= 2 * 24 + 2); fused operations go through exact fractions."""
import math
import struct
from fractions import Fraction

# precision, smallest and largest exponent of normal numbers
F16, F32, F64 = (11, -14, 15), (24, -126, 127), (53, -1022, 1023)


def rounded(x, form, mode="even"):
    """An exact value, rounded to a format. Modes: even, zero, up, down."""
    precision, low, high = form
    if x == 0:
        return 0.0
    negative, x = x < 0, abs(Fraction(x))
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** exponent > x:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, low) - precision + 1)
    whole, rest = divmod(x, unit)
    if mode == "even":
        away = 2 * rest > unit or (2 * rest == unit and whole % 2)
    else:
        away = rest != 0 and mode == ("down" if negative else "up")
    value = (whole + bool(away)) * unit
    largest = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** high
    if value > largest:
        value = math.inf if mode in ("even", "down" if negative else "up") else largest
    return -float(value) if negative else float(value)


def f32(x):
    """A binary64 result rounded to binary32."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def f16(x):
    try:
        return struct.unpack("<e", struct.pack("<e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def fma(a, b, c, form):
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    # An exact zero has the sign that the sum of the signed terms has.
    return rounded(exact, form) if exact else a * b + c


def divide(a, b):
    if b == 0:
        return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))
    return a / b


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def from_bits32(u):
    return struct.unpack("<f", struct.pack("<I", u))[0]


def from_bits64(u):
    return struct.unpack("<d", struct.pack("<Q", u))[0]


def from_bits16(u):
    return struct.unpack("<e", struct.pack("<H", u))[0]


def bits16(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]
