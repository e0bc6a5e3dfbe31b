// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any text as a dispatch file gives an error or a DispatchFile, never a crash, in
// bounded time and memory. Seeds: tests/dispatches/*.yaml.
#include <cstddef>
#include <cstdint>
#include <string>

#include "run/dispatch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Filling a gigabyte takes seconds and finds nothing: small buffers meet the same limit.
  constexpr uint64_t kBufferBytes = 1 << 16;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto result = cuvette::run::parse_dispatch_file(text, "fuzz.yaml", kBufferBytes);
  if (!result.ok()) (void)result.error().str();
  return 0;
}
