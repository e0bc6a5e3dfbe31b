// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a retirement log, text or binary, replayed on golden. Run:
// replay_fuzz tests/fuzz/corpus/replay
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "golden/replay.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("log", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const auto report = cuvette::golden::replay_log("/proc/self/fd/" + std::to_string(file));
  close(file);
  // An error says something; a report counts what it compared.
  if (!report.ok() && report.error().what.empty()) std::abort();
  return 0;
}
