// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/own_tree.h"

#include <system_error>

#include <dlfcn.h>
#include <link.h>

namespace cuvette::base {
namespace {

namespace fs = std::filesystem;

/// The program or shared library that this code is linked into; empty: not known.
fs::path own_file() {
  Dl_info info{};
  link_map* module = nullptr;
  const auto* here = reinterpret_cast<const void*>(&find_in_own_tree);
  fs::path file = "/proc/self/exe";  // the program has no name in the list of modules
  if (dladdr1(here, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) != 0 &&
      module != nullptr && module->l_name != nullptr && *module->l_name != 0) {
    file = module->l_name;
  }
  std::error_code failed;
  file = fs::canonical(file, failed);
  return failed ? fs::path() : file;
}

}  // namespace

fs::path find_in_own_tree(const fs::path& relative) {
  std::error_code ignored;
  const fs::path file = own_file();
  for (fs::path place = file.parent_path(); place.has_relative_path();
       place = place.parent_path()) {
    if (fs::path found = place / relative; fs::is_directory(found, ignored)) return found;
  }
  return file.empty() ? file : file.parent_path().parent_path() / relative;
}

}  // namespace cuvette::base
