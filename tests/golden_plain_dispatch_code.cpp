// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_code.h"

#include "isa/decode.h"
#include "isa/text.h"

namespace cuvette::golden::plain {
namespace {

enum class Format : uint8_t { Sopp, Sop1, Sop2, Sopc, Smem, Vop1, Vop2, Carry, Vop3, Global };

struct Row {
  const char* mnemonic;
  Format format;
  unsigned opcode;
};

/// In the order of What. Opcodes of Vega ISA chapter 13.
constexpr Row kRows[] = {
    {"s_nop", Format::Sopp, 0},
    {"s_waitcnt", Format::Sopp, 12},
    {"s_endpgm", Format::Sopp, 1},
    {"s_mov_b32", Format::Sop1, 0},
    {"s_add_u32", Format::Sop2, 0},
    {"s_sub_u32", Format::Sop2, 1},
    {"s_addc_u32", Format::Sop2, 4},
    {"s_subb_u32", Format::Sop2, 5},
    {"s_add_i32", Format::Sop2, 2},
    {"s_sub_i32", Format::Sop2, 3},
    {"s_cselect_b32", Format::Sop2, 10},
    {"s_and_b32", Format::Sop2, 12},
    {"s_lshl_b32", Format::Sop2, 28},
    {"s_mul_i32", Format::Sop2, 36},
    {"s_cmp_eq_u32", Format::Sopc, 6},
    {"s_cmp_lg_u32", Format::Sopc, 7},
    {"s_cmp_gt_u32", Format::Sopc, 8},
    {"s_cmp_ge_u32", Format::Sopc, 9},
    {"s_cmp_lt_u32", Format::Sopc, 10},
    {"s_cmp_le_u32", Format::Sopc, 11},
    {"s_load_dword", Format::Smem, 0},
    {"v_mov_b32", Format::Vop1, 1},
    {"v_readfirstlane_b32", Format::Vop1, 2},
    {"v_cvt_f32_u32", Format::Vop1, 6},
    {"v_add_u32", Format::Vop2, 52},
    {"v_sub_u32", Format::Vop2, 53},
    {"v_subrev_u32", Format::Vop2, 54},
    {"v_lshlrev_b32", Format::Vop2, 18},
    {"v_lshlrev_b64", Format::Vop3, 0x28f},
    {"v_mul_lo_u32", Format::Vop3, 0x285},
    {"v_add_co_u32", Format::Carry, 25},
    {"v_sub_co_u32", Format::Carry, 26},
    {"v_addc_co_u32", Format::Carry, 28},
    {"v_subb_co_u32", Format::Carry, 29},
    {"v_add_f32", Format::Vop2, 1},
    {"v_sub_f32", Format::Vop2, 2},
    {"v_mul_f32", Format::Vop2, 5},
    {"v_max_f32", Format::Vop2, 11},
    {"v_mac_f32", Format::Vop2, 22},
    {"v_fmac_f32", Format::Vop2, 59},
    {"v_fma_f32", Format::Vop3, 0x1cb},
    {"global_load_dword", Format::Global, 20},
    {"global_store_dword", Format::Global, 28},
};

const Row& row_of(const Op& op) {
  return kRows[static_cast<unsigned>(op.what)];
}

uint32_t vgpr(const Source& source) {
  return source.code - 256;
}

/// Without the literal.
std::vector<uint32_t> scalar(const Op& op, const Row& row) {
  switch (row.format) {
    case Format::Sopp:
      // Waits for everything; s_nop counts in `offset`.
      return {0xbf800000 | row.opcode << 16 |
              (op.what == What::Nop ? static_cast<uint32_t>(op.offset) : 0)};
    case Format::Sop1:
      return {0xbe800000 | op.d << 16 | row.opcode << 8 | op.a.code};
    case Format::Sop2:
      return {0x80000000 | row.opcode << 23 | op.d << 16 | op.b.code << 8 | op.a.code};
    case Format::Sopc:
      return {0xbf000000 | row.opcode << 16 | op.b.code << 8 | op.a.code};
    default: {
      const uint32_t size = op.dwords == 1 ? 0 : op.dwords == 2 ? 1 : 2;
      const uint32_t immediate = op.by_register ? 0 : 1;
      return {0xc0000000 | size << 18 | immediate << 17 | op.d << 6 | op.base / 2,
              op.by_register ? op.a.code : static_cast<uint32_t>(op.offset) & 0x1fffff};
    }
  }
}

std::vector<uint32_t> vop3(const Op& op, const Row& row) {
  const bool carry = row.format == Format::Carry;
  const uint32_t opcode = row.opcode + (row.format == Format::Vop3 ? 0 : 0x100);
  const bool carry_in = op.what == What::Addc || op.what == What::Subb;
  const uint32_t third = carry_in ? op.mask : op.what == What::FmaF ? op.c.code : 0;
  return {0xd0000000 | opcode << 16 | (op.clamp ? 1u << 15 : 0) |
              (carry ? op.mask << 8 : op.abs << 8) | op.d,
          op.neg << 29 | third << 18 | op.b.code << 9 | op.a.code};
}

std::vector<uint32_t> vector(const Op& op, const Row& row) {
  switch (row.format) {
    case Format::Vop1:
      return {0x7e000000 | op.d << 17 | row.opcode << 9 | op.a.code};
    case Format::Global:
      return {0xdc008000 | (row.opcode + op.dwords - 1) << 18 |
                  (static_cast<uint32_t>(op.offset) & 0x1fff),
              (op.what == What::Load ? op.d << 24 : op.d << 8) | op.base << 16 | vgpr(op.a)};
    case Format::Vop3:
      return vop3(op, row);
    default:
      if (op.wide) return vop3(op, row);
      return {row.opcode << 25 | op.d << 17 | vgpr(op.b) << 9 | op.a.code};
  }
}

}  // namespace

std::string mnemonic(const Op& op) {
  constexpr const char* kSizes[] = {"", "x2", "x3", "x4"};
  const std::string name = row_of(op).mnemonic;
  const bool sized = op.what == What::SLoad || op.what == What::Load || op.what == What::Store;
  return sized ? name + kSizes[op.dwords - 1] : name;
}

std::vector<uint32_t> words_of(const std::vector<Op>& ops) {
  std::vector<uint32_t> out;
  for (const Op& op : ops) {
    const Row& row = row_of(op);
    const auto words = row.format <= Format::Smem ? scalar(op, row) : vector(op, row);
    out.insert(out.end(), words.begin(), words.end());
    for (const Source* source : {&op.a, &op.b}) {
      if (source->code == 255) out.push_back(source->literal);
    }
  }
  return out;
}

std::string text_of(const std::vector<Op>& ops) {
  const std::vector<uint32_t> words = words_of(ops);
  std::string out;
  for (size_t at = 0; at < words.size();) {
    const isa::Decoded d = isa::decode(isa::Target::Gfx908, &words[at], words.size() - at);
    const bool known = d.status == isa::DecodeStatus::Legal;
    out += (known ? isa::text(d.instruction) : std::string("?")) + "\n";
    at += d.length;
  }
  return out;
}

}  // namespace cuvette::golden::plain
