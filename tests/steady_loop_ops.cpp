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

constexpr uint32_t kEndProgram = 0xbf810000, kWaitcnt = 0xbf8c0f70, kNop = 0xbf800000;
constexpr const char* kNames[] = {
    "v_mov_b32",     "v_xor_b32",       "v_add_u32",    "v_sub_u32",       "v_subrev_u32",
    "v_lshlrev_b32", "v_lshlrev_b64",   "v_add_f32",    "v_sub_f32",       "v_mul_f32",
    "v_fmac_f32",    "v_add_co_u32",    "v_sub_co_u32", "v_subrev_co_u32", "v_addc_co_u32",
    "v_subb_co_u32", "v_subbrev_co_u32"};

/// F32 in the default mode, to nearest with subnormals: the host's numbers, the machine's NaNs.
uint32_t evaluate_float(Do what, uint32_t a, uint32_t b, uint32_t d) {
  const auto number = [](uint32_t x) { return std::bit_cast<float>(x); };
  const uint32_t sources[] = {a, b, d};
  for (unsigned n = 0; n < (what == Do::Fmac ? 3 : 2); ++n) {
    if (std::isnan(number(sources[n]))) return sources[n] | 0x00400000;
  }
  const float result = what == Do::AddF   ? number(a) + number(b)
                       : what == Do::SubF ? number(a) - number(b)
                       : what == Do::MulF ? number(a) * number(b)
                                          : std::fma(number(a), number(b), number(d));
  return std::isnan(result) ? 0x7fc00000 : std::bit_cast<uint32_t>(result);
}

void evaluate_valu(const Op& op, State& state) {
  const uint64_t exec = state.pair(isa::kExecLo), carries = state.pair(op.mask);
  const Registers before = state;
  uint64_t out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const uint64_t a = before.read(op.a, lane), b = before.read(op.b, lane);
    const uint64_t c = carries >> lane & 1;
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
        d = (b | uint64_t{before.rows[op.b.value + 1][lane]} << 32) << (a & 63);
        state.rows[op.d + 1][lane] = static_cast<uint32_t>(d >> 32);
        break;
      case Do::AddF:
      case Do::SubF:
      case Do::MulF:
      case Do::Fmac:
        d = evaluate_float(op.what, static_cast<uint32_t>(a), static_cast<uint32_t>(b),
                           before.rows[op.d][lane]);
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
        d = a + b + c;
        break;
      case Do::Subb:
        d = a - b - c;
        break;
      case Do::Subbrev:
        d = b - a - c;
        break;
    }
    state.rows[op.d][lane] = static_cast<uint32_t>(d);
    if (d >> 32 != 0) out |= uint64_t{1} << lane;
  }
  if (op.what >= Do::AddCo) state.set_pair(op.mask, out);
}

void evaluate_memory(const Op& op, State& state, const PartsMemory& memory) {
  const uint64_t exec = state.pair(isa::kExecLo);
  const Registers before = state;
  bool violation = false;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    uint64_t address = before.rows[op.a.value][lane];
    if (!op.lds) {
      address += op.based ? before.pair(kBase) : uint64_t{before.rows[op.a.value + 1][lane]} << 32;
      address += static_cast<uint64_t>(int64_t{op.offset});
    } else {
      address = (address + static_cast<uint64_t>(int64_t{op.offset})) & 0xffffffff;
    }
    bool possible = op.lds ? address + 4 * op.dwords <= kLdsBytes : true;
    for (unsigned n = 0; n < 4 * op.dwords && !op.lds; ++n) {
      possible = possible && memory.allows(address + n, op.store);
    }
    violation = violation || !possible;
    uint8_t* const there = !possible ? nullptr
                           : op.lds  ? &state.lds[address]
                                     : &state.memory[address - memory.begin];
    for (unsigned n = 0; n < op.dwords; ++n) {
      if (op.store) {
        if (there != nullptr) std::memcpy(there + 4 * n, &before.rows[op.d + n][lane], 4);
      } else {
        uint32_t value = 0;
        if (there != nullptr) std::memcpy(&value, there + 4 * n, 4);
        state.rows[op.d + n][lane] = value;
      }
    }
  }
  if (violation) state.trapsts |= wave::kMemViol;
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

