// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <hsa/hsa_ext_finalize.h>

#include "hsail/module.h"

namespace cuvette::finalize_extension {

/// A status of the HSA runtime or of the extension and, for people, why it is not success.
struct Answer {
  int status = HSA_STATUS_SUCCESS;
  std::string why;
};

/// Settings that an HSAIL program is created with.
struct ProgramSettings {
  hsa_machine_model_t machine_model = HSA_MACHINE_MODEL_LARGE;
  hsa_profile_t profile = HSA_PROFILE_FULL;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
};

/// An HSAIL program of the finalizer extension: the modules of one application that are finalized
/// together. Thread-safe.
class Program {
 public:
  explicit Program(const ProgramSettings& settings) : settings_(settings) {}

  const ProgramSettings& settings() const { return settings_; }

  /// Reads and checks a BRIG module in the application's memory; it is not looked at again later.
  ///
  /// INVALID_MODULE: not readable, not BRIG, or against the rules of the language.
  /// INCOMPATIBLE_MODULE: machine model, profile, or a default rounding other than the program's.
  /// MODULE_ALREADY_INCLUDED: the same module, or one of its name. SYMBOL_MISMATCH: declarations
  /// and definitions that do not go together, a second definition.
  Answer add(hsa_ext_module_t module);

  /// In the order in which they were added.
  std::vector<hsa_ext_module_t> modules() const;

  struct Request {
    std::string target;  ///< finalizer::find_target()
    hsa_ext_control_directives_t directives{};
    unsigned code_object_version = 4;
  };
  /// The code object of all kernels, indirect functions and variables; its symbols are the names of
  /// HSAIL.
  ///
  /// INVALID_ARGUMENT: malformed control directives. DIRECTIVE_MISMATCH: with those of the modules,
  /// or of the modules between each other. FINALIZATION_FAILED: everything else.
  Answer finalize(const Request& request, std::vector<uint8_t>* object) const;

 private:
  struct Member {
    hsa_ext_module_t address = nullptr;
    hsail::Module module;
  };
  Answer check_header(const hsail::Module& module) const;
  std::vector<const hsail::Module*> all_modules() const;

  const ProgramSettings settings_;
  mutable std::mutex mutex_;
  std::vector<Member> members_;
};

}  // namespace cuvette::finalize_extension
