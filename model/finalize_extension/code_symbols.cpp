// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalize_extension/code_symbols.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "hsa/amdgpu_elf.h"
#include "hsa/elf.h"
#include "hsa/metadata.h"

namespace cuvette::finalize_extension {

namespace {

/// The runtime's own functions, set by wrap_code_symbols().
CoreApiTable core;

std::mutex mutex;
/// The code object that a symbol came from, by the values of the handles.
std::map<uint64_t, uint64_t>& owners() {
  static auto* const all = new std::map<uint64_t, uint64_t>;
  return *all;
}

void note_owner(hsa_code_symbol_t symbol, hsa_code_object_t code_object) {
  const std::lock_guard lock(mutex);
  owners()[symbol.handle] = code_object.handle;
}

/// The symbol's name in the code object.
std::string raw_name(hsa_code_symbol_t symbol) {
  uint32_t length = 0;
  if (core.hsa_code_symbol_get_info_fn(symbol, HSA_CODE_SYMBOL_INFO_NAME_LENGTH, &length) !=
      HSA_STATUS_SUCCESS) {
    return {};
  }
  std::string name(length, '\0');
  core.hsa_code_symbol_get_info_fn(symbol, HSA_CODE_SYMBOL_INFO_NAME, name.data());
  return name;
}

hsa_status_t get_symbol(hsa_code_object_t code_object, const char* name,
                        hsa_code_symbol_t* symbol) {
  hsa_status_t status = core.hsa_code_object_get_symbol_fn(code_object, name, symbol);
  if (status == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME && is_hsail_name(name)) {
    // The function of a kernel is no symbol that the runtime knows, its descriptor is one.
    status = core.hsa_code_object_get_symbol_fn(
        code_object, (std::string(name) + kKernelSuffix).c_str(), symbol);
  }
  if (status == HSA_STATUS_SUCCESS) note_owner(*symbol, code_object);
  return status;
}

hsa_status_t get_symbol_from_name(hsa_code_object_t code_object, const char* module,
                                  const char* name, hsa_code_symbol_t* symbol) {
  if (module != nullptr && *module != 0 && is_hsail_name(name)) {
    const std::string own = std::string(module) + "::" + name;
    if (get_symbol(code_object, own.c_str(), symbol) == HSA_STATUS_SUCCESS) {
      return HSA_STATUS_SUCCESS;
    }
  }
  if (is_hsail_name(name)) return get_symbol(code_object, name, symbol);
  return core.hsa_code_object_get_symbol_from_name_fn(code_object, module, name, symbol);
}

struct Walk {
  hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*) = nullptr;
  void* data = nullptr;
};

hsa_status_t iterate_symbols(hsa_code_object_t code_object,
                             hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*),
                             void* data) {
  if (callback == nullptr) {
    return core.hsa_code_object_iterate_symbols_fn(code_object, nullptr, data);
  }
  Walk walk{callback, data};
  return core.hsa_code_object_iterate_symbols_fn(
      code_object,
      [](hsa_code_object_t object, hsa_code_symbol_t symbol, void* w) {
        if (is_of_finalizer(raw_name(symbol))) return HSA_STATUS_SUCCESS;
        note_owner(symbol, object);
        const auto* the = static_cast<const Walk*>(w);
        return the->callback(object, symbol, the->data);
      },
      &walk);
}

hsa_status_t allocate(size_t size, hsa_callback_data_t, void** address) {
  *address = std::malloc(size);
  return *address == nullptr ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}

