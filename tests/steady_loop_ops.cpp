// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "steady_loop_ops.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "isa/encode.h"

namespace cuvette::golden::steady {
namespace {

using isa::Format;
using isa::OperandKind;
using isa::Role;

constexpr uint32_t kEndProgram = 0xbf810000, kWaitcnt = 0xbf8c0f70, kNop = 0xbf800000,
                   kBranchScc0 = 0xbf840000, kBranchScc1 = 0xbf850000;
constexpr const char* kNames[] = {
    "v_mov_b32",     "v_xor_b32",     "v_add_u32",       "v_sub_u32",    "v_subrev_u32",
    "v_lshlrev_b32", "v_lshlrev_b64", "v_add_f32",       "v_sub_f32",    "v_mul_f32",
    "v_fmac_f32",    "v_fma_f32",     "v_add_co_u32",    "v_sub_co_u32", "v_subrev_co_u32",
    "v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32"};
constexpr const char* kScalarNames[] = {
    "s_add_u32",    "s_sub_u32",    "s_add_i32",    "s_sub_i32",    "s_addc_u32",   "s_subb_u32",
    "s_mov_b32",    "s_cmp_eq_i32", "s_cmp_lg_i32", "s_cmp_gt_i32", "s_cmp_ge_i32", "s_cmp_lt_i32",
    "s_cmp_le_i32", "s_cmp_eq_u32", "s_cmp_lg_u32", "s_cmp_gt_u32", "s_cmp_ge_u32", "s_cmp_lt_u32",
    "s_cmp_le_u32", "s_cmp_eq_u64", "s_cmp_lg_u64"};

/// F32 in the default mode, to nearest with subnormals: the host's numbers, the machine's NaNs.
uint32_t evaluate_float(Do what, uint32_t a, uint32_t b, uint32_t c) {
  const auto number = [](uint32_t x) { return std::bit_cast<float>(x); };
  const uint32_t sources[] = {a, b, c};
  for (unsigned n = 0; n < (what >= Do::Fmac ? 3 : 2); ++n) {
    if (std::isnan(number(sources[n]))) return sources[n] | 0x00400000;
  }
  const float result = what == Do::AddF   ? number(a) + number(b)
                       : what == Do::SubF ? number(a) - number(b)
                       : what == Do::MulF ? number(a) * number(b)
                                          : std::fma(number(a), number(b), number(c));
  return std::isnan(result) ? 0x7fc00000 : std::bit_cast<uint32_t>(result);
}

void evaluate_valu(const Op& op, State& state) {
  const uint64_t exec = state.pair(isa::kExecLo), carries = state.pair(op.mask);
  uint64_t out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const uint64_t a = state.read(op.a, lane), b = state.read(op.b, lane);
    const uint64_t carry = carries >> lane & 1;
    uint64_t d = 0;
    switch (op.what) {
      case Do::Mov:
        d = a;
        break;
      case Do::Xor:
        d = a ^ b;
        break;
      case Do::Add:
      case Do::AddCo:
        d = a + b;
        break;
      case Do::Shl:
        d = b << (a & 31) & 0xffffffff;
        break;
      case Do::Shl64:
        d = (b | uint64_t{state.rows[op.b.value + 1][lane]} << 32) << (a & 63);
        state.rows[op.d + 1][lane] = static_cast<uint32_t>(d >> 32);
        break;
      case Do::AddF:
      case Do::SubF:
      case Do::MulF:
      case Do::Fmac:
      case Do::Fma:
        d = evaluate_float(op.what, static_cast<uint32_t>(a), static_cast<uint32_t>(b),
                           op.what == Do::Fma ? state.read(op.c, lane) : state.rows[op.d][lane]);
        break;
      case Do::Sub:
      case Do::SubCo:
        d = a - b;
        break;
      case Do::Subrev:
      case Do::SubrevCo:
        d = b - a;
        break;
      case Do::Addc:
        d = a + b + carry;
        break;
      case Do::Subb:
        d = a - b - carry;
        break;
      case Do::Subbrev:
        d = b - a - carry;
        break;
    }
    state.rows[op.d][lane] = static_cast<uint32_t>(d);
    if (d >> 32 != 0) out |= uint64_t{1} << lane;
  }
  if (op.what >= Do::AddCo) state.set_pair(op.mask, out);
}

bool allows(const PartsMemory& memory, uint64_t address, unsigned bytes, bool write) {
  const uint64_t at = address - memory.begin;
  for (const PartsMemory::Part& part : memory.parts) {
    if (at >= part.begin && at < part.end && part.end - at >= bytes) return part.writable || !write;
  }
  for (unsigned n = 0; n < bytes; ++n) {
    if (!memory.allows(address + n, write)) return false;
  }
  return true;
}

/// Where a lane's access goes; null: nowhere.
uint8_t* place_of(const Op& op, State& state, const PartsMemory& memory, unsigned lane) {
  uint64_t address = state.rows[op.a.value][lane];
  const auto offset = static_cast<uint64_t>(int64_t{op.offset});
  if (op.lds) {
    address = (address + offset) & 0xffffffff;
    return address + 4 * op.dwords <= kLdsBytes ? &state.lds[address] : nullptr;
  }
  address += op.based ? state.pair(op.base) : uint64_t{state.rows[op.a.value + 1][lane]} << 32;
  // FLAT: the address without the offset says whether LDS is meant (decision D54).
  const bool shared = op.flat && address >> 32 == state.aperture >> 32;
  address += offset;
  if (shared) {
    const uint64_t inside = address - state.aperture;
    return inside + 4 * op.dwords <= kLdsBytes ? &state.lds[inside] : nullptr;
  }
  if (!allows(memory, address, 4 * op.dwords, op.store)) return nullptr;
  return &state.memory[address - memory.begin];
}

void evaluate_memory(const Op& op, State& state, const PartsMemory& memory) {
  const uint64_t exec = state.pair(isa::kExecLo);
  bool violation = false;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    uint8_t* const there = place_of(op, state, memory, lane);
    violation = violation || there == nullptr;
    for (unsigned n = 0; n < op.dwords; ++n) {
      if (op.store) {
        if (there != nullptr) std::memcpy(there + 4 * n, &state.rows[op.d + n][lane], 4);
      } else {
        uint32_t value = 0;
        if (there != nullptr) std::memcpy(&value, there + 4 * n, 4);
        state.rows[op.d + n][lane] = value;
      }
    }
  }
  if (violation) state.trapsts |= wave::kMemViol;
}

