// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/rtl_module.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>

#include "base/own_tree.h"
#include "base/shared_module.h"
#include "ip/matrix_core/matrix_device.h"

namespace cuvette::ip {
namespace {

namespace fs = std::filesystem;
using base::Error;

/// The folder of the modules.
fs::path module_folder() {
  if (const char* named = std::getenv("CUVETTE_RTL_DIR"); named != nullptr) return named;
  std::error_code ignored;
  if (auto own = base::find_in_own_tree("lib/cuvette/rtl"); fs::is_directory(own, ignored)) {
    return own;
  }
  return CUVETTE_RTL_INSTALL_DIR;
}

base::Result<const RtlModule*> load(const std::string& name) {
  const std::string file = (module_folder() / (name + ".so")).string();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Error("no such file, expected a module of Verilated RTL: build the target cuvette_rtl_" +
                     name +
                     ", or cuvette_rtl for all of them, or name the folder in CUVETTE_RTL_DIR",
                 {file});
  }
  return base::load_interface<RtlModule>(file, "cuvette_rtl", CUVETTE_RTL_VERSION, "RTL");
}

}  // namespace

std::string rtl_module_of(const std::string& block, isa::Target target) {
  static const std::map<std::string, std::string> modules = {{"cache", "cache"},
                                                             {"crossbar", "crossbar"},
                                                             {"gds", "gds"},
                                                             {"instruction_cache", "cache"},
                                                             {"l2", "cache"},
                                                             {"lds", "lds"},
                                                             {"matrix_core", "matrix_core"},
                                                             {"memory", "memory"},
                                                             {"scalar_cache", "cache"},
                                                             {"simd", "simd"},
                                                             {"spi", "spi"},
                                                             {"valu", "valu"},
                                                             {"vector_l1", "cache"},
                                                             {"vrf", "vrf"}};
  const auto found = modules.find(block);
  if (found == modules.end()) return "";
  const bool of_targets = block == "valu" || (block == "matrix_core" && has_matrix_rtl(target));
  if (!of_targets || target == isa::Target::Gfx908) return found->second;
  return found->second + "_" + std::string(isa::name_of(target));
}

base::Result<const RtlModule*> load_rtl(const std::string& module) {
  static std::mutex mutex;
  static std::map<std::string, const RtlModule*> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(module); found != loaded.end()) return found->second;
  auto result = load(module);
  if (result.ok()) loaded.emplace(module, result.value());
  return result;
}

base::Status check_rtl(const std::string& block, isa::Target target) {
  const std::string module = rtl_module_of(block, target);
  if (module.empty()) return {};
  const auto loaded = load_rtl(module);
  return loaded.ok() ? base::Status() : loaded.error();
}

std::unique_ptr<PinDevice> simulate_rtl(const std::string& module, const RtlRequest& request,
                                        contract::PortCounts& ports) {
  const auto loaded = load_rtl(module);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().str());
  std::unique_ptr<PinDevice> device(loaded.value()->create(request, ports));
  if (device == nullptr) {
    throw std::runtime_error("the RTL of " + module + " has no build " + request.build);
  }
  return device;
}

}  // namespace cuvette::ip
