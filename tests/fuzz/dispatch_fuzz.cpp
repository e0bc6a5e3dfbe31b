// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Any text as a dispatch file: an error or a DispatchFile, never a crash, and bounded memory.
#include <cstddef>
#include <cstdint>
#include <string>

#include "run/dispatch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A buffer's declared size is honoured (up to 16 GiB); what this looks for is in the text.
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto result = cuvette::run::parse_dispatch_file(text, "fuzz.yaml");
  if (!result.ok()) (void)result.error().str();
  return 0;
}
