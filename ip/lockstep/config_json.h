// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "ip/common/recording_line.h"

/// Settings of a block in the line of a recording. A block has `visit_config(config, visitor)`,
/// which calls the visitor with name and number of every setting that its reference depends on.
namespace cuvette::ip::recording {

/// Writer of settings.
class JsonOfConfig {
 public:
  explicit JsonOfConfig(Json& out) : out_(out) {}
  template <class T>
  void operator()(const char* name, const T& setting) {
    out_[name] = static_cast<uint64_t>(setting);
  }

 private:
  Json& out_;
};

/// Reader of settings. Errors go to the line.
class FieldsOfConfig {
 public:
  explicit FieldsOfConfig(Line& line) : line_(line) {}
  template <class T>
  void operator()(const char* name, T& setting) {
    if constexpr (std::is_enum_v<T>) {
      using Number = std::underlying_type_t<T>;
      setting = static_cast<T>(line_.number(name, uint64_t{std::numeric_limits<Number>::max()}));
    } else {
      setting = static_cast<T>(line_.number(name, uint64_t{std::numeric_limits<T>::max()}));
    }
  }

 private:
  Line& line_;
};

template <class Config>
Json config_json(const Config& config) {
  Json out = Json::object();
  visit_config(config, JsonOfConfig(out));
  return out;
}

}  // namespace cuvette::ip::recording
