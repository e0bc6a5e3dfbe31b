// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The functions of hsa_ext_finalize.h under the names by which a runtime looks them up in
// libhsa-ext-finalize64.so.1: with "_impl" behind. Load() comes before all others. Statuses are int
// here: those of the extension lie beyond the values of hsa_status_t in C++.
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#define AMD_INTERNAL_BUILD  // the header's includes have no folder then
#include <hsa/hsa_api_trace.h>

#include "finalize_extension/options.h"
#include "finalize_extension/program.h"
#include "finalizer/target.h"

namespace {

using cuvette::finalize_extension::Answer;
using cuvette::finalize_extension::Program;
using cuvette::finalize_extension::ProgramSettings;

constexpr const char* kTriple = "amdgcn-amd-amdhsa--";

/// The runtime and the programs that it has handles of.
class Extension {
 public:
  void load(const CoreApiTable& core) {
    const std::lock_guard lock(mutex_);
    core_ = core;
  }
  void unload() {
    const std::lock_guard lock(mutex_);
    core_.reset();
    programs_.clear();
  }
  /// The runtime's functions, nothing before load() and behind unload().
  std::optional<CoreApiTable> core() {
    const std::lock_guard lock(mutex_);
    return core_;
  }

  uint64_t add(const ProgramSettings& settings) {
    const std::lock_guard lock(mutex_);
    // A handle is never given again, so that one of a destroyed program stays invalid.
    programs_.emplace(++last_, std::make_shared<Program>(settings));
    return last_;
  }
  std::shared_ptr<Program> find(hsa_ext_program_t program) {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(program.handle);
    return found == programs_.end() ? nullptr : found->second;
  }
  bool remove(hsa_ext_program_t program) {
    const std::lock_guard lock(mutex_);
    return programs_.erase(program.handle) != 0;
  }