/// What a compare finds; equality is the same for both kinds of numbers.
bool evaluate_compare(const Op& op, const State& state) {
  if (op.scalar >= Salu::EqU64) {
    const bool equal = state.pair(op.a.value) == state.pair(op.b.value);
    return equal == (op.scalar == Salu::EqU64);
  }
  const bool is_signed = op.scalar < Salu::EqU;
  const auto number = [&](const Operand& o) {
    const uint32_t bits = state.read(o, 0);
    return is_signed ? int64_t{static_cast<int32_t>(bits)} : int64_t{bits};
  };
  const int64_t a = number(op.a), b = number(op.b);
  switch (static_cast<unsigned>(op.scalar) -
          static_cast<unsigned>(is_signed ? Salu::EqI : Salu::EqU)) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a > b;
    case 3:
      return a >= b;
    case 4:
      return a < b;
    default:
      return a <= b;
  }
}

void evaluate_scalar(const Op& op, State& state) {
  if (op.scalar >= Salu::EqI) {
    state.scc = evaluate_compare(op, state);
    return;
  }
  const uint32_t a = state.read(op.a, 0), b = state.read(op.b, 0);
  if (op.scalar == Salu::Mov) {
    state.sgpr[op.d] = a;
    return;
  }
  const bool minus = op.scalar == Salu::SubU || op.scalar == Salu::SubI || op.scalar == Salu::Subb;
  const bool with_carry = op.scalar == Salu::Addc || op.scalar == Salu::Subb;
  const auto sum = [&](int64_t x, int64_t y) {
    const int64_t carry = with_carry && state.scc ? 1 : 0;
    return minus ? x - y - carry : x + y + carry;
  };
  if (op.scalar == Salu::AddI || op.scalar == Salu::SubI) {
    const int64_t exact = sum(static_cast<int32_t>(a), static_cast<int32_t>(b));
    state.sgpr[op.d] = static_cast<uint32_t>(exact);
    state.scc = exact != static_cast<int32_t>(exact);
  } else {
    const int64_t exact = sum(a, b);
    state.sgpr[op.d] = static_cast<uint32_t>(exact);
    state.scc = exact != static_cast<uint32_t>(exact);
  }
}

