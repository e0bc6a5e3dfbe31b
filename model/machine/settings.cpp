// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/yaml.h"
#include "machine/description_reader.h"

namespace cuvette::machine {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::Yaml;

constexpr const char* kSource = "--set";

/// "l2.slice.ways" as names; nothing: there is an empty one.
std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    if (end == begin) return {};
    names.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

Status change_field(const Yaml& root, const std::string& setting) {
  const size_t equals = setting.find('=');
  std::vector<std::string> names;
  if (equals != std::string::npos) names = names_of(setting.substr(0, equals));
  if (names.empty()) {
    return Error(fmt::format("--set expects PATH=VALUE, found '{}'", setting));
  }
  // {value: N, source: S} and {name: dut:mine, library: FILE} are one field each.
  Yaml at = root;
  for (const std::string& name : names) {
    if (at.is_map()) {
      if (const auto inner = at.peek(name)) {
        at = *inner;
        continue;
      }
    }
    return root.set(names, setting.substr(equals + 1), "--set " + setting);
  }
  const std::string value = setting.substr(equals + 1), origin = "--set " + setting;
  if (at.is_map() && at.peek("value")) {
    names.emplace_back("source");
    if (auto s = root.set(names, kSource, origin); !s.ok()) return s;
    names.back() = "value";
  } else if (at.is_map() && names.front() == "implementations") {
    names.emplace_back("name");
  }
  return root.set(names, value, origin);
}

Result<Yaml> changed(Result<Yaml> root, const std::vector<std::string>& settings) {
  if (!root) return root.error();
  for (const std::string& setting : settings) {
    if (auto s = change_field(*root, setting); !s.ok()) return s.error();
  }
  return root;
}

/// An error in what settings have made of a description names them, when its place does not.
Error with_settings(Error error, const std::vector<std::string>& settings) {
  if (settings.empty() || error.where.file.rfind(kSource, 0) == 0) return error;
  error.what +=
      fmt::format(", with {} {}", kSource, fmt::join(settings, fmt::format(" {} ", kSource)));
  return error;
}

Result<GpuConfig> read_changed(const Yaml& root, const std::string& path,
                               const std::vector<std::string>& settings) {
  auto description = read_description(root, path);
  if (!description) return with_settings(description.error(), settings);
  return description;
}

Result<Yaml> load(const std::string& path, const std::vector<std::string>& settings) {
  return changed(Yaml::load(path), settings);
}

/// Empty for a list or map.
std::string text_of(const Yaml& node) {
  const auto text = node.text();
  return text ? *text : std::string();
}

void list(const Yaml& node, const std::string& path, std::vector<Setting>& out) {
  if (!node.is_map()) {
    out.push_back({path, text_of(node), {}});
    return;
  }
  const auto value = node.peek("value"), source = node.peek("source");
  if (value && source) {
    out.push_back({path, text_of(*value), text_of(*source)});
    return;
  }
  for (const std::string& key : node.keys()) {
    list(*node.peek(key), path.empty() ? key : path + "." + key, out);
  }
}

}  // namespace

Result<GpuConfig> load_description(const std::string& path,
                                   const std::vector<std::string>& settings) {
  const auto root = load(path, settings);
  if (!root) return root.error();
  return read_changed(*root, path, settings);
}

Result<GpuConfig> parse_description(const std::string& text, const std::string& file,
                                    const std::vector<std::string>& settings) {
  const auto root = changed(Yaml::parse(text, file), settings);
  if (!root) return root.error();
  return read_changed(*root, file, settings);
}

Result<std::vector<Setting>> list_fields(const std::string& path,
                                         const std::vector<std::string>& settings) {
  const auto root = load(path, settings);
  if (!root) return root.error();
  if (const auto good = read_changed(*root, path, settings); !good) return good.error();
  std::vector<Setting> out;
  list(*root, {}, out);
  return out;
}

}  // namespace cuvette::machine
