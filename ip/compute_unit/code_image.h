// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "golden/program.h"
#include "hsa/memory.h"
#include "isa/target.h"

namespace cuvette::ip {

/// Instruction memory of one address space as far as a device has executed it: a program for the
/// golden reference, made of the words that the device says it executed.
class CodeImage {
 public:
  explicit CodeImage(isa::Target target);

  /// `count` words at `pc` are what the next instruction there is. False: no such address.
  bool put(uint64_t pc, const uint32_t* words, unsigned count);
  golden::Program& program() { return program_; }

 private:
  hsa::DeviceMemory memory_;
  std::set<uint64_t> pages_;
  golden::Program program_;
};

}  // namespace cuvette::ip