void evaluate_op(const Op& op, State& state, const PartsMemory& memory) {
  switch (op.kind) {
    case Op::Valu:
      return evaluate_valu(op, state);
    case Op::Memory:
      return evaluate_memory(op, state, memory);
    case Op::Scalar:
      return evaluate_scalar(op, state);
    case Op::Nothing:
      return;
  }
}

isa::Operand operand_of(const Operand& o) {
  isa::Operand out;
  out.dwords = 1;
  out.index = static_cast<uint16_t>(o.kind == Operand::Constant ? 128 + o.value : o.value);
  out.value = o.kind == Operand::Constant ? o.value : 0;
  out.kind = o.kind == Operand::Vgpr   ? OperandKind::Vgpr
             : o.kind == Operand::Sgpr ? OperandKind::Sgpr
                                       : OperandKind::Inline;
  return out;
}

void append(isa::Instruction& i, std::vector<uint32_t>& words) {
  for (unsigned n = 0; n < 2; ++n) i.dst[n].type = i.row->dst[n].type;
  for (unsigned n = 0; n < 4; ++n) i.src[n].type = i.row->src[n].type;
  const auto status = isa::encode(i);
  ASSERT_TRUE(status.ok()) << i.row->mnemonic << ": " << status.error().str();
  words.insert(words.end(), i.words, i.words + i.length);
}

isa::Instruction instruction(const char* mnemonic, Format format) {
  isa::Instruction i;
  i.row = isa::find_row(mnemonic, format);
  EXPECT_NE(i.row, nullptr) << mnemonic;
  i.target = kTarget;
  return i;
}

void append_scalar(const Op& op, std::vector<uint32_t>& words) {
  const Format format = op.scalar == Salu::Mov   ? Format::Sop1
                        : op.scalar >= Salu::EqI ? Format::Sopc
                                                 : Format::Sop2;
  isa::Instruction i = instruction(kScalarNames[static_cast<unsigned>(op.scalar)], format);
  const Operand sources[] = {op.a, op.b};
  if (i.row->dst[0].role == Role::Sdst) i.dst[0] = operand_of(s(op.d));
  for (unsigned n = 0; n < 2; ++n) {
    if (i.row->src[n].role == Role::None) continue;
    i.src[n] = operand_of(sources[n]);
    i.src[n].dwords = i.row->src[n].dwords;
  }
  append(i, words);
}

}  // namespace

Loop counted(std::vector<Op> body) {
  body.push_back(scalar(Salu::SubU, kCounter, s(kCounter), s(kOne)));
  body.push_back(scalar(Salu::LgU, 0, s(kCounter), s(kZero)));
  return {std::move(body), true};
}

State evaluate(const Loop& loop, State state, const PartsMemory& memory, uint64_t limit) {
  const size_t branch = loop.body.size(), end = branch + 1;
  for (; state.next <= end && state.instructions < limit; ++state.instructions) {
    if (state.next < branch) evaluate_op(loop.body[state.next], state, memory);
    const bool again = state.next == branch && state.scc == loop.again;
    state.next = again ? 0 : state.next + 1;
  }
  return state;
}

