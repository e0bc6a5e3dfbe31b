// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave_valu_support.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace cuvette::wave::test {

const isa::Row& vop_row(std::string_view mnemonic, isa::Target target) {
  using isa::Format;
  for (const Format format :
       {Format::Vop1, Format::Vop2, Format::Vopc, Format::Vop3a, Format::Vop3b, Format::Vop3p}) {
    const isa::Row* row = isa::find_row(mnemonic, format);
    if (row != nullptr && row->on(target)) return *row;
  }
  throw std::invalid_argument("no VOP row " + std::string(mnemonic));
}

namespace {
std::set<std::string> used;
}
const std::set<std::string>& rows_used() {
  return used;
}

isa::Instruction instruction_of(const Case& c) {
  isa::Instruction in;
  in.row = &vop_row(c.mnemonic, c.target);
  used.insert(isa::row_id(*in.row));
  in.target = c.target;
  in.encoding = c.encoding;
  in.mod = c.mod;
  const auto fill = [](const isa::OperandSpec& spec, unsigned vgpr) {
    isa::Operand operand;
    if (spec.role == isa::Role::None) return operand;
    operand.type = spec.type;
    operand.dwords = spec.dwords;
    operand.read = spec.read;
    operand.write = spec.write;
    if (spec.type == isa::Type::Mask) {
      operand.kind = isa::OperandKind::Sgpr;
      operand.index = isa::kVccLo;
    } else {
      operand.kind = isa::OperandKind::Vgpr;
      operand.index = static_cast<uint16_t>(vgpr);
    }
    return operand;
  };
  for (unsigned i = 0; i < 2; ++i) in.dst[i] = fill(in.row->dst[i], kDestination);
  for (unsigned i = 0; i < 4; ++i) in.src[i] = fill(in.row->src[i], kSourceBase + 8 * i);
  return in;
}

Machine::Machine() : arch(128), acc(16) {
  for (LaneRow& row : arch) row.fill(0);
  for (LaneRow& row : acc) row.fill(0);
  wave.v = {arch.data(), acc.data(), 128, 16};
  wave.alloc.vgprs = 128;
  wave.alloc.accvgprs = 16;
  wave.s.mode.raw = kDefaultMode;
}

Outputs run(const Case& c) {
  Machine m;
  WaveState& wave = m.wave;
  wave.target = c.target;
  wave.s.mode.raw = c.mode;
  wave.s.set_exec(c.exec);
  wave.s.set_vcc(c.vcc);
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned s = 0; s < 3; ++s) {
      m.arch[kSourceBase + 8 * s][lane] = base::lo32(c.src[s][lane]);
      m.arch[kSourceBase + 8 * s + 1][lane] = base::hi32(c.src[s][lane]);
    }
    m.arch[kSourceBase + 18][lane] = base::lo32(c.src2_high[lane]);
    m.arch[kSourceBase + 19][lane] = base::hi32(c.src2_high[lane]);
    m.arch[kDestination][lane] = base::lo32(c.old[lane]);
    m.arch[kDestination + 1][lane] = base::hi32(c.old[lane]);
  }
  const isa::Instruction in = instruction_of(c);
  Outputs out;
  const Outcome outcome = execute_vector(wave, in);
  out.event = outcome.event;
  for (unsigned lane = 0; lane < 64; ++lane) {
    out.dst[lane] = base::join32(m.arch[kDestination][lane], m.arch[kDestination + 1][lane]);
    out.dst_high[lane] =
        base::join32(m.arch[kDestination + 2][lane], m.arch[kDestination + 3][lane]);
  }
  out.mask = wave.s.vcc();
  out.exec = wave.s.exec();
  out.trapsts = wave.s.trapsts;
  return out;
}

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

std::vector<uint64_t> patterns(unsigned width, unsigned count, uint64_t seed) {
  static constexpr uint64_t k16[] = {0,      1,      2,      15,     16,     0x7f,   0x80,   0xff,
                                     0x03ff, 0x0400, 0x3800, 0x3c00, 0x3c01, 0x4000, 0x7bff, 0x7c00,
                                     0x7c01, 0x7e00, 0x7fff, 0x8000, 0x8001, 0x83ff, 0x8400, 0xb800,
                                     0xbc00, 0xfbff, 0xfc00, 0xfd01, 0xfe00, 0xffff};
  static constexpr uint64_t k32[] = {
      0,          1,          2,          31,         32,         0xff,       0xffff,
      0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x0c000000, 0x3e800000, 0x3effffff,
      0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x4b000001,
      0x4effffff, 0x4f000000, 0x4f800000, 0x7e800000, 0x7f7fffff, 0x7f800000, 0x7f800001,
      0x7fc00000, 0x7fffffff, 0x80000000, 0x80000001, 0x807fffff, 0x80800000, 0xbf000000,
      0xbf800000, 0xc0200000, 0xcf000000, 0xcf000001, 0xff7fffff, 0xff800000, 0xffa00001,
      0xffc00000, 0xffffffff};
  static constexpr uint64_t k64[] = {0,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x0010000000000001,
                                     0x3fe0000000000000,
                                     0x3fefffffffffffff,
                                     0x3ff0000000000000,
                                     0x3ff0000000000001,
                                     0x4000000000000000,
                                     0x41dfffffffc00000,
                                     0x41e0000000000000,
                                     0x41f0000000000000,
                                     0x4340000000000001,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0x7ff0000000000001,
                                     0x7ff8000000000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0x8000000000000001,
                                     0x8010000000000000,
                                     0xbff0000000000000,
                                     0xc008000000000000,
                                     0xc1e0000000000000,
                                     0xffefffffffffffff,
                                     0xfff0000000000000,
                                     0xfff4000000000001,
                                     0xfff8000000000000,
                                     0xffffffffffffffff};
  std::vector<uint64_t> all;
  if (width == 16) all.assign(std::begin(k16), std::end(k16));
  if (width == 32) all.assign(std::begin(k32), std::end(k32));
  if (width == 64) all.assign(std::begin(k64), std::end(k64));
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  while (all.size() < count) all.push_back(next_random(state) & base::low_mask(width));
  all.resize(count);
  return all;
}

}  // namespace cuvette::wave::test
