// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalize_extension/code_objects.h"

#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "finalize_extension/code_symbols.h"

namespace cuvette::finalize_extension {

namespace {

/// The runtime's own functions, set by wrap().
CoreApiTable core;

std::mutex mutex;
/// By the handle's value.
std::map<uint64_t, Finalized>& finalized() {
  static auto* const all = new std::map<uint64_t, Finalized>;
  return *all;
}

std::optional<Finalized> facts_of(hsa_code_object_t code_object) {
  const std::lock_guard lock(mutex);
  const auto found = finalized().find(code_object.handle);
  if (found == finalized().end()) return std::nullopt;
  return found->second;
}

hsa_status_t get_info(hsa_code_object_t code_object, hsa_code_object_info_t attribute,
                      void* value) {
  const auto facts = facts_of(code_object);
  if (!facts) return core.hsa_code_object_get_info_fn(code_object, attribute, value);
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_CODE_OBJECT_INFO_VERSION: {
      char version[64] = {};
      // EI_ABIVERSION of the ELF file counts from version 2.
      version[0] = static_cast<char>('2' + std::bit_cast<const char*>(code_object.handle)[8]);
      std::memcpy(value, version, sizeof version);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_CODE_OBJECT_INFO_TYPE:
      *static_cast<hsa_code_object_type_t*>(value) = facts->type;
      return HSA_STATUS_SUCCESS;
    case HSA_CODE_OBJECT_INFO_ISA:
      *static_cast<hsa_isa_t*>(value) = facts->isa;
      return HSA_STATUS_SUCCESS;
    case HSA_CODE_OBJECT_INFO_MACHINE_MODEL:
      *static_cast<hsa_machine_model_t*>(value) = facts->machine_model;
      return HSA_STATUS_SUCCESS;
    case HSA_CODE_OBJECT_INFO_PROFILE:
      *static_cast<hsa_profile_t*>(value) = facts->profile;
      return HSA_STATUS_SUCCESS;
    case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
      *static_cast<hsa_default_float_rounding_mode_t*>(value) = facts->rounding;
      return HSA_STATUS_SUCCESS;
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t destroy(hsa_code_object_t code_object) {
  {
    const std::lock_guard lock(mutex);
    finalized().erase(code_object.handle);
  }
  forget_symbols(code_object);
  return core.hsa_code_object_destroy_fn(code_object);
}

hsa_status_t load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                              hsa_code_object_t code_object, const char* options) {
  if (const auto facts = facts_of(code_object)) {
    hsa_machine_model_t model = facts->machine_model;
    core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_MACHINE_MODEL, &model);
    if (model != facts->machine_model) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  }
  return core.hsa_executable_load_code_object_fn(executable, agent, code_object, options);
}

/// Symbols that a name of HSAIL may have in a code object, the likeliest first.
std::vector<std::string> symbols_of(const char* module, const char* name) {
  std::vector<std::string> all;
  if (module != nullptr && *module != 0) all.push_back(std::string(module) + "::" + name);
  all.emplace_back(name);
  for (size_t i = 0; i < all.size(); i += 2) {
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all[i] + kKernelSuffix);
  }
  return all;
}

struct Search {
  hsa_executable_t executable{};
  std::vector<std::string> names;
  hsa_executable_symbol_t* symbol = nullptr;
};

hsa_status_t find_in(const Search& search, const hsa_agent_t* agent) {
  for (const std::string& name : search.names) {
    const hsa_status_t status = core.hsa_executable_get_symbol_by_name_fn(
        search.executable, name.c_str(), agent, search.symbol);
    if (status != HSA_STATUS_ERROR_INVALID_SYMBOL_NAME) return status;
  }
  return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

/// Searches in code without an agent, then with any: the code objects of programs are loaded for
/// agents here.
hsa_status_t find_anywhere(Search search) {
  const hsa_status_t status = find_in(search, nullptr);
  if (status != HSA_STATUS_ERROR_INVALID_SYMBOL_NAME) return status;
  const hsa_status_t ended = core.hsa_iterate_agents_fn(
      [](hsa_agent_t agent, void* data) {
        return find_in(*static_cast<Search*>(data), &agent) == HSA_STATUS_SUCCESS
                   ? HSA_STATUS_INFO_BREAK
                   : HSA_STATUS_SUCCESS;
      },
      &search);
  return ended == HSA_STATUS_INFO_BREAK ? HSA_STATUS_SUCCESS : status;
}

hsa_status_t get_symbol(hsa_executable_t executable, const char* module, const char* name,
                        hsa_agent_t agent, int32_t call_convention,
                        hsa_executable_symbol_t* symbol) {
  const hsa_status_t status =
      core.hsa_executable_get_symbol_fn(executable, module, name, agent, call_convention, symbol);
  // An agent that is none may be one that is to be ignored.
  if ((status != HSA_STATUS_ERROR_INVALID_SYMBOL_NAME &&
       status != HSA_STATUS_ERROR_INVALID_AGENT) ||
      !is_hsail_name(name)) {
    return status;
  }
  const Search search{executable, symbols_of(module, name), symbol};
  if (status != HSA_STATUS_ERROR_INVALID_AGENT && find_in(search, &agent) == HSA_STATUS_SUCCESS) {
    return HSA_STATUS_SUCCESS;
  }
  const hsa_status_t found = find_anywhere(search);
  return found == HSA_STATUS_SUCCESS ? found : status;
}

hsa_status_t get_symbol_by_name(hsa_executable_t executable, const char* name,
                                const hsa_agent_t* agent, hsa_executable_symbol_t* symbol) {
  const hsa_status_t status =
      core.hsa_executable_get_symbol_by_name_fn(executable, name, agent, symbol);
  if (status != HSA_STATUS_ERROR_INVALID_SYMBOL_NAME || !is_hsail_name(name)) return status;
  const Search search{executable, symbols_of(nullptr, name), symbol};
  return agent == nullptr ? find_anywhere(search) : find_in(search, agent);
}

/// The symbol's name in the code object.
std::string raw_name(hsa_executable_symbol_t symbol) {
  uint32_t length = 0;
  if (core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH,
                                             &length) != HSA_STATUS_SUCCESS) {
    return {};
  }
  std::string name(length, '\0');
  core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
  return name;
}

hsa_status_t symbol_get_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute,
                             void* value) {
  if ((attribute != HSA_EXECUTABLE_SYMBOL_INFO_NAME &&
       attribute != HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH) ||
      value == nullptr) {
    return core.hsa_executable_symbol_get_info_fn(symbol, attribute, value);
  }
  const auto name = hsail_kernel(raw_name(symbol));
  if (!name) return core.hsa_executable_symbol_get_info_fn(symbol, attribute, value);
  if (attribute == HSA_EXECUTABLE_SYMBOL_INFO_NAME) {
    std::memcpy(value, name->data(), name->size());
  } else {
    *static_cast<uint32_t*>(value) = static_cast<uint32_t>(name->size());
  }
  return HSA_STATUS_SUCCESS;
}

