// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a host-event log, read to its end, and replayed when it is one of
// the golden engine. Run: host_log_fuzz tests/fuzz/corpus/host_log
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "host/replay.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("log", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  cuvette::host::EventReader reader(path);
  if (const auto header = reader.header(); header.ok()) {
    for (;;) {
      const auto event = reader.next();
      if (!event.ok() && event.error().what.empty()) std::abort();
      if (!event.ok() || std::holds_alternative<cuvette::host::EndEvent>(*event)) break;
    }
  }
  cuvette::host::ReplayOptions options;
  options.golden_only = true;
  options.watchdog = 100'000;
  options.instructions = 10'000;
  const auto report = cuvette::host::replay_host_log(path, options);
  close(file);
  // An error says something; SystemC engines are one here.
  if (!report.ok() && report.error().what.empty()) std::abort();
  return 0;
}
