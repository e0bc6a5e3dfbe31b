// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/module.h"

#include <map>
#include <mutex>
#include <utility>

#include "finalizer/assembler.h"
#include "finalizer/link.h"

namespace {

using namespace cuvette;

/// Setting up LLVM's tables takes longer than most texts.
base::Result<std::vector<uint32_t>> assemble(const std::vector<std::string>& lines,
                                             const std::string& target) {
  static std::mutex mutex;
  static std::map<std::string, finalizer::Assembler> assemblers;
  const std::lock_guard lock(mutex);
  auto found = assemblers.find(target);
  if (found == assemblers.end()) {
    auto made = finalizer::Assembler::create(target);
    if (!made) return made.error();
    found = assemblers.emplace(target, std::move(made).value()).first;
  }
  return found->second.assemble(lines);
}

constexpr finalizer::Module kModule = {CUVETTE_VERSION, &finalizer::finalize,
                                       &finalizer::link_relocatable, &assemble};

}  // namespace

extern "C" const finalizer::Module* cuvette_finalizer() {
  return &kModule;
}
