// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_code.h"

#include "isa/decode.h"
#include "isa/text.h"

namespace cuvette::golden::plain {
namespace {

enum class Format : uint8_t { Sopp, Sop1, Sop2, Sopc, Smem, Vop1, Vop2, Carry, Vopc, Vop3, Global };

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
    {"s_or_b32", Format::Sop2, 14},
    {"s_ashr_i32", Format::Sop2, 32},
    {"s_lshr_b32", Format::Sop2, 30},
    {"s_mov_b64", Format::Sop1, 1},
    {"s_not_b64", Format::Sop1, 5},
    {"s_and_b64", Format::Sop2, 13},
    {"s_or_b64", Format::Sop2, 15},
    {"s_xor_b64", Format::Sop2, 17},
    {"s_andn2_b64", Format::Sop2, 19},
    {"s_lshl_b64", Format::Sop2, 29},
    {"s_ashr_i64", Format::Sop2, 33},
    {"s_and_saveexec_b64", Format::Sop1, 32},
    {"s_or_saveexec_b64", Format::Sop1, 33},
    {"s_xor_saveexec_b64", Format::Sop1, 34},
    {"s_andn2_saveexec_b64", Format::Sop1, 35},
    {"s_andn1_saveexec_b64", Format::Sop1, 51},
    {"s_branch", Format::Sopp, 2},
    {"s_cbranch_scc0", Format::Sopp, 4},
    {"s_cbranch_scc1", Format::Sopp, 5},
    {"s_cbranch_vccz", Format::Sopp, 6},
    {"s_cbranch_vccnz", Format::Sopp, 7},
    {"s_cbranch_execz", Format::Sopp, 8},
    {"s_cbranch_execnz", Format::Sopp, 9},
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
    {"v_mul_hi_u32", Format::Vop3, 0x286},
    {"v_mul_u32_u24", Format::Vop2, 8},
    {"v_and_b32", Format::Vop2, 19},
    {"v_or_b32", Format::Vop2, 20},
    {"v_xor_b32", Format::Vop2, 21},
    {"v_ashrrev_i32", Format::Vop2, 17},
    {"v_lshrrev_b32", Format::Vop2, 16},
    {"v_min_u32", Format::Vop2, 14},
    {"v_ashrrev_i64", Format::Vop3, 0x291},
    {"v_mbcnt_lo_u32_b32", Format::Vop3, 0x28c},
    {"v_mbcnt_hi_u32_b32", Format::Vop3, 0x28d},
    {"v_lshl_add_u32", Format::Vop3, 0x1fd},
    {"v_lshl_or_b32", Format::Vop3, 0x200},
    {"v_add3_u32", Format::Vop3, 0x1ff},
    {"v_add_lshl_u32", Format::Vop3, 0x1fe},
    {"v_and_or_b32", Format::Vop3, 0x201},
    {"v_mad_u32_u24", Format::Vop3, 0x1c3},
    {"v_bfe_u32", Format::Vop3, 0x1c8},
    {"v_lshl_add_u64", Format::Vop3, 0x208},
    {"v_cndmask_b32", Format::Vop2, 0},
    {"v_cmp", Format::Vopc, 0},
    {"v_cmpx", Format::Vopc, 16},
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

/// Rows of 8 for each type, those of 64 bits behind a gap.
unsigned compare_opcode(const Op& op, const Row& row) {
  constexpr unsigned kTypes[] = {0xc0, 0xc8, 0xe0, 0xe8};
  return row.opcode + kTypes[static_cast<unsigned>(op.type)] + static_cast<unsigned>(op.cond);
}

/// Without the literal.
std::vector<uint32_t> scalar(const Op& op, const Row& row) {
  switch (row.format) {
    case Format::Sopp:
      // Waits for everything; s_nop counts in `offset`; branches get their distance later.
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
  if (row.format == Format::Vopc) {
    return {0xd0000000 | compare_opcode(op, row) << 16 | op.mask, op.b.code << 9 | op.a.code};
  }
  const bool carry = row.format == Format::Carry;
  const uint32_t opcode = row.opcode + (row.format == Format::Vop3 ? 0 : 0x100);
  const bool mask_in = op.what == What::Addc || op.what == What::Subb || op.what == What::Cndmask;
  const bool three = op.what == What::FmaF || has_third_source(op.what);
  const uint32_t third = mask_in ? op.mask : three ? op.c.code : 0;
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
    case Format::Vopc:
      if (op.wide) return vop3(op, row);
      return {0x7c000000 | compare_opcode(op, row) << 17 | vgpr(op.b) << 9 | op.a.code};
    default:
      if (op.wide) return vop3(op, row);
      return {row.opcode << 25 | op.d << 17 | vgpr(op.b) << 9 | op.a.code};
  }
}

/// Branches go to the beginning of the code.
std::vector<uint32_t> words_of(const Op& op) {
  const Row& row = row_of(op);
  auto words = row.format <= Format::Smem ? scalar(op, row) : vector(op, row);
  for (const Source* source : {&op.a, &op.b}) {
    if (source->code == 255) words.push_back(source->literal);
  }
  return words;
}

}  // namespace

std::string mnemonic(const Op& op) {
  constexpr const char* kSizes[] = {"", "x2", "x3", "x4"};
  constexpr const char* kConds[] = {"_f", "_lt", "_eq", "_le", "_gt", "_ne", "_ge", "_t"};
  constexpr const char* kTypes[] = {"_i32", "_u32", "_i64", "_u64"};
  const std::string name = row_of(op).mnemonic;
  if (op.what == What::Cmp || op.what == What::Cmpx) {
    return name + kConds[static_cast<unsigned>(op.cond)] + kTypes[static_cast<unsigned>(op.type)];
  }
  const bool sized = op.what == What::SLoad || op.what == What::Load || op.what == What::Store;
  return sized ? name + kSizes[op.dwords - 1] : name;
}

std::vector<size_t> places_of(const std::vector<Op>& ops) {
  std::vector<size_t> out = {0};
  for (const Op& op : ops) out.push_back(out.back() + words_of(op).size());
  return out;
}

std::vector<uint32_t> words_of(const std::vector<Op>& ops) {
  const std::vector<size_t> places = places_of(ops);
  std::vector<uint32_t> out;
  for (const Op& op : ops) {
    const auto words = words_of(op);
    out.insert(out.end(), words.begin(), words.end());
    // In words, from the next instruction on.
    if (!is_branch(op.what)) continue;
    out.back() |= static_cast<uint32_t>(places[op.target] - out.size()) & 0xffff;
  }
  return out;
}

std::string text_of(const std::vector<Op>& ops, isa::Target target) {
  const std::vector<uint32_t> words = words_of(ops);
  std::string out;
  for (size_t at = 0; at < words.size();) {
    const isa::Decoded d = isa::decode(target, &words[at], words.size() - at);
    const bool known = d.status == isa::DecodeStatus::Legal;
    out += (known ? isa::text(d.instruction) : std::string("?")) + "\n";
    at += d.length;
  }
  return out;
}

}  // namespace cuvette::golden::plain