 private:
  std::mutex mutex_;
  std::optional<CoreApiTable> core_;
  std::map<uint64_t, std::shared_ptr<Program>> programs_;
  uint64_t last_ = 0;
};

/// Never destroyed: programs end while other threads work.
Extension& extension() {
  static auto* const the = new Extension;
  return *the;
}

/// Names in a module may have any bytes: a terminal sees printable ones.
std::string printable(const std::string& text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

int tell(const char* function, const Answer& answer) {
  if (!answer.why.empty()) {
    std::fprintf(stderr, "cuvette: %s: %s\n", function, printable(answer.why).c_str());
  }
  return answer.status;
}

/// `body`, behind what every function has: an initialized runtime, and no exception that leaves.
template <class Body>
int guarded(Body body) {
  try {
    const auto core = extension().core();
    if (!core) return int{HSA_STATUS_ERROR_NOT_INITIALIZED};
    return body(*core);
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const std::exception& failure) {
    return tell("finalizer", {HSA_STATUS_ERROR, failure.what()});
  }
}

template <class Body>
int with_program(hsa_ext_program_t handle, Body body) {
  return guarded([&](const CoreApiTable& core) -> int {
    const auto program = extension().find(handle);
    return program == nullptr ? int{HSA_EXT_STATUS_ERROR_INVALID_PROGRAM} : body(*program, core);
  });
}

hsa_status_t append_isa(hsa_isa_t isa, void* data) {
  static_cast<std::vector<hsa_isa_t>*>(data)->push_back(isa);
  return HSA_STATUS_SUCCESS;
}

/// The instruction sets that there is code for, or agents. Handles are compared with these only: a
/// handle that is none may point anywhere.
std::vector<hsa_isa_t> known_isas(const CoreApiTable& core) {
  struct Work {
    const CoreApiTable& core;
    std::vector<hsa_isa_t> isas;
  } work{core, {}};
  core.hsa_iterate_agents_fn(
      [](hsa_agent_t agent, void* data) {
        auto* w = static_cast<Work*>(data);
        w->core.hsa_agent_iterate_isas_fn(agent, append_isa, &w->isas);
        return HSA_STATUS_SUCCESS;
      },
      &work);
  for (const char* processor : {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"}) {
    for (const char* sramecc : {"", ":sramecc-", ":sramecc+"}) {
      for (const char* xnack : {"", ":xnack-", ":xnack+"}) {
        hsa_isa_t isa{};
        const std::string name = std::string(kTriple) + processor + sramecc + xnack;
        const auto status = core.hsa_isa_from_name_fn(name.c_str(), &isa);
        if (status == HSA_STATUS_SUCCESS) work.isas.push_back(isa);
      }
    }
  }
  return work.isas;
}

/// The target of an instruction set, empty for a handle that is none.
std::string target_of(const CoreApiTable& core, hsa_isa_t isa) {
  for (const hsa_isa_t known : known_isas(core)) {
    if (known.handle != isa.handle) continue;
    uint32_t length = 0;
    if (core.hsa_isa_get_info_alt_fn(isa, HSA_ISA_INFO_NAME_LENGTH, &length) !=
        HSA_STATUS_SUCCESS) {
      return {};
    }
    std::string name(length + 1, '\0');
    core.hsa_isa_get_info_alt_fn(isa, HSA_ISA_INFO_NAME, name.data());
    name.resize(name.find('\0'));
    return name.rfind(kTriple, 0) == 0 ? name.substr(std::string(kTriple).size()) : name;
  }
  return {};
}

bool is_profile(int profile) {
  return profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL;
}
bool is_model(int model) {
  return model == HSA_MACHINE_MODEL_SMALL || model == HSA_MACHINE_MODEL_LARGE;
}
bool is_rounding(int mode) {
  return mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT ||
         mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO ||
         mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
}

void tell_unknown(const char* function, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    tell(function, {HSA_STATUS_SUCCESS, "option '" + word + "' is not known and has no effect"});
  }
}

}  // namespace

#define CUVETTE_EXPORT __attribute__((visibility("default")))

extern "C" {

CUVETTE_EXPORT void Load(const HsaApiTable* table) {
  if (table != nullptr && table->core_ != nullptr) extension().load(*table->core_);
}

CUVETTE_EXPORT void Unload() {
  extension().unload();
}

CUVETTE_EXPORT int hsa_ext_program_create_impl(hsa_machine_model_t machine_model,
                                               hsa_profile_t profile,
                                               hsa_default_float_rounding_mode_t rounding,
                                               const char* options, hsa_ext_program_t* program) {
  return guarded([&](const CoreApiTable&) -> int {
    if (!is_model(machine_model) || !is_profile(profile) || !is_rounding(rounding) ||
        program == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto read = cuvette::finalize_extension::read_options(options);
    if (read) tell_unknown("hsa_ext_program_create", read->unknown);
    program->handle = extension().add({machine_model, profile, rounding});
    return HSA_STATUS_SUCCESS;
  });
}

CUVETTE_EXPORT int hsa_ext_program_destroy_impl(hsa_ext_program_t program) {
  return guarded([&](const CoreApiTable&) {
    return extension().remove(program) ? int{HSA_STATUS_SUCCESS}
                                       : int{HSA_EXT_STATUS_ERROR_INVALID_PROGRAM};
  });
}

CUVETTE_EXPORT int hsa_ext_program_add_module_impl(hsa_ext_program_t program,
                                                   hsa_ext_module_t module) {
  return with_program(program, [&](Program& p, const CoreApiTable&) -> int {
    return tell("hsa_ext_program_add_module", p.add(module));
  });
}

CUVETTE_EXPORT int hsa_ext_program_iterate_modules_impl(
    hsa_ext_program_t program,
    hsa_status_t (*callback)(hsa_ext_program_t program, hsa_ext_module_t module, void* data),
    void* data) {
  return with_program(program, [&](Program& p, const CoreApiTable&) -> int {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const hsa_ext_module_t module : p.modules()) {
      const int status = callback(program, module, data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  });
}

CUVETTE_EXPORT int hsa_ext_program_get_info_impl(hsa_ext_program_t program,
                                                 hsa_ext_program_info_t attribute, void* value) {
  return with_program(program, [&](Program& p, const CoreApiTable&) -> int {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (attribute) {
      case HSA_EXT_PROGRAM_INFO_MACHINE_MODEL:
        *static_cast<hsa_machine_model_t*>(value) = p.settings().machine_model;
        return HSA_STATUS_SUCCESS;
      case HSA_EXT_PROGRAM_INFO_PROFILE:
        *static_cast<hsa_profile_t*>(value) = p.settings().profile;
        return HSA_STATUS_SUCCESS;
      case HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        *static_cast<hsa_default_float_rounding_mode_t*>(value) = p.settings().rounding;
        return HSA_STATUS_SUCCESS;
      default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

CUVETTE_EXPORT int hsa_ext_program_finalize_impl(hsa_ext_program_t program, hsa_isa_t isa,
                                                 int32_t call_convention,
                                                 hsa_ext_control_directives_t control_directives,
                                                 const char* options,
                                                 hsa_code_object_type_t code_object_type,
                                                 hsa_code_object_t* code_object) {
  constexpr const char* kName = "hsa_ext_program_finalize";
  return with_program(program, [&](Program& p, const CoreApiTable& core) -> int {
    Program::Request request;
    request.target = target_of(core, isa);
    if (request.target.empty()) return HSA_STATUS_ERROR_INVALID_ISA;
    uint32_t conventions = 0;
    core.hsa_isa_get_info_fn(isa, HSA_ISA_INFO_CALL_CONVENTION_COUNT, 0, &conventions);
    if (call_convention < HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO ||
        call_convention >= static_cast<int64_t>(conventions) ||
        code_object_type != HSA_CODE_OBJECT_TYPE_PROGRAM || code_object == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto read = cuvette::finalize_extension::read_options(options);
    if (!read) return tell(kName, {HSA_STATUS_ERROR_INVALID_ARGUMENT, read.error().what});
    tell_unknown(kName, read->unknown);
    request.directives = control_directives;
    request.code_object_version = read->code_object_version;
    std::vector<uint8_t> object;
    const Answer answer = p.finalize(request, &object);
    if (answer.status != HSA_STATUS_SUCCESS) return tell(kName, answer);
    // The handle of a code object is the address of a copy that the runtime owns.
    return core.hsa_code_object_deserialize_fn(object.data(), object.size(), "", code_object);
  });
}

}  // extern "C"
