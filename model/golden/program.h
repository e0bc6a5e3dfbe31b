// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "hsa/memory.h"
#include "isa/target.h"
#include "wave/executor/program.h"

namespace cuvette::golden {

/// Code in device memory, of VMID 0.
class DeviceCode : public wave::CodeSource {
 public:
  explicit DeviceCode(const hsa::DeviceMemory& memory) : memory_(&memory) {}

  void see(const hsa::DeviceMemory& memory) { memory_ = &memory; }
  /// The dword at `pc` (a multiple of 4) is fetched as `word`, whatever memory holds.
  void fetch_as(uint64_t pc, uint32_t word) { changed_[pc] = word; }
  hsa::CodeExtent code_at(uint64_t pc) const { return memory_->space().code_at(0, pc); }
  size_t fetch(uint64_t pc, uint32_t* words, size_t count) const override;
  uint64_t end_of_code(uint64_t pc) const override { return code_at(pc).end; }

 private:
  const hsa::DeviceMemory* memory_;
  std::map<uint64_t, uint32_t> changed_;  ///< by address
};

/// The instructions of device memory, decoded.
class Program final : private DeviceCode, public wave::Program {
 public:
  Program(const hsa::DeviceMemory& memory, isa::Target target)
      : DeviceCode(memory), wave::Program(static_cast<const DeviceCode&>(*this), target) {}

  /// Code comes from there from now on; renew() before the next instruction.
  using DeviceCode::fetch_as;  ///< refresh() before the next instruction
  using DeviceCode::see;
  /// The function at `pc`, or the gap between functions there.
  using DeviceCode::code_at;
};

}  // namespace cuvette::golden