void append_scalar(const char* mnemonic, Format format, std::initializer_list<Operand> operands,
                   std::vector<uint32_t>& words) {
  isa::Instruction i = instruction(mnemonic, format);
  auto next = operands.begin();
  for (unsigned n = 0; n < 2; ++n) {
    if (i.row->dst[n].role == Role::Sdst) i.dst[n] = operand_of(*next++);
  }
  for (unsigned n = 0; n < 4; ++n) {
    if (i.row->src[n].role != Role::None && next != operands.end()) i.src[n] = operand_of(*next++);
  }
  append(i, words);
}

}  // namespace

State evaluate(const std::vector<Op>& body, State state, const PartsMemory& memory) {
  do {
    for (const Op& op : body) {
      ++state.instructions;
      if (op.kind == Op::Valu) evaluate_valu(op, state);
      if (op.kind == Op::Memory) evaluate_memory(op, state, memory);
      if (op.kind == Op::ScalarAdd) {
        const uint64_t sum = uint64_t{state.sgpr[op.a.value]} + state.sgpr[op.b.value];
        state.sgpr[op.d] = static_cast<uint32_t>(sum);
        state.scc = sum >> 32 != 0;
      }
    }
    state.instructions += 3;
    --state.sgpr[kCounter];
    state.scc = state.sgpr[kCounter] != 0;
  } while (state.scc);
  ++state.instructions;
  return state;
}

void append_op(const Op& op, std::vector<uint32_t>& words) {
  if (op.kind == Op::Nothing) {
    words.push_back(op.d % 2 == 0 ? kWaitcnt : kNop);
    return;
  }
  if (op.kind == Op::ScalarAdd) {
    append_scalar("s_add_u32", Format::Sop2, {s(op.d), op.a, op.b}, words);
    return;
  }
  if (op.kind == Op::Valu) {
    const Format format = op.what == Do::Mov     ? Format::Vop1
                          : op.what == Do::Shl64 ? Format::Vop3a
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
      i.src[2] = op.what == Do::Fmac ? operand_of(v(op.d)) : mask;
    }
    const bool short_form = op.mask == kVcc && op.b.kind == Operand::Vgpr;
    if (!short_form && op.what != Do::Shl64) i.encoding = isa::Encoding::Vop3;
    append(i, words);
    return;
  }
  constexpr const char* kSizes[] = {"", "x2", "x3", "x4"};
  const std::string mnemonic =
      op.lds ? std::string(op.store ? "ds_write_b" : "ds_read_b") + std::to_string(32 * op.dwords)
             : std::string(op.store ? "global_store_dword" : "global_load_dword") +
                   kSizes[op.dwords - 1];
  isa::Instruction i = instruction(mnemonic.c_str(), op.lds ? Format::Ds : Format::Global);
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
      operand.index = kBase;
    } else if (spec.role != Role::Data0 && spec.role != Role::Vdst) {
      operand = {};
    }
  };
  for (unsigned n = 0; n < 2; ++n) set(i.row->dst[n], i.dst[n]);
  for (unsigned n = 0; n < 4; ++n) set(i.row->src[n], i.src[n]);
  append(i, words);
}

std::vector<uint32_t> program_of(const std::vector<Op>& body) {
  std::vector<uint32_t> words;
  for (const Op& op : body) append_op(op, words);
  append_scalar("s_sub_u32", Format::Sop2, {s(kCounter), s(kCounter), s(kOne)}, words);
  append_scalar("s_cmp_lg_u32", Format::Sopc, {s(kCounter), s(kZero)}, words);
  const auto back = static_cast<uint16_t>(-static_cast<int>(words.size()) - 1);
  words.push_back(0xbf850000u | back);  // s_cbranch_scc1
  words.push_back(kEndProgram);
  return words;
}

}  // namespace cuvette::golden::steady
