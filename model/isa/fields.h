// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/bits.h"
#include "isa/tables.h"

// Positions of the operand fields of each layout (Vega ISA 13), for the first 64 bits of an
// instruction with the second dword in the upper half. Shared by decoder and encoder.
namespace cuvette::isa {

/// Bits of an instruction, second dword in the upper half.
struct Field {
  uint8_t lo = 0, width = 0;  ///< lowest bit; bits, 0: the layout has no such field
};

/// Arrangement of operand fields, shared by formats that place them alike.
enum class Layout : uint8_t {
  Sop2,
  Sopk,
  Sop1,
  Sopc,
  Sopp,
  Smem,
  Vop2,
  Vop1,
  Vopc,
  Vintrp,
  Vop3,
  Vop3b,
  Vop3Interp,
  Ds,
  Mubuf,
  Mimg,
  Flat,
  Exp,
  VopExtended,  ///< SDWA and DPP: source 0 in the second dword
};
inline constexpr unsigned kLayouts = 19;
inline constexpr unsigned kRoles = static_cast<unsigned>(Role::Sreg0) + 1;

namespace detail {

using FieldTable = std::array<std::array<Field, kRoles>, kLayouts>;

constexpr FieldTable make_fields() {
  FieldTable table{};
  const auto set = [&](Layout layout, Role role, uint8_t lo, uint8_t width) {
    table[static_cast<unsigned>(layout)][static_cast<unsigned>(role)] = {lo, width};
  };
  for (Layout l : {Layout::Sop2, Layout::Sop1, Layout::Sopc}) {
    set(l, Role::Ssrc0, 0, 8);
    set(l, Role::Sreg0, 0, 8);
    set(l, Role::Ssrc1, 8, 8);
    set(l, Role::GprIdx, 8, 8);
    set(l, Role::Sdst, 16, 7);
  }
  for (Layout l : {Layout::Sopk, Layout::Sopp}) {
    for (Role r :
         {Role::Simm16, Role::Label, Role::Hwreg, Role::Message, Role::Waitcnt, Role::GprIdx}) {
      set(l, r, 0, 16);
    }
    set(l, Role::Sdst, 16, 7);
  }
  set(Layout::Smem, Role::Sbase, 0, 6);
  set(Layout::Smem, Role::Sdata, 6, 7);
  for (Layout l : {Layout::Vop2, Layout::Vop1, Layout::Vopc, Layout::VopExtended}) {
    const bool extended = l == Layout::VopExtended;
    set(l, Role::Src0, extended ? 32 : 0, extended ? 8 : 9);
    set(l, Role::Asrc0, 0, 9);
    set(l, Role::Vsrc1, 9, 8);
    set(l, Role::Vdst, 17, 8);
    set(l, Role::Adst, 17, 8);
    set(l, Role::Sdst, 17, 8);
  }
  set(Layout::Vintrp, Role::Src0, 0, 8);
  set(Layout::Vintrp, Role::Attribute, 8, 8);
  set(Layout::Vintrp, Role::Vdst, 18, 8);
  for (Layout l : {Layout::Vop3, Layout::Vop3b, Layout::Vop3Interp}) {
    set(l, Role::Vdst, 0, 8);
    set(l, Role::Adst, 0, 8);
    set(l, Role::Sdst, 0, 8);
    set(l, Role::SdstMask, l == Layout::Vop3b ? 8 : 0, 7);
    if (l != Layout::Vop3Interp) set(l, Role::Src0, 32, 9);
    set(l, Role::Asrc0, 32, 9);
    set(l, Role::Src1, 41, 9);
    set(l, Role::Vsrc1, 41, 9);
    set(l, Role::Src2, 50, 9);
    set(l, Role::VccIn, 50, 9);
  }
  set(Layout::Vop3Interp, Role::Attribute, 32, 9);
  for (Layout l : {Layout::Ds, Layout::Flat}) {
    set(l, Role::Addr, 32, 8);
    set(l, Role::Data0, 40, 8);
    set(l, Role::Data1, 48, 8);
    set(l, Role::Vdst, 56, 8);
  }
  set(Layout::Flat, Role::Saddr, 48, 7);
  for (Layout l : {Layout::Mubuf, Layout::Mimg}) {
    set(l, Role::Addr, 32, 8);
    set(l, Role::Vdata, 40, 8);
    set(l, Role::Srsrc, 48, 5);
    set(l, Role::Ssamp, 53, 5);
  }
  set(Layout::Mubuf, Role::Soffset, 56, 8);
  set(Layout::Exp, Role::ExportTarget, 4, 6);
  set(Layout::Exp, Role::Export0, 32, 8);
  set(Layout::Exp, Role::Export1, 40, 8);
  set(Layout::Exp, Role::Export2, 48, 8);
  set(Layout::Exp, Role::Export3, 56, 8);
  return table;
}

inline constexpr FieldTable kFields = make_fields();

}  // namespace detail

/// Place of an operand of that role.
constexpr Field field_of(Layout layout, Role role) {
  return detail::kFields[static_cast<unsigned>(layout)][static_cast<unsigned>(role)];
}

/// Value of a field; 0 for one of width 0.
constexpr uint32_t get(uint64_t word, Field f) {
  return static_cast<uint32_t>((word >> f.lo) & base::low_mask(f.width));
}

/// The layout of a row in a form.
inline Layout layout_of(const Row& row, Form form) {
  if (form == Form::Sdwa || form == Form::Dpp) return Layout::VopExtended;
  if (form == Form::Vop3) {
    const bool carry = row.format == Format::Vop2 && row.dst[1].role == Role::SdstMask;
    return carry ? Layout::Vop3b : Layout::Vop3;
  }
  switch (row.format) {
    case Format::Sop2:
      return Layout::Sop2;
    case Format::Sopk:
      return Layout::Sopk;
    case Format::Sop1:
      return Layout::Sop1;
    case Format::Sopc:
      return Layout::Sopc;
    case Format::Sopp:
      return Layout::Sopp;
    case Format::Smem:
      return Layout::Smem;
    case Format::Vop2:
      return Layout::Vop2;
    case Format::Vop1:
      return Layout::Vop1;
    case Format::Vopc:
      return Layout::Vopc;
    case Format::Vintrp:
      return Layout::Vintrp;
    case Format::Vop3a:
      return row.src[1].role == Role::Attribute ? Layout::Vop3Interp : Layout::Vop3;
    case Format::Vop3b:
      return Layout::Vop3b;
    case Format::Vop3p:
    case Format::Vop3pMai:
      return Layout::Vop3;
    case Format::Ds:
      return Layout::Ds;
    case Format::Mubuf:
    case Format::Mtbuf:
      return Layout::Mubuf;
    case Format::Mimg:
      return Layout::Mimg;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch:
      return Layout::Flat;
    case Format::Exp:
      return Layout::Exp;
  }
  return Layout::Sop2;
}

/// Leading bits of a form with the opcode field left open, in the first dword.
struct OpcodeField {
  uint32_t prefix, prefix_mask;  ///< values of the fixed bits; 1 for each of them
  uint8_t lo, width;             ///< of the opcode: lowest bit; bits, 0: the format has one opcode
};

constexpr OpcodeField opcode_field(Format format, Form form) {
  if (form == Form::Vop3) return {0xd0000000, 0xfc000000, 16, 10};
  switch (format) {
    case Format::Sop2:
      return {0x80000000, 0xc0000000, 23, 7};
    case Format::Sopk:
      return {0xb0000000, 0xf0000000, 23, 5};
    case Format::Sop1:
      return {0xbe800000, 0xff800000, 8, 8};
    case Format::Sopc:
      return {0xbf000000, 0xff800000, 16, 7};
    case Format::Sopp:
      return {0xbf800000, 0xff800000, 16, 7};
    case Format::Smem:
      return {0xc0000000, 0xfc000000, 18, 8};
    case Format::Vop2:
      return {0, 0x80000000, 25, 6};
    case Format::Vop1:
      return {0x7e000000, 0xfe000000, 9, 8};
    case Format::Vopc:
      return {0x7c000000, 0xfe000000, 17, 8};
    case Format::Vintrp:
      return {0xd4000000, 0xfc000000, 16, 2};
    case Format::Vop3a:
    case Format::Vop3b:
      return {0xd0000000, 0xfc000000, 16, 10};
    case Format::Vop3p:
    case Format::Vop3pMai:
      return {0xd3800000, 0xff800000, 16, 7};
    case Format::Ds:
      return {0xd8000000, 0xfc000000, 17, 8};
    case Format::Mubuf:
      return {0xe0000000, 0xfc000000, 18, 7};
    case Format::Mtbuf:
      return {0xe8000000, 0xfc000000, 15, 4};
    case Format::Mimg:
      return {0xf0000000, 0xfc000000, 18, 7};
    case Format::Flat:
      return {0xdc000000, 0xfc00c000, 18, 7};
    case Format::Scratch:
      return {0xdc004000, 0xfc00c000, 18, 7};
    case Format::Global:
      return {0xdc008000, 0xfc00c000, 18, 7};
    case Format::Exp:
      return {0xc4000000, 0xfc000000, 0, 0};
  }
  return {0, 0, 0, 0};
}

/// First dword with prefix and opcode alone. The row has to exist on the target in that form.
inline uint32_t opcode_bits(const Row& row, Target target, Form form) {
  const unsigned t = index_of(target);
  const uint32_t opcode = form == Form::Vop3 ? row.vop3_opcode[t] : row.opcode[t];
  const OpcodeField field = opcode_field(row.format, form);
  return field.prefix | (field.width == 0 ? 0 : opcode << field.lo);
}

/// Form of an encoding; a literal does not change it.
inline Form form_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::Vop3:
      return Form::Vop3;
    case Encoding::Sdwa:
      return Form::Sdwa;
    case Encoding::Dpp:
      return Form::Dpp;
    default:
      return Form::Native;
  }
}

}  // namespace cuvette::isa
