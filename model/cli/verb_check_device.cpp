// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "cli/verb.h"

#ifdef CUVETTE_WITH_RTL
#include "cache/cache.h"
#include "gpu/configs.h"
#include "machine/settings.h"
#include "run/device_check.h"
#endif

namespace cuvette::cli {
namespace {

struct Options {
  std::string block, role, library, config = "small", wave;
  std::vector<std::string> settings, directories;
  uint32_t seed = 1;
  unsigned requests = 10'000;
  bool stalls = false, fast = false;
};

#ifdef CUVETTE_WITH_RTL

constexpr cache::Role kRoles[] = {cache::Role::VectorL1, cache::Role::Scalar,
                                  cache::Role::Instruction, cache::Role::L2};

/// The block, with the role of a cache in its place. Errors: no such block or role, a role that is
/// missing or not asked for.
base::Result<std::string> block_of(const Options& o) {
  const auto known = run::checkable_blocks();
  std::vector<std::string> roles, blocks = {"cache"};
  for (const auto& name : known) {
    const bool is_role = std::ranges::any_of(
        kRoles, [&name](cache::Role role) { return name == cache::name_of(role); });
    (is_role ? roles : blocks).push_back(name);
  }
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!in(blocks, o.block)) {
    return base::Error(fmt::format("no requester for block '{}', expected one of {}", o.block,
                                   fmt::join(blocks, ", ")));
  }
  if (o.block != "cache") {
    if (o.role.empty()) return o.block;
    return base::Error(fmt::format("--role is for block cache, found block {}", o.block));
  }
  if (in(roles, o.role)) return o.role;
  return base::Error(fmt::format("--role of block cache: expected one of {}, found '{}'",
                                 fmt::join(roles, ", "), o.role));
}

void print_coverage(const run::DeviceCheck& r) {
  std::vector<std::string> missed;
  for (const auto& [point, hits] : r.coverage) {
    if (hits == 0) missed.push_back(point);
  }
  fmt::print("  {:<12} {} of {} points\n", "covered", r.coverage.size() - missed.size(),
             r.coverage.size());
  for (const auto& [point, hits] : r.coverage) {
    if (hits != 0) fmt::print("    {:>10} {}\n", hits, point);
  }
  for (const auto& point : missed) fmt::print("    {:>10} {}\n", "never", point);
}

int check_device(const Options& o) {
  const auto block = block_of(o);
  if (!block) return report(block.error());
  if (o.fast && !o.library.empty()) {
    return report(base::Error("--fast is a build of our RTL, --library takes another device"));
  }
  if (auto s = check_outputs({o.library}, {o.wave}); !s.ok()) return report(s.error());
  if (auto s = base::check_replaceable(o.wave); !s.ok()) return report(s.error());
  const auto path = machine::find_description(o.config, o.directories);
  if (!path) return report(path.error());
  const auto description = machine::load_description(*path, o.settings);
  if (!description) return report(description.error());
  if (auto s = gpu::check_description(*description); !s.ok()) return report(s.error());
  run::DeviceCheckOptions options;
  options.block = *block;
  options.library = o.library;
  options.seed = o.seed;
  options.requests = o.requests;
  options.stalls = o.stalls;
  options.fast = o.fast;
  options.wave = o.wave;
  const auto result = run::check_device(*description, options);
  if (!result) return report(result.error());
  fmt::print("{} ({}), seed {}: {} answers in {} cycles: {}\n", *block, result->device, o.seed,
             result->answers, result->cycles, result->passed() ? "passed" : "FAILED");
  std::vector<std::string> compared;
  for (const auto& [name, count] : result->items) {
    compared.push_back(fmt::format("{} {}", count, name));
  }
  fmt::print("  {:<12} {}\n", "compared", fmt::join(compared, ", "));
  print_coverage(*result);
  if (const auto& mismatch = result->mismatch) {
    fmt::print("{}\n", mismatch->report);
  } else if (!result->wrong.empty()) {
    fmt::print("{}\n", result->wrong);
  } else if (result->compared == 0) {
    fmt::print("nothing was compared: the device answered nothing\n");
  } else if (!result->done) {
    fmt::print("not everything was answered: nothing came for 50000 cycles\n");
  }
  return result->passed() ? kPassed : kCheckFailed;
}

#else

int check_device(const Options&) {
  return not_built("check-device", "no RTL in this build");
}

#endif

}  // namespace

void add_check_device(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("check-device", "Check a device alone under random requests");
  verb.option("block", o->block, "cache, crossbar, gds, lds, memory or spi").required();
  verb.option("--role", o->role, "Of a cache: its role in the machine");
  verb.option("--library", o->library, "Shared module with the device; else our RTL");
  verb.option("--config", o->config, "Machine description: a name or a file").with_default();
  verb.option("--set", o->settings, "PATH=VALUE: change a field of the machine description");
  verb.option("--config-dir", o->directories, "Where to look for machine descriptions first");
  verb.option("--seed", o->seed, "Of requests and start values").with_default();
  verb.option("--requests", o->requests, "How many; of an spi: dispatches")
      .between(1u, 1'000'000'000u)
      .with_default();
  verb.flag("--stalls", o->stalls, "Hold back answers of the device by the seed");
  verb.flag("--fast", o->fast, "Our RTL as built for speed: every bit starts at 0");
  verb.option("--wave", o->wave, "Write RTL waveforms (FST)");
  verb.does([o] { return check_device(*o); });
}

}  // namespace cuvette::cli
