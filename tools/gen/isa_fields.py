# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Bits of an encoding that a row uses, requires or ignores, per target.

A rule is (mask, value, ignored) over the first 64 bits of an instruction, the second dword in the upper
half: a word with (word & mask) != value is illegal; bits of `ignored` have no meaning and make it
reserved. Field positions: Vega ISA 13 and MI100 ISA tables; which of the unused fields must be zero
follows LLVM 19, the oracle of tests/isa/isa_random_test.cpp.
"""

TARGETS = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]


def span(hi, lo):
    return ((1 << (hi - lo + 1)) - 1) << lo


class Rule:
    def __init__(self):
        self.mask = self.value = self.ignored = 0

    def zero(self, hi, lo=None):
        self.mask |= span(hi, hi if lo is None else lo)

    def require(self, hi, lo, value):
        self.mask |= span(hi, lo)
        self.value |= value << lo

    def one(self, bit):
        self.mask |= 1 << bit
        self.value |= 1 << bit

    def ignore(self, hi, lo=None):
        self.ignored |= span(hi, hi if lo is None else lo)

    def letter(self, letter, hi, lo=None):
        """'1' free, '0' must be zero, '-' ignored."""
        if letter == "0":
            self.zero(hi, lo)
        elif letter == "-":
            self.ignore(hi, lo)

    def key(self):
        return (self.mask, self.value, self.ignored)


def roles(row):
    return {spec["role"] for spec in row["dst"] + row["src"]}


def flag(row, name):
    return name in row["flags"]


def letters(text):
    """Modifier letters; rows whose VOP3 form has a scalar destination in their place take none."""
    return text or "000"


def unified(target):
    return target in ("gfx90a", "gfx942")


def vop3(row, target):
    """VOP3A, VOP3B and the promoted forms of VOP1, VOP2 and VOPC."""
    rule, used = Rule(), roles(row)
    interpolation = "Attribute" in used
    if row["format"] == "VOPC":
        rule.zero(7)
    elif not row["dst"]:
        rule.zero(7, 0)
    if row["format"] != "VOPC" and "SdstMask" in used:
        pass  # VOP3B: sdst takes the place of abs and op_sel
    else:
        for i, letter in enumerate(row["abs"]):
            rule.letter(letter, 8 + i)
        for i, letter in enumerate(row["op_sel"]):
            rule.letter(letter, 11 + i)
    rule.letter(row["clamp"], 15)
    if interpolation:
        if row["mnemonic"] in ("v_interp_p1_f32", "v_interp_p2_f32", "v_interp_mov_f32"):
            rule.zero(40)
    elif "Src0" not in used:
        rule.zero(40, 32)
    if not used & {"Src1", "Vsrc1"}:
        rule.zero(49, 41)
    if not used & {"Src2", "VccIn"}:
        rule.zero(58, 50)
    rule.letter(row["omod"], 60, 59)
    for i, letter in enumerate(row["neg"]):
        rule.letter(letter, 61 + i)
    return rule


def vop3p(row, target):
    rule = Rule()
    if "Src2" not in roles(row):
        rule.zero(10)
        rule.zero(13)
        rule.zero(58, 50)
        rule.zero(63)
    return rule


def mai(row, target):
    rule = Rule()
    if not flag(row, "Matrix"):  # v_accvgpr_read, v_accvgpr_write
        rule.zero(13, 8)
        rule.ignore(15)
        rule.zero(58, 41)
        rule.zero(63, 61)
        return rule
    if not unified(target):
        rule.ignore(15)
    if flag(row, "Sparse"):
        rule.zero(63, 61)
    return rule


def sdwa(row, target):
    """Vega ISA 13: VOP_SDWA, and VOP_SDWAB for compares."""
    rule, used = Rule(), roles(row)
    rule.ignore(54)
    rule.ignore(62)
    if not row["dst"]:  # v_nop
        rule.zero(63, 32)
        rule.zero(24, 17)
        rule.ignored = 0
        return rule
    fp8 = any(spec["type"] in ("Fp8", "Bf8") for spec in row["src"])
    if row["format"] == "VOPC":
        pass  # bits 46:40 are the destination when bit 47 is set (decode looks)
    else:
        if fp8:
            rule.require(42, 40, 6)  # dst_sel DWORD
            rule.ignore(44, 43)
        if row["omod"] != "1" or row["dst"][0]["type"] not in ("F16", "F32", "PkF32"):
            rule.zero(47, 46)
    has_src1 = bool(used & {"Src1", "Vsrc1"})
    for i, base in enumerate((48, 56)):
        if i == 1 and not has_src1:
            rule.zero(61, 56)
            rule.zero(63)
            continue
        if letters(row["abs"])[i] == "1":
            rule.zero(base + 3)  # no sign extension of a float
        else:
            rule.zero(base + 5, base + 4)
    return rule


def dpp(row, target):
    rule, used = Rule(), roles(row)
    rule.ignore(50, 49)
    for i, base in enumerate((52, 54)):
        if i == 1 and not used & {"Src1", "Vsrc1"}:
            rule.zero(55, 54)
            continue
        rule.letter(letters(row["neg"])[i], base)
        rule.letter(letters(row["abs"])[i], base + 1)
    return rule


def scalar(row, target):
    rule, used, fmt = Rule(), roles(row), row["format"]
    if fmt == "SOPP":
        if not row["src"]:
            rule.zero(15, 0)
        if "Waitcnt" in used:
            rule.ignore(7)
            rule.ignore(13, 12)
    elif fmt == "SOPK":
        if "Sdst" not in used:
            rule.ignore(22, 16)
    elif fmt in ("SOP1", "SOP2"):
        if "Sdst" not in used:
            rule.ignore(22, 16)
        if not used & {"Ssrc0", "Sreg0"}:
            rule.ignore(7, 0)
    return rule


def vop_short(row, target):
    rule = Rule()
    if row["format"] == "VOP1" and not row["dst"]:
        rule.zero(24, 17)
        rule.ignore(8, 0)
    return rule


def smem(row, target):
    rule, used = Rule(), roles(row)
    rule.ignore(13)
    rule.ignore(15)
    if "Sbase" not in used:
        rule.ignore(5, 0)
        if "Sdata" not in used:
            rule.ignore(12, 6)
        rule.ignore(14)
        rule.ignore(16)
        rule.zero(17)
        rule.ignore(63, 32)
        return rule
    if "Sdata" not in used:
        rule.ignore(12, 6)
        rule.ignore(16)
    if row["mnemonic"].startswith("s_atc_probe"):
        rule.ignore(16)
    return rule  # the offset fields depend on imm and soffset_en: decode looks


def ds(row, target):
    rule, used = Rule(), roles(row)
    name = row["mnemonic"]
    if name == "ds_nop":
        rule.zero(16, 0)
        rule.zero(25)
        rule.zero(63, 32)
        return rule
    gds_only = row["unit"] == "Gds"
    if gds_only:
        rule.one(16)
    elif name in ("ds_permute_b32", "ds_bpermute_b32"):
        rule.zero(16)
    elif unified(target):
        rule.ignore(16)
    data = used & {"Data0", "Data1", "Vdst"} or (gds_only and "Addr" in used)
    if not data:
        rule.zero(25)
    elif not unified(target):
        rule.ignore(25)
    for role, lo in (("Addr", 32), ("Data0", 40), ("Data1", 48), ("Vdst", 56)):
        if role not in used:
            rule.zero(lo + 7, lo)
    return rule


FLOAT_ATOMICS = ("_add_f32", "_pk_add_f16", "_add_f64", "_min_f64", "_max_f64")


def float_atomic(row):
    return flag(row, "Atomic") and row["mnemonic"].endswith(FLOAT_ATOMICS)


def flat(row, target):
    rule, used, fmt = Rule(), roles(row), row["format"]
    lds_form = "_lds_" in row["mnemonic"]
    if fmt == "FLAT":
        rule.zero(13)
        rule.zero(54, 48)
    elif fmt == "SCRATCH" and target == "gfx942":
        pass  # bit 13 says that the address register counts
    elif not (flag(row, "LdsDma") and row["dst"]) or target == "gfx942":
        rule.zero(13)
    if float_atomic(row) and target == "gfx908":
        rule.zero(16)  # no return
    if not unified(target):
        if float_atomic(row):
            rule.zero(25)
        else:
            rule.ignore(25)
        rule.ignore(55)
    else:
        if float_atomic(row) and target == "gfx90a":
            rule.zero(25)
        if lds_form:
            rule.zero(55)
    if "Data0" not in used:
        rule.ignore(47, 40)
    if not row["dst"]:
        rule.ignore(63, 56)
    return rule


def buffer(row, target):
    rule, name = Rule(), row["mnemonic"]
    if row["format"] == "MTBUF":
        if not unified(target):
            rule.ignore(53)
            rule.zero(55)
        return rule
    rule.ignore(25)
    if not row["src"]:  # cache operations
        rule.ignore(11, 0)
        rule.zero(13, 12)
        if name == "buffer_wbl2" and target == "gfx90a":
            rule.ignore(15, 14)
        elif not (target == "gfx942" and name in ("buffer_wbl2", "buffer_inv")):
            rule.zero(15, 14)
        rule.zero(16)
        rule.ignore(17)
        rule.ignore(54, 32)
        rule.zero(55)
        rule.ignore(63, 56)
        return rule
    if not unified(target):
        rule.ignore(15)
    if float_atomic(row):
        if target == "gfx908":
            rule.zero(14)
        if target == "gfx90a":
            rule.zero(15)
    rule.ignore(54, 53)
    if name == "buffer_store_lds_dword":
        rule.one(16)
        rule.zero(13, 12)
        rule.ignore(47, 32)
        rule.zero(55)
        return rule
    if not flag(row, "LdsDma"):
        rule.zero(16)
    if not unified(target) and flag(row, "Atomic"):
        rule.zero(55)
    return rule


D16_IMAGES = ("image_load", "image_load_mip", "image_store", "image_store_mip")


def mimg(row, target):
    rule, used = Rule(), roles(row)
    rule.zero(0)
    rule.ignore(6, 1)
    if not unified(target):
        rule.ignore(7)
    if "Ssamp" not in used:
        rule.zero(57, 53)
    rule.ignore(62, 58)
    name = row["mnemonic"]
    if not (name in D16_IMAGES or ("Ssamp" in used and name != "image_get_lod")):
        rule.zero(63)
    return rule


def exp(row, target):
    rule = Rule()
    rule.ignore(25, 13)
    return rule


NATIVE = {
    "SOP1": scalar, "SOP2": scalar, "SOPC": scalar, "SOPK": scalar, "SOPP": scalar, "SMEM": smem,
    "VOP1": vop_short, "VOP2": vop_short, "VOPC": vop_short, "VINTRP": vop_short,
    "VOP3A": vop3, "VOP3B": vop3, "VOP3P": vop3p, "VOP3P-MAI": mai, "DS": ds, "MUBUF": buffer,
    "MTBUF": buffer, "MIMG": mimg, "FLAT": flat, "GLOBAL": flat, "SCRATCH": flat, "EXP": exp,
}


def rules(row, target):
    """Rules of the native, VOP3, SDWA and DPP forms; None where the form does not exist."""
    native = NATIVE[row["format"]](row, target) if target in row["targets"] else None
    promoted = vop3(row, target) if target in row["vop3_targets"] else None
    by_sdwa = sdwa(row, target) if target in row["sdwa_targets"] else None
    by_dpp = dpp(row, target) if target in row["dpp_targets"] else None
    return native, promoted, by_sdwa, by_dpp