/// Metadata of a kernel in the symbol's code object.
std::optional<hsa::KernelMetadata> kernel_of(hsa_code_symbol_t symbol, const std::string& name) {
  hsa_code_object_t code_object{};
  {
    const std::lock_guard lock(mutex);
    const auto owner = owners().find(symbol.handle);
    if (owner == owners().end()) return std::nullopt;
    code_object.handle = owner->second;
  }
  void* bytes = nullptr;
  size_t size = 0;
  if (core.hsa_code_object_serialize_fn(code_object, allocate, {}, "", &bytes, &size) !=
      HSA_STATUS_SUCCESS) {
    return std::nullopt;
  }
  const std::unique_ptr<void, void (*)(void*)> keep(bytes, std::free);
  const auto* data = static_cast<const uint8_t*>(bytes);
  const auto elf = hsa::parse_elf(data, size, "code object");
  if (!elf) return std::nullopt;
  for (const hsa::ElfNote& note : elf->notes) {
    if (note.owner != "AMDGPU" || note.type != hsa::amdgpu_elf::kNoteMetadata) continue;
    const auto metadata =
        hsa::parse_metadata_msgpack(data + note.offset, note.bytes, "code object", note.offset);
    if (!metadata) return std::nullopt;
    for (const hsa::KernelMetadata& kernel : metadata->kernels) {
      if (kernel.symbol == name) return kernel;
    }
  }
  return std::nullopt;
}

template <class Value>
hsa_status_t give(void* to, Value value) {
  std::memcpy(to, &value, sizeof value);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t get_info(hsa_code_symbol_t symbol, hsa_code_symbol_info_t attribute, void* value) {
  const auto as_it_is = [&] { return core.hsa_code_symbol_get_info_fn(symbol, attribute, value); };
  if (value == nullptr) return as_it_is();
  const std::string raw = raw_name(symbol);
  const auto name = hsail_kernel(raw);
  if (!name) return as_it_is();
  switch (attribute) {
    case HSA_CODE_SYMBOL_INFO_NAME:
      std::memcpy(value, name->data(), name->size());
      return HSA_STATUS_SUCCESS;
    case HSA_CODE_SYMBOL_INFO_NAME_LENGTH:
      return give(value, static_cast<uint32_t>(name->size()));
    case HSA_CODE_SYMBOL_INFO_TYPE:
      return give(value, HSA_SYMBOL_KIND_KERNEL);
    default:
      break;
  }
  const auto kernel = kernel_of(symbol, raw);
  if (!kernel) return as_it_is();
  switch (attribute) {
    case HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
      return give(value, static_cast<uint32_t>(kernel->kernarg_bytes));
    case HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
      // At least 16 (HSA 1.0, 2.4).
      return give(value, static_cast<uint32_t>(std::max<uint64_t>(16, kernel->kernarg_alignment)));
    case HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
      return give(value, static_cast<uint32_t>(kernel->group_bytes));
    case HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
      return give(value, static_cast<uint32_t>(kernel->private_bytes));
    case HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
      return give(value, kernel->uses_dynamic_stack);
    case HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
      return give(value, uint32_t{0});
    default:
      return as_it_is();
  }
}

}  // namespace

bool is_hsail_name(const char* name) {
  return name != nullptr && *name == '&';
}

bool is_of_finalizer(const std::string& symbol) {
  return symbol.rfind("cuvette.", 0) == 0;
}

std::optional<std::string> hsail_kernel(const std::string& symbol) {
  const std::string suffix = kKernelSuffix;
  if (!is_hsail_name(symbol.c_str()) || symbol.size() <= suffix.size() ||
      symbol.compare(symbol.size() - suffix.size(), suffix.size(), suffix) != 0) {
    return std::nullopt;
  }
  return symbol.substr(0, symbol.size() - suffix.size());
}

void forget_symbols(hsa_code_object_t code_object) {
  const std::lock_guard lock(mutex);
  std::erase_if(owners(), [&](const auto& entry) { return entry.second == code_object.handle; });
}

void forget_all_symbols() {
  const std::lock_guard lock(mutex);
  owners().clear();
}

void wrap_code_symbols(CoreApiTable& table) {
  core = table;
  table.hsa_code_object_get_symbol_fn = get_symbol;
  table.hsa_code_object_get_symbol_from_name_fn = get_symbol_from_name;
  table.hsa_code_object_iterate_symbols_fn = iterate_symbols;
  table.hsa_code_symbol_get_info_fn = get_info;
}

}  // namespace cuvette::finalize_extension
