// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/verb.h"
#include "gpu/configs.h"
#include "machine/settings.h"

namespace cuvette::cli {
namespace {

using Fields = std::vector<machine::Setting>;

struct Options {
  std::string name, other;
  std::vector<std::string> settings, directories;
  bool provenance = false;
};

/// The fields of a description in which nothing is wrong.
base::Result<Fields> fields_of(const Options& o, const std::string& name) {
  auto path = machine::find_description(name, o.directories);
  if (!path) return path.error();
  const auto description = machine::load_description(*path, o.settings);
  if (!description) return description.error();
  if (auto s = gpu::check_description(*description); !s.ok()) return s.error();
  return machine::list_fields(*path, o.settings);
}

size_t longest(const Fields& fields, std::string machine::Setting::* part) {
  size_t most = 0;
  for (const auto& f : fields) most = std::max(most, (f.*part).size());
  return most;
}

int show(const Options& o) {
  const auto fields = fields_of(o, o.name);
  if (!fields) return report(fields.error());
  const size_t paths = longest(*fields, &machine::Setting::path);
  const size_t values = longest(*fields, &machine::Setting::value);
  for (const auto& f : *fields) {
    if (o.provenance && !f.source.empty()) {
      fmt::print("{:<{}}  {:<{}}  {}\n", f.path, paths, f.value, values, f.source);
    } else {
      fmt::print("{:<{}}  {}\n", f.path, paths, f.value);
    }
  }
  return kPassed;
}

int check(const Options& o) {
  const auto fields = fields_of(o, o.name);
  if (!fields) return report(fields.error());
  fmt::print("{}: {} fields, nothing wrong\n", o.name, fields->size());
  return kPassed;
}

const machine::Setting* find(const Fields& fields, const std::string& path) {
  const auto found = std::ranges::find(fields, path, &machine::Setting::path);
  return found == fields.end() ? nullptr : &*found;
}

int diff(const Options& o) {
  const auto a = fields_of(o, o.name);
  if (!a) return report(a.error());
  const auto b = fields_of(o, o.other);
  if (!b) return report(b.error());
  Fields all = *a;
  for (const auto& f : *b) {
    if (find(all, f.path) == nullptr) all.push_back(f);
  }
  const size_t paths = longest(all, &machine::Setting::path);
  const auto text = [](const machine::Setting* f) { return f == nullptr ? "-" : f->value; };
  unsigned different = 0;
  for (const auto& f : all) {
    const std::string left = text(find(*a, f.path)), right = text(find(*b, f.path));
    if (left == right) continue;
    ++different;
    fmt::print("{:<{}}  {} -> {}\n", f.path, paths, left, right);
  }
  return different == 0 ? kPassed : kCheckFailed;
}

}  // namespace

void add_machine(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("machine", "Look at machine descriptions");
  verb.needs_verb();
  const auto add = [&](const char* name, const char* what, int (*action)(const Options&)) {
    Verb sub = verb.add(name, what);
    sub.option("name", o->name, "Name or file of a machine description").required();
    sub.option("--config-dir", o->directories, "Folder of machine descriptions");
    sub.option("--set", o->settings, "PATH=VALUE: change a field");
    sub.does([o, action] { return action(*o); });
    return sub;
  };
  add("show", "Print every field", show)
      .flag("--provenance", o->provenance, "With the source of every number");
  add("check", "Say whether the machine can be built", check);
  add("diff", "Print the fields in which two machines differ (status 1: some do)", diff)
      .option("other", o->other, "The other one")
      .required();
}

}  // namespace cuvette::cli
