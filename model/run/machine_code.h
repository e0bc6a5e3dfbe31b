// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/code_object.h"
#include "hsa/kernarg.h"
#include "run/engine.h"

namespace cuvette::run {

/// Code objects of a session, loaded once each: what all engines that execute machine code share.
class MachineCode {
 public:
  MachineCode(hsa::DeviceMemory& memory, const hsa::TargetId& target)
      : memory_(memory), target_(target) {}

  base::Result<KernelShape> load(const Dispatch& dispatch);
  base::Result<std::vector<uint8_t>> kernarg(const Launch& launch, const ArgumentBytes& arguments,
                                             const hsa::HiddenValues& base) const;
  /// Of the last load().
  const hsa::KernelInfo& kernel() const { return *kernel_; }

 private:
  hsa::DeviceMemory& memory_;
  hsa::TargetId target_;
  std::map<std::string, hsa::LoadedCode> loaded_;  ///< by file names or inline text
  const hsa::KernelInfo* kernel_ = nullptr;
};

}  // namespace cuvette::run
