// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "run/probe.h"

// Cases of the probe door on each of its engines that needs no RTL, for each target.
namespace cuvette::probe_door {

using nlohmann::json;

/// Engine and target.
using Door = std::tuple<const char*, const char*>;

class ProbeDoor : public testing::TestWithParam<Door> {
 protected:
  std::string engine() const { return std::get<0>(GetParam()); }
  std::string target() const { return std::get<1>(GetParam()); }
  bool before(const char* other) const { return target() < other; }

  void SetUp() override {
    auto made = run::Probe::create(engine());
    ASSERT_TRUE(made.ok()) << made.error().str();
    probe_ = std::move(made).value();
  }
  /// The answer to a case of this target.
  json ask(json object) {
    object["id"] = "case";
    object["target"] = target();
    return json::parse(probe_->answer(object).dump());
  }
  /// The returning form of an atomic: the bit has another name on gfx942.
  std::string with_return() const { return target() == "gfx942" ? " sc0" : " glc"; }

  /// `object` with `defaults` where it says nothing, against answers: one value for a vector
  /// register is that of all lanes.
  void check(const std::string& what, json object, const json& defaults, const json& expected) {
    for (const auto& [key, value] : defaults.items()) {
      if (!object.contains(key)) {
        object[key] = value;
        continue;
      }
      if (!value.is_object()) continue;
      for (const auto& [name, item] : value.items()) {
        if (!object[key].contains(name)) object[key][name] = item;
      }
    }
    object["read"] = json::array();
    for (const auto& [key, value] : expected.items()) object["read"].push_back(key);
    const json answer = ask(object);
    ASSERT_EQ(answer["status"], "ok") << what << ": " << answer.dump();
    for (const auto& [key, value] : expected.items()) {
      const bool row = key[0] == 'v' && key != "vcc" && !value.is_array();
      EXPECT_EQ(answer[key], row ? json(std::vector<json>(wave::kLanes, value)) : value)
          << what << ": " << key;
    }
  }

  std::unique_ptr<run::Probe> probe_;
};

inline std::string name_of(const testing::TestParamInfo<Door>& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
}
inline auto all_doors() {
  return testing::Combine(testing::Values("golden", "tlm"),
                          testing::Values("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"));
}

}  // namespace cuvette::probe_door
