// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
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

  /// As Engine::load. The other functions are about the last load() that succeeded.
  base::Result<KernelShape> load(const Dispatch& dispatch, const hsa::ExternalVariables& externals);
  base::Result<std::vector<uint8_t>> kernarg(const Launch& launch, const ArgumentBytes& arguments,
                                             const hsa::HiddenValues& base);
  /// Hint for the first of these faults, if hidden arguments of the last kernarg() that are not
  /// served may be its cause; empty: none.
  std::string hint_about(const std::vector<uint64_t>& fault_addresses) const;
  /// Error: the launch breaks a limit of the kernel of the last load() (hsa/launch_limits.h).
  base::Status check(const Launch& launch) const;
  /// Address of an indirect function of the last load(). As Engine::function_handle.
  base::Result<uint64_t> function_handle(const std::string& name) const;
  /// As Engine::symbol.
  std::optional<uint64_t> symbol(const std::string& name) const;
  /// Kernel of the last load().
  const hsa::KernelInfo& kernel() const { return *kernel_; }
  /// The last load() as bytes, and its base address: for logs.
  const std::vector<uint8_t>& object() const { return current_->bytes; }
  uint64_t base() const { return current_->code.base; }
  const hsa::TargetId& target() const { return target_; }

 private:
  hsa::DeviceMemory& memory_;
  hsa::TargetId target_;
  struct Object {
    hsa::LoadedCode code;
    std::vector<uint8_t> bytes;
  };
  /// The objects of a program, all of which are loaded.
  using Program = std::vector<Object>;
  base::Result<const Program*> program(const Code& code, const hsa::ExternalVariables& externals);
  base::Status choose(const Program& program, const std::string& kernel);

  std::map<std::string, Program> loaded_;  ///< by load_key()
  const Object* current_ = nullptr;
  const hsa::KernelInfo* kernel_ = nullptr;
  std::vector<std::string> unserved_;  ///< null hidden pointers of the last kernarg()
};

}  // namespace cuvette::run
