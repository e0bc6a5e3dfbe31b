// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalize_extension/options.h"

#include <sstream>

namespace cuvette::finalize_extension {

base::Result<FinalizeOptions> read_options(const char* text) {
  constexpr const char* kVersion = "--code-object=";
  FinalizeOptions options;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) {
    if (word.rfind(kVersion, 0) != 0) {
      options.unknown.push_back(word);
      continue;
    }
    const std::string version = word.substr(std::string(kVersion).size());
    if (version != "2" && version != "4" && version != "5") {
      return base::Error("--code-object: expected 2, 4 or 5, found '" + version + "'");
    }
    options.code_object_version = static_cast<unsigned>(version[0] - '0');
  }
  return options;
}

}  // namespace cuvette::finalize_extension
