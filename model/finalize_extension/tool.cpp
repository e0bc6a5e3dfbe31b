// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A tools library of the HSA runtime (HSA_TOOLS_LIB): fills the table of the finalizer extension,
// which the runtime leaves empty, with functions of libhsa-ext-finalize64.so.1 beside it. That
// library and LLVM with it are loaded when a program first asks for the finalizer.
#include <cstdio>
#include <mutex>
#include <string>

#include <dlfcn.h>

#include "finalize_extension/code_objects.h"

namespace {

using cuvette::finalize_extension::Finalized;

constexpr const char* kLibrary = "libhsa-ext-finalize64.so.1";

/// The functions of the finalizer library.
struct Finalizer {
  decltype(&hsa_ext_program_create) create = nullptr;
  decltype(&hsa_ext_program_destroy) destroy = nullptr;
  decltype(&hsa_ext_program_add_module) add_module = nullptr;
  decltype(&hsa_ext_program_iterate_modules) iterate_modules = nullptr;
  decltype(&hsa_ext_program_get_info) get_info = nullptr;
  decltype(&hsa_ext_program_finalize) finalize = nullptr;
  void (*load)(const HsaApiTable*) = nullptr;
  void (*unload)() = nullptr;
};

std::mutex mutex;
HsaApiTable* table = nullptr;
CoreApiTable core;                ///< the runtime's own functions
const Finalizer* used = nullptr;  ///< told of the table

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// The library in the folder of this one; nullptr, with a message, when it is not there.
const Finalizer* load_library() {
  Dl_info self{};
  std::string path = kLibrary;
  if (dladdr(reinterpret_cast<void*>(&load_library), &self) != 0 && self.dli_fname != nullptr) {
    const std::string own = self.dli_fname;
    path = own.substr(0, own.rfind('/') + 1) + kLibrary;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* f = new Finalizer;
  if (library == nullptr || !find(library, "hsa_ext_program_create_impl", f->create) ||
      !find(library, "hsa_ext_program_destroy_impl", f->destroy) ||
      !find(library, "hsa_ext_program_add_module_impl", f->add_module) ||
      !find(library, "hsa_ext_program_iterate_modules_impl", f->iterate_modules) ||
      !find(library, "hsa_ext_program_get_info_impl", f->get_info) ||
      !find(library, "hsa_ext_program_finalize_impl", f->finalize) ||
      !find(library, "Load", f->load) || !find(library, "Unload", f->unload)) {
    std::fprintf(stderr, "cuvette: error: no finalizer: %s\n", dlerror());
    delete f;
    return nullptr;
  }
  return f;
}

/// Loaded once, and told of the runtime once for each time that it is initialized.
const Finalizer* finalizer() {
  static const Finalizer* const library = load_library();
  const std::lock_guard lock(mutex);
  if (library != nullptr && used == nullptr && table != nullptr) {
    HsaApiTable own = *table;
    own.core_ = &core;
    library->load(&own);
    used = library;
  }
  return library;
}

hsa_status_t create(hsa_machine_model_t machine_model, hsa_profile_t profile,
                    hsa_default_float_rounding_mode_t rounding, const char* options,
                    hsa_ext_program_t* program) {
  const Finalizer* f = finalizer();
  return f == nullptr ? HSA_STATUS_ERROR
                      : f->create(machine_model, profile, rounding, options, program);
}

hsa_status_t destroy(hsa_ext_program_t program) {
  const Finalizer* f = finalizer();
  return f == nullptr ? HSA_STATUS_ERROR : f->destroy(program);
}

hsa_status_t add_module(hsa_ext_program_t program, hsa_ext_module_t module) {
  const Finalizer* f = finalizer();
  return f == nullptr ? HSA_STATUS_ERROR : f->add_module(program, module);
}

hsa_status_t iterate_modules(hsa_ext_program_t program,
                             hsa_status_t (*callback)(hsa_ext_program_t, hsa_ext_module_t, void*),
                             void* data) {
  const Finalizer* f = finalizer();
  return f == nullptr ? HSA_STATUS_ERROR : f->iterate_modules(program, callback, data);
}

hsa_status_t get_info(hsa_ext_program_t program, hsa_ext_program_info_t attribute, void* value) {
  const Finalizer* f = finalizer();
  return f == nullptr ? HSA_STATUS_ERROR : f->get_info(program, attribute, value);
}

hsa_status_t finalize(hsa_ext_program_t program, hsa_isa_t isa, int32_t call_convention,
                      hsa_ext_control_directives_t control_directives, const char* options,
                      hsa_code_object_type_t type, hsa_code_object_t* code_object) {
  const Finalizer* f = finalizer();
  if (f == nullptr) return HSA_STATUS_ERROR;
  if (const int status = f->finalize(program, isa, call_convention, control_directives, options,
                                     type, code_object);
      status != HSA_STATUS_SUCCESS) {
    return static_cast<hsa_status_t>(status);
  }
  Finalized facts;
  facts.isa = isa;
  facts.type = type;
  f->get_info(program, HSA_EXT_PROGRAM_INFO_MACHINE_MODEL, &facts.machine_model);
  f->get_info(program, HSA_EXT_PROGRAM_INFO_PROFILE, &facts.profile);
  f->get_info(program, HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &facts.rounding);
  cuvette::finalize_extension::remember(*code_object, facts);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* api, uint64_t, uint64_t,
                                                   const char* const*) {
  if (api == nullptr || api->core_ == nullptr || api->finalizer_ext_ == nullptr ||
      api->core_->version.major_id != HSA_CORE_API_TABLE_MAJOR_VERSION) {
    std::fprintf(stderr,
                 "cuvette: error: no finalizer: the tables of this HSA runtime are others\n");
    return false;
  }
  const std::lock_guard lock(mutex);
  table = api;
  core = *api->core_;
  FinalizerExtTable& functions = *api->finalizer_ext_;
  functions.version = {HSA_FINALIZER_API_TABLE_MAJOR_VERSION, sizeof(FinalizerExtTable),
                       HSA_FINALIZER_API_TABLE_STEP_VERSION, 0};
  functions.hsa_ext_program_create_fn = create;
  functions.hsa_ext_program_destroy_fn = destroy;
  functions.hsa_ext_program_add_module_fn = add_module;
  functions.hsa_ext_program_iterate_modules_fn = iterate_modules;
  functions.hsa_ext_program_get_info_fn = get_info;
  functions.hsa_ext_program_finalize_fn = finalize;
  cuvette::finalize_extension::wrap(*api->core_);
  return true;
}

__attribute__((visibility("default"))) void OnUnload() {
  const std::lock_guard lock(mutex);
  if (used != nullptr) used->unload();
  used = nullptr;
  table = nullptr;
  cuvette::finalize_extension::forget_all();
}

}  // extern "C"
