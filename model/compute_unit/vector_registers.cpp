// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/vector_registers.h"

#include <algorithm>

#include "vrf/vrf_model.h"

namespace cuvette::compute_unit {

using isa::Operand;
using isa::OperandKind;
using machine::Cycle;

void VectorRegisters::initialize(const WaveContext& w, const spi::WaveLaunch& r, Cycle now) {
  vrf::Vrf& registers = file_of(w);
  static constexpr wave::LaneRow kZero{};
  static const wave::LaneRow kPoisoned = [] {
    wave::LaneRow row;
    row.fill(vrf::kPoison);
    return row;
  }();
  const wave::LaneRow& blank = poison_ ? kPoisoned : kZero;
  for (const bool acc : {false, true}) {
    const unsigned count = acc ? r.acc_count : r.vgpr_count;
    for (unsigned i = 0; i < count; ++i) {
      const bool named = !acc && i < r.vgprs;
      registers.write(vrf::WritePort::LaunchInit, now, row_of(w, acc, i), ~uint64_t{0},
                      named ? r.vgpr[i] : blank);
    }
  }
}

wave::VectorFile VectorRegisters::operands(const WaveContext& w, const isa::Instruction& i,
                                           Cycle now) {
  if (w.in_place) return w.state.v;
  wave::VectorFile file = view(w);
  if (file.arch != nullptr) return file;
  // Copies of register 0 of each file and of the registers that operands name.
  const Identity& l = w.launch;
  copies_.resize(size_t{l.vgpr_count} + l.acc_count);
  const auto copy = [&](bool acc, unsigned first, unsigned count) {
    const unsigned limit = acc ? l.acc_count : l.vgpr_count;
    for (unsigned r = first; r < std::min(first + count, limit); ++r) {
      read(w, acc, r, now, copies_[(acc ? l.vgpr_count : 0u) + r]);
    }
  };
  copy(false, 0, 1);
  copy(true, 0, 1);
  for (const Operand& o : i.src) {
    if (o.kind != OperandKind::Vgpr && o.kind != OperandKind::Agpr) continue;
    copy(o.kind == OperandKind::Agpr, o.index, o.dwords);
    // The length of an image address depends on the descriptor; offset, x, y, layer and level at
    // most for what this block carries.
    if (i.row->format == isa::Format::Mimg) copy(false, o.index, 5);
  }
  file.arch = copies_.data();
  file.arch_count = l.vgpr_count;
  file.acc = l.acc_count != 0 ? copies_.data() + l.vgpr_count : nullptr;
  file.acc_count = l.acc_count;
  return file;
}

}  // namespace cuvette::compute_unit
