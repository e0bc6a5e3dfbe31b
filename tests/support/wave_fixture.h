// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/instruction.h"
#include "isa/registers.h"
#include "wave/execute.h"

// One wave with its registers, and instructions built from rows without a decoder, so that a test
// of semantics depends on nothing else.
namespace cuvette::wave::testing {

struct Wave {
  std::vector<LaneRow> v = std::vector<LaneRow>(256);
  std::vector<LaneRow> a = std::vector<LaneRow>(256);
  WaveState state;

  explicit Wave(isa::Target target = isa::Target::Gfx908) {
    state.target = target;
    state.v.arch = v.data();
    state.v.acc = a.data();
    state.v.arch_count = 256;
    state.v.acc_count = 256;
    state.s.mode.raw = kDefaultMode;
    state.s.set_exec(~uint64_t{0});
  }
  uint32_t& sgpr(unsigned n) { return state.s.sgpr[n]; }
};

inline isa::Operand operand(isa::OperandKind kind, unsigned index, uint64_t value = 0) {
  isa::Operand o;
  o.kind = kind;
  o.index = static_cast<uint16_t>(index);
  o.value = value;
  return o;
}
inline isa::Operand sgpr(unsigned n) {
  return operand(isa::OperandKind::Sgpr, n);
}
inline isa::Operand vgpr(unsigned n) {
  return operand(isa::OperandKind::Vgpr, n);
}
inline isa::Operand agpr(unsigned n) {
  return operand(isa::OperandKind::Agpr, n);
}
inline isa::Operand special(unsigned code) {
  return operand(isa::OperandKind::Special, code);
}
inline isa::Operand constant(uint64_t value) {
  return operand(isa::OperandKind::Inline, 0, value);
}
inline isa::Operand immediate(uint64_t value) {
  return operand(isa::OperandKind::Immediate, 0, value);
}
inline isa::Operand off() {
  return operand(isa::OperandKind::Off, 0);
}

/// A row by mnemonic, of whatever format has it first.
inline const isa::Row& row_of(const std::string& mnemonic) {
  for (const isa::Row& row : isa::rows()) {
    if (row.mnemonic == mnemonic ||
        (!row.mnemonic_gfx942.empty() && row.mnemonic_gfx942 == mnemonic)) {
      return row;
    }
  }
  throw std::runtime_error("no row " + mnemonic);
}

/// An instruction under construction: operands by their place in the row.
struct Build {
  isa::Instruction i;

  explicit Build(const std::string& mnemonic, isa::Target target = isa::Target::Gfx908) {
    i.row = &row_of(mnemonic);
    i.target = target;
    i.length = 1;
  }
  Build& dst(const isa::Operand& o, unsigned n = 0) {
    i.dst[n] = shaped(o, i.row->dst[n]);
    return *this;
  }
  Build& src(unsigned n, const isa::Operand& o) {
    i.src[n] = shaped(o, i.row->src[n]);
    return *this;
  }
  /// Fills the source (or destination) with this role; a row without it is an error of the test.
  Build& role(isa::Role role, const isa::Operand& o) {
    bool found = false;
    for (unsigned n = 0; n < 2; ++n) {
      if (i.row->dst[n].role == role) {
        dst(o, n);
        found = true;
      }
    }
    for (unsigned n = 0; n < 4; ++n) {
      if (i.row->src[n].role == role) {
        src(n, o);
        found = true;
      }
    }
    if (!found) throw std::runtime_error(std::string(i.row->mnemonic) + " lacks an operand");
    return *this;
  }
  Build& simm(uint16_t value) {
    i.words[0] = (i.words[0] & 0xffff0000u) | value;
    return *this;
  }

 private:
  static isa::Operand shaped(isa::Operand o, const isa::OperandSpec& spec) {
    o.type = spec.type;
    o.dwords = spec.dwords;
    o.read = spec.read;
    o.write = spec.write;
    return o;
  }
};

}  // namespace cuvette::wave::testing
