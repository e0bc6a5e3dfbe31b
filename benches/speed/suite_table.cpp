// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/own_tree.h"
#include "base/yaml.h"
#include "speed/suite.h"

namespace cuvette::bench {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;

/// The suite of a build tree lies beside its bin.
Result<std::string> own_suite() {
  std::error_code ignored;
  const fs::path folder = base::find_in_own_tree("suite");
  if (fs::is_regular_file(folder / "suite.yaml", ignored)) return folder.string();
  return Error(
      fmt::format("no suite of kernels in {}: give --suite DIR, the folder 'suite' of a "
                  "build tree",
                  folder.string()));
}

Result<SuiteKernel> read_row(const base::Yaml& row) {
  SuiteKernel kernel;
  for (const auto& [key, value] :
       {std::pair{"name", &kernel.name}, std::pair{"class", &kernel.kind},
        std::pair{"target", &kernel.target}}) {
    auto node = row.need(key);
    if (!node) return node.error();
    auto text = node->text();
    if (!text) return text.error();
    *value = *text;
  }
  return kernel;
}

}  // namespace

Result<std::vector<SuiteKernel>> load_suite(const SuiteOptions& options) {
  std::string folder = options.folder;
  if (folder.empty()) {
    auto own = own_suite();
    if (!own) return own.error();
    folder = *own;
  }
  auto root = base::Yaml::load(folder + "/suite.yaml");
  if (!root) return root.error();
  auto rows = root->need("kernels");
  if (!rows) return rows.error();
  std::vector<SuiteKernel> out;
  std::set<std::string> known, classes;
  for (size_t i = 0; i < rows->size(); ++i) {
    auto kernel = read_row(rows->at(i));
    if (!kernel) return kernel.error();
    known.insert(kernel->name);
    classes.insert(kernel->kind);
    const std::string base = fmt::format("{0}/{1}/{2}/{2}", folder, options.size, kernel->name);
    kernel->file = base + ".yaml";
    kernel->timed = base + ".timed.yaml";
    out.push_back(std::move(*kernel));
  }
  for (const std::string& name : options.kernels) {
    if (known.count(name) != 0 || classes.count(name) != 0) continue;
    return Error(fmt::format("no kernel or class '{}' in the suite; there are {}; classes {}", name,
                             fmt::join(known, ", "), fmt::join(classes, ", ")));
  }
  const auto unwanted = [&options](const SuiteKernel& kernel) {
    const auto& names = options.kernels;
    return !names.empty() && std::find(names.begin(), names.end(), kernel.name) == names.end() &&
           std::find(names.begin(), names.end(), kernel.kind) == names.end();
  };
  out.erase(std::remove_if(out.begin(), out.end(), unwanted), out.end());
  for (const SuiteKernel& kernel : out) {
    std::error_code failed;
    if (fs::is_regular_file(kernel.file, failed)) continue;
    return Error(fmt::format("no dispatch file of kernel '{}': build the target '{}'", kernel.name,
                             options.size == "bench" ? "suite_bench" : "suite"),
                 {.file = kernel.file});
  }
  if (out.empty()) return Error("the suite has no kernels", {.file = folder + "/suite.yaml"});
  return out;
}

}  // namespace cuvette::bench