void append_op(const Op& op, std::vector<uint32_t>& words) {
  if (op.kind == Op::Nothing) {
    words.push_back(op.d % 2 == 0 ? kWaitcnt : kNop);
    return;
  }
  if (op.kind == Op::Scalar) {
    append_scalar(op, words);
    return;
  }
  if (op.kind == Op::Valu) {
    const Format format = op.what == Do::Mov                           ? Format::Vop1
                          : op.what == Do::Shl64 || op.what == Do::Fma ? Format::Vop3a
                                                                       : Format::Vop2;
    isa::Instruction i = instruction(kNames[static_cast<unsigned>(op.what)], format);
    isa::Operand mask = operand_of(s(op.mask));
    mask.dwords = 2;
    i.dst[0] = operand_of(v(op.d));
    i.src[0] = operand_of(op.a);
    if (op.what != Do::Mov) i.src[1] = operand_of(op.b);
    if (op.what == Do::Shl64) i.dst[0].dwords = i.src[1].dwords = 2;
    if (i.row->dst[1].role != Role::None) i.dst[1] = mask;
    if (i.row->src[2].role != Role::None) {
      i.src[2] = op.what == Do::Fmac  ? operand_of(v(op.d))
                 : op.what == Do::Fma ? operand_of(op.c)
                                      : mask;
    }
    const bool short_form = op.mask == kVcc && op.b.kind == Operand::Vgpr;
    if (!short_form && format != Format::Vop3a) i.encoding = isa::Encoding::Vop3;
    append(i, words);
    return;
  }
  constexpr const char* kSizes[] = {"", "x2", "x3", "x4"};
  const std::string mnemonic =
      op.lds ? std::string(op.store ? "ds_write_b" : "ds_read_b") + std::to_string(32 * op.dwords)
             : std::string(op.flat ? "flat" : "global") +
                   (op.store ? "_store_dword" : "_load_dword") + kSizes[op.dwords - 1];
  isa::Instruction i = instruction(mnemonic.c_str(), op.lds    ? Format::Ds
                                                     : op.flat ? Format::Flat
                                                               : Format::Global);
  i.mem.offset = op.offset;
  const auto set = [&](const isa::OperandSpec& spec, isa::Operand& operand) {
    operand.type = spec.type;
    operand.dwords = spec.dwords;
    operand.kind = OperandKind::Vgpr;
    operand.index = static_cast<uint16_t>(op.d);
    if (spec.role == Role::Addr) {
      operand.index = static_cast<uint16_t>(op.a.value);
      if (!op.lds) operand.dwords = op.based ? 1 : 2;
    } else if (spec.role == Role::Saddr) {
      operand.kind = op.based ? OperandKind::Sgpr : OperandKind::Off;
      operand.index = static_cast<uint16_t>(op.base);
    } else if (spec.role != Role::Data0 && spec.role != Role::Vdst) {
      operand = {};
    }
  };
  for (unsigned n = 0; n < 2; ++n) set(i.row->dst[n], i.dst[n]);
  for (unsigned n = 0; n < 4; ++n) set(i.row->src[n], i.src[n]);
  append(i, words);
}

Code code_of(const Loop& loop) {
  Code out;
  for (const Op& op : loop.body) {
    out.begins.push_back(out.words.size());
    append_op(op, out.words);
  }
  out.begins.push_back(out.words.size());
  const auto back = static_cast<uint16_t>(-static_cast<int>(out.words.size()) - 1);
  out.words.push_back((loop.again ? kBranchScc1 : kBranchScc0) | back);
  out.begins.push_back(out.words.size());
  out.words.push_back(kEndProgram);
  return out;
}

namespace {

std::string text_of(const Operand& o) {
  return (o.kind == Operand::Vgpr   ? "v"
          : o.kind == Operand::Sgpr ? "s"
                                    : "") +
         std::to_string(o.value);
}

std::string text_of(const Op& op) {
  switch (op.kind) {
    case Op::Nothing:
      return "nothing";
    case Op::Scalar:
      return std::string(kScalarNames[static_cast<unsigned>(op.scalar)]) + " s" +
             std::to_string(op.d) + ", " + text_of(op.a) + ", " + text_of(op.b);
    case Op::Valu:
      return std::string(kNames[static_cast<unsigned>(op.what)]) + " v" + std::to_string(op.d) +
             ", " + text_of(op.a) + ", " + text_of(op.b) + ", " + text_of(op.c) + " mask s" +
             std::to_string(op.mask);
    case Op::Memory:
      break;
  }
  return std::string(op.lds    ? "lds"
                     : op.flat ? "flat"
                               : "global") +
         (op.store ? " store" : " load") + " x" + std::to_string(op.dwords) + " v" +
         std::to_string(op.d) + " at " + text_of(op.a) +
         (op.based ? " + s" + std::to_string(op.base) : "") + " + " + std::to_string(op.offset);
}

}  // namespace

std::string text_of(const Loop& loop) {
  std::string out;
  for (const Op& op : loop.body) out += text_of(op) + "\n";
  return out + (loop.again ? "again with SCC" : "again without SCC") + "\n";
}

}  // namespace cuvette::golden::steady
