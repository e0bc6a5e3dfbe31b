// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ip/valu/valu_compare.h"
#include "ip/valu/valu_device.h"

namespace cuvette::ip {

/// One transaction as lockstep saw it.
struct ValuTransaction {
  valu::Request request;
  /// First cycle at the pins; of one that has not been there, no earlier than of the one before.
  machine::Cycle offered = 0;
  machine::Cycle answered = machine::kNever;  ///< cycle its response was taken
};

/// The first difference between a device and the reference.
struct ValuMismatch {
  std::string field;  ///< "order", "id", "beat", "write", "has_mask", "mask", "dst", "flags",
                      ///< "timing", "assertion", "protocol"
  machine::Cycle time = 0;
  uint32_t compute_unit = 0, simd = 0;
  uint32_t id = 0;
  valu::Origin origin;      ///< wave, pc and words of the instruction, where they are known
  std::string instruction;  ///< mnemonic
  int lane = -1;            ///< for "dst": lane of the beat
  uint64_t expected = 0, actual = 0;
  std::string what;    ///< for "timing", "assertion", "protocol", "order": in words
  std::string report;  ///< all of it with the operands, then the last transactions; many lines
  /// The last ones, oldest first: answered ones, the failing one, and those still under way.
  std::vector<ValuTransaction> transactions;
  size_t failing = 0;  ///< which of them; the size of the list when it is none of them
};

/// The assembler text of the instruction behind a request; the mnemonic when its words are not
/// known.
std::string instruction_text(const valu::Request& request, isa::Target target);

/// Writes `report`: block, transaction, time, wave, pc, instruction, every enabled lane with its
/// operands, expected and actual value in hex and decoded by the operand's type, transactions.
/// `expected` and `actual`: null where there is no such response.
void write_report(ValuMismatch& mismatch, isa::Target target, const valu::Response* expected,
                  const valu::Response* actual);

}  // namespace cuvette::ip
