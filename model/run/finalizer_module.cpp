// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/finalizer_module.h"

#include <filesystem>

#include "base/own_tree.h"
#include "base/shared_module.h"

namespace cuvette::run {
namespace {

namespace fs = std::filesystem;
using base::Error;

base::Result<const finalizer::Module*> load() {
  std::error_code ignored;
  const fs::path own = base::find_in_own_tree("lib/cuvette") / "finalizer.so";
  const fs::path installed = CUVETTE_FINALIZER_INSTALLED;
  const bool from_prefix = !fs::exists(own, ignored) && fs::exists(installed, ignored);
  const std::string file = (from_prefix ? installed : own).string();
  if (!fs::exists(file, ignored)) {
    return Error("no such file, expected the finalizer: build the target cuvette_finalizer_module",
                 {file});
  }
  return base::load_interface<finalizer::Module>(file, "cuvette_finalizer", CUVETTE_VERSION,
                                                 "the finalizer");
}

}  // namespace

base::Result<const finalizer::Module*> load_finalizer() {
  static const base::Result<const finalizer::Module*> module = load();
  return module;
}

}  // namespace cuvette::run
