// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "golden/wave.h"
#include "isa/instruction.h"

namespace cuvette::bench {

/// A register operand of a program under construction.
struct Register {
  isa::OperandKind kind = isa::OperandKind::Vgpr;
  unsigned index = 0;
};
inline Register v(unsigned index) {
  return {isa::OperandKind::Vgpr, index};
}
inline Register s(unsigned index) {
  return {isa::OperandKind::Sgpr, index};
}
inline Register acc(unsigned index) {
  return {isa::OperandKind::Agpr, index};
}

/// One instruction by mnemonic and registers: destination first where the row has one.
struct Line {
  std::string_view mnemonic;
  std::vector<Register> registers;
};

/// One golden wave that runs `body` round and round. The loop around it is s_sub_u32, s_cmp_lg_u32,
/// s_cbranch_scc1 and is counted as part of it.
class WaveLoop {
 public:
  static constexpr unsigned kVgprs = 256, kAccVgprs = 128;
  static constexpr uint32_t kRounds = 1000;  ///< of a run()

  /// Errors: an instruction that does not encode.
  static base::Result<std::unique_ptr<WaveLoop>> make(const std::vector<Line>& body,
                                                      isa::Target target = isa::Target::Gfx908);

  /// kRounds rounds. Errors: the wave failed, or ran another number of instructions.
  base::Status run();
  /// Instructions of one run().
  uint64_t instructions() const { return (lines_ + 3) * uint64_t{kRounds}; }

  golden::Wave& wave() { return wave_; }
  wave::LaneRow* vgprs() { return wave_.state.v.arch; }

 private:
  WaveLoop(isa::Target target, uint64_t lines);
  hsa::DeviceMemory memory_;
  golden::Program program_;
  golden::MemoryPort port_;
  golden::Workgroup group_;
  golden::Wave wave_;
  uint64_t lines_, start_ = 0;
};

/// The row of a mnemonic; null when the target has none.
const isa::Row* row_of(std::string_view mnemonic, isa::Target target);

/// Normal numbers near one in every register, different in every lane.
void fill_near_one(wave::LaneRow* rows, unsigned count);

}  // namespace cuvette::bench
