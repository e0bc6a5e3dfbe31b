// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/common/recording_line.h"

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace cuvette::ip {

namespace recording {

using base::Error;

namespace {

std::string timing_text(const machine::TimingRule& rule) {
  switch (rule.kind) {
    case machine::TimingRule::Kind::Exact:
      return "exact";
    case machine::TimingRule::Kind::Bounded:
      return "bounded(" + std::to_string(rule.min_cycles) + "," + std::to_string(rule.max_cycles) +
             ")";
    default:
      return "ignore";
  }
}

}  // namespace

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

std::string brief(const Json& message) {
  constexpr size_t kWhole = 4, kShown = 2;
  if (!message.is_object() && !message.is_array()) return message.dump();
  const bool cut = message.is_array() && message.size() > kWhole;
  std::string text;
  size_t shown = 0;
  for (const auto& [key, value] : message.items()) {
    if (cut && shown++ == kShown) break;
    if (!text.empty()) text += ",";
    if (message.is_object()) text += '"' + key + "\":";
    text += brief(value);
  }
  if (cut) text += ", ... " + std::to_string(message.size()) + " in all";
  return message.is_object() ? "{" + text + "}" : "[" + text + "]";
}

Line::Line(const std::string& text, base::Location where) : where_(std::move(where)) {
  json_ = Json::parse(text, nullptr, false);
  if (!json_.is_object()) fail("expected a JSON object");
}

Line::Line(Json object, base::Location where) : where_(std::move(where)), json_(std::move(object)) {
  if (!json_.is_object()) fail("expected a JSON object");
}

const Json* Line::get(const char* key) {
  ++taken_;
  if (!error_.ok()) return nullptr;
  const auto found = json_.find(key);
  if (found == json_.end()) {
    fail(std::string("key '") + key + "' is missing");
    return nullptr;
  }
  return &*found;
}

std::string Line::text(const char* key) {
  const Json* value = get(key);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  if (value != nullptr) fail(std::string("'") + key + "' must be a string");
  return {};
}

uint64_t Line::number(const char* key, uint64_t most) {
  const Json* value = get(key);
  return value != nullptr ? number_of(key, *value, most) : 0;
}

uint64_t Line::number_of(const char* key, const Json& value, uint64_t most) {
  uint64_t number = 0;
  bool good = false;
  if (value.is_number_unsigned()) {
    number = value.get<uint64_t>();
    good = true;
  } else if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    good = text.size() > 2 && text.size() <= 18 && text.compare(0, 2, "0x") == 0 &&
           text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
    if (good) number = std::stoull(text.substr(2), nullptr, 16);
  }
  if (good && number <= most) return number;
  fail(std::string("'") + key + "' must be a number from 0 to " + std::to_string(most));
  return 0;
}

void Line::fail(const std::string& what) {
  if (error_.ok()) error_ = Error(what, where_);
}

base::Status Line::finish() {
  if (error_.ok() && json_.size() != taken_) fail("unknown keys");
  return error_;
}

Json head_json(const RecordingHead& r, const char* block) {
  Json head;
  head["cuvette"] = "transactions";
  head["schema"] = 2;
  head["block"] = block;
  head["device"] = r.device;
  head["library"] = r.library;
  head["target"] = isa::name_of(r.target);
  head["seed"] = r.seed;
  head["compute_unit"] = r.compute_unit;
  head["simd"] = r.simd;
  head["timing"] = timing_text(r.timing);
  head["field"] = r.field;
  return head;
}

std::string read_head(Line& line, RecordingHead& out) {
  if (line.text("cuvette") != "transactions") line.fail("'cuvette' must be \"transactions\"");
  if (line.number("schema", 2) != 2) line.fail("'schema' must be 2");
  std::string block = line.text("block");
  out.device = line.text("device");
  if (out.device != "rtl" && out.device.rfind("dut:", 0) != 0) {
    line.fail("'device' must be rtl or dut:NAME");
  }
  out.library = line.text("library");
  if (const auto target = isa::target_from_name(line.text("target"))) {
    out.target = *target;
  } else {
    line.fail("unknown target");
  }
  out.seed = line.number("seed", ~uint64_t{0});
  out.compute_unit = static_cast<uint32_t>(line.number("compute_unit", 0xffff));
  out.simd = static_cast<uint32_t>(line.number("simd", 0xff));
  if (const auto rule = machine::parse_timing_rule(line.text("timing"))) {
    out.timing = *rule;
  } else {
    line.fail("'timing': " + rule.error().what);
  }
  out.field = line.text("field");
  return block;
}

}  // namespace recording
}  // namespace cuvette::ip
