// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "cli/verb.h"
#include "golden/replay.h"

namespace cuvette::cli {
namespace {

int replay(const std::string& path) {
  auto result = golden::replay_log(path);
  if (!result) return report(result.error());
  if (!result->difference.empty()) {
    print_line(result->difference);
    fmt::print("{}: differs from golden after {} instructions\n", path, result->records);
    return kCheckFailed;
  }
  if (result->records == 0) {
    fmt::print("{}: FAILED: nothing was compared, no instruction retires in the log\n", path);
    fmt::print("  never started  {} waves of {} dispatches\n", result->unstarted_waves,
               result->dispatches);
    return kCheckFailed;
  }
  fmt::print("{}: agrees with golden\n", path);
  fmt::print("  replayed       {} instructions, {} waves, {} dispatches\n", result->records,
             result->waves, result->dispatches);
  fmt::print("  compared       {} lanes, {} accesses\n", result->lanes, result->accesses);
  fmt::print("  from the log   {} loaded values, {} clock or placement values\n", result->loads,
             result->machine_values);
  if (result->unfinished_waves != 0) {
    fmt::print("  unfinished     {} waves\n", result->unfinished_waves);
  }
  if (result->unstarted_waves != 0) {
    fmt::print("  never started  {} waves\n", result->unstarted_waves);
  }
  return kPassed;
}

}  // namespace

void add_replay(Verb& verbs) {
  auto log = std::make_shared<std::string>();
  auto verb = verbs.add("replay", "Check a retirement log written by run --log");
  verb.option("log", *log, "Retirement log").required();
  verb.does([log] { return replay(*log); });
}

}  // namespace cuvette::cli
