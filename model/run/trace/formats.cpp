// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fmt/format.h>

#include "run/trace/chrome_writer.h"
#include "run/trace/filter.h"
#include "run/trace/konata_writer.h"
#include "run/trace/options.h"
#include "run/trace/perfetto_writer.h"

namespace cuvette::run {
namespace {

/// A format of traces, chosen by the ending of a file's name.
struct Format {
  const char* ending;
  std::unique_ptr<TraceWriter> (*make)(const std::string& path, const TraceRun& run);
};

template <class Writer>
std::unique_ptr<TraceWriter> make(const std::string& path, const TraceRun& run) {
  return std::make_unique<Writer>(path, run);
}

constexpr Format kFormats[] = {{".pftrace", make<PerfettoWriter>},
                               {".json", make<ChromeWriter>},
                               {".kanata", make<KonataWriter>}};

const Format* format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const Format& f : kFormats) {
    if (ending == f.ending) return &f;
  }
  return nullptr;
}

}  // namespace

base::Status check_trace(const TraceOptions& options, const char* option) {
  if (options.on() && format_of(options.path) == nullptr) {
    return base::Error(fmt::format(
        "{} {}: expected a name that ends in .pftrace (Perfetto), .json (Chrome trace events) or "
        ".kanata (Konata)",
        option, options.path));
  }
  if (auto filter = TraceFilter::parse(options.filters); !filter) return filter.error();
  return {};
}

std::unique_ptr<TraceWriter> make_trace_writer(const std::string& path, const TraceRun& run) {
  return format_of(path)->make(path, run);
}

}  // namespace cuvette::run