/// Walk over symbols of an executable, with an agent or without.
template <class... Agent>
struct Walk {
  hsa_status_t (*callback)(hsa_executable_t, Agent..., hsa_executable_symbol_t, void*) = nullptr;
  void* data = nullptr;

  static hsa_status_t step(hsa_executable_t executable, Agent... agent,
                           hsa_executable_symbol_t symbol, void* walk) {
    if (is_of_finalizer(raw_name(symbol))) return HSA_STATUS_SUCCESS;
    const auto* the = static_cast<const Walk*>(walk);
    return the->callback(executable, agent..., symbol, the->data);
  }
};

hsa_status_t iterate_symbols(hsa_executable_t executable,
                             hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t,
                                                      void*),
                             void* data) {
  Walk<> walk{callback, data};
  return core.hsa_executable_iterate_symbols_fn(
      executable, callback == nullptr ? nullptr : Walk<>::step, &walk);
}

hsa_status_t iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                   hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t,
                                                            hsa_executable_symbol_t, void*),
                                   void* data) {
  using Step = Walk<hsa_agent_t>;
  Step walk{callback, data};
  return core.hsa_executable_iterate_agent_symbols_fn(
      executable, agent, callback == nullptr ? nullptr : Step::step, &walk);
}

}  // namespace

void remember(hsa_code_object_t code_object, const Finalized& facts) {
  const std::lock_guard lock(mutex);
  finalized()[code_object.handle] = facts;
}

void forget_all() {
  const std::lock_guard lock(mutex);
  finalized().clear();
  forget_all_symbols();
}

void wrap(CoreApiTable& table) {
  if (table.hsa_code_object_get_info_fn == get_info) return;  // done before
  core = table;
  table.hsa_code_object_get_info_fn = get_info;
  table.hsa_code_object_destroy_fn = destroy;
  table.hsa_executable_load_code_object_fn = load_code_object;
  table.hsa_executable_get_symbol_fn = get_symbol;
  table.hsa_executable_get_symbol_by_name_fn = get_symbol_by_name;
  table.hsa_executable_symbol_get_info_fn = symbol_get_info;
  table.hsa_executable_iterate_symbols_fn = iterate_symbols;
  table.hsa_executable_iterate_agent_symbols_fn = iterate_agent_symbols;
  wrap_code_symbols(table);
}

}  // namespace cuvette::finalize_extension
