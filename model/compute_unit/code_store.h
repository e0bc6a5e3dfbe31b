// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "isa/decode.h"
#include "wave/executor/decoder.h"

namespace cuvette::compute_unit {

/// The sequencer's classes: one instruction of each per turn (isa_notes 5).
enum class IssueClass : uint8_t { Valu, Vmem, Scalar, Lds, Branch, Internal };
inline constexpr unsigned kIssueClasses = 6;

/// An instruction, decoded once for all waves.
struct Code {
  enum class Way : uint8_t { Illegal, Scalar, Memory, Matrix, Vector };

  isa::Decoded decoded;
  wave::MicroOp op;  ///< memory instructions have none
  Way way = Way::Illegal;
  IssueClass issue_class = IssueClass::Internal;
  uint32_t row = 0;            ///< isa::index_of
  bool scalar_result = false;  ///< a vector instruction that writes SGPRs, VCC or EXEC
  const char* refusal = "";    ///< a vector instruction the compute unit has no way for
  mutable uint16_t cycles =
      0;  ///< of the issue port of a simd that executes at issue; 0: not known

  const isa::Instruction& instruction() const { return decoded.instruction; }
};

/// Instructions by their words, with an index by address. Entries stay where they are.
class CodeStore {
 public:
  explicit CodeStore(isa::Target target);

  /// The instruction at `pc`, which begins with `count` dwords at `words`. Way::Illegal, valid
  /// until the next call: none begins so, or more words are needed (DecodeStatus::Truncated).
  const Code& find(uint64_t pc, const uint32_t* words, unsigned count);
  /// What was last found at `pc`; null when nothing was.
  const Code* known(uint64_t pc) const;
  /// For wave::Context.
  const wave::LaneRow* constants() const { return decoder_.constants(); }

 private:
  struct Known {
    uint64_t pc = ~uint64_t{0};
    const Code* code = nullptr;
  };
  using Words = std::array<uint32_t, 4>;
  void prepare(Code& code);

  isa::Target target_;
  wave::Decoder decoder_;
  std::map<Words, Code> codes_;
  std::vector<Known> known_;  // by address
  Code illegal_;
};

}  // namespace cuvette::compute_unit
