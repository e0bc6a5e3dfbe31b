// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_recording.h"

#include <cinttypes>
#include <cstdio>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "isa/target.h"

namespace cuvette::ip {
namespace {

using base::Error;
using base::Result;
using Json = nlohmann::ordered_json;

constexpr size_t kMostTransactions = 4096;
constexpr uint64_t kMostCycles = uint64_t{1} << 60;

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

template <size_t N>
Json hex_list(const uint64_t (&values)[N]) {
  Json list = Json::array();
  for (const uint64_t v : values) list.push_back(hex(v));
  return list;
}

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

std::string row_text(const isa::Row& row) {
  return std::string(isa::name_of(row.format)) + "." + std::string(row.mnemonic);
}

Json json_of(const ValuTransaction& t) {
  const valu::Request& r = t.request;
  Json words = Json::array();
  for (unsigned i = 0; i < r.origin.length; ++i) words.push_back(hex(r.origin.words[i]));
  Json line;
  line["offered"] = t.offered;
  line["answered"] = t.answered != machine::kNever ? Json(t.answered) : Json(nullptr);
  line["id"] = r.id;
  line["row"] = row_text(*(isa::rows().begin() + r.row));
  line["encoding"] = static_cast<unsigned>(r.encoding);
  line["beat"] = r.beat;
  line["pass"] = r.pass;
  line["mode"] = hex(r.mode);
  line["abs"] = r.modifiers.abs;
  line["neg"] = r.modifiers.neg;
  line["neg_hi"] = r.modifiers.neg_hi;
  line["op_sel"] = r.modifiers.op_sel;
  line["op_sel_hi"] = r.modifiers.op_sel_hi;
  line["omod"] = r.modifiers.omod;
  line["clamp"] = r.modifiers.clamp ? 1 : 0;
  line["sext"] = r.modifiers.sext;
  line["sdwa_src0"] = static_cast<unsigned>(r.modifiers.sdwa_src[0]);
  line["sdwa_src1"] = static_cast<unsigned>(r.modifiers.sdwa_src[1]);
  line["sdwa_dst"] = static_cast<unsigned>(r.modifiers.sdwa_dst);
  line["sdwa_unused"] = static_cast<unsigned>(r.modifiers.sdwa_unused);
  line["exec"] = hex(r.exec);
  line["mask_in"] = hex(r.mask_in);
  line["src0"] = hex_list(r.src[0]);
  line["src1"] = hex_list(r.src[1]);
  line["src2"] = hex_list(r.src[2]);
  line["old"] = hex_list(r.old);
  line["wave"] = hex(r.origin.wave);
  line["pc"] = hex(r.origin.pc);
  line["words"] = words;
  return line;
}

/// One line of a file. Keeps the first error; every key has to be read.
class Line {
 public:
  Line(const std::string& text, base::Location where) : where_(std::move(where)) {
    json_ = Json::parse(text, nullptr, false);
    if (!json_.is_object()) fail("expected a JSON object");
  }

  const Json* get(const char* key) {
    ++taken_;
    if (!error_.ok()) return nullptr;
    const auto found = json_.find(key);
    if (found == json_.end()) {
      fail(std::string("key '") + key + "' is missing");
      return nullptr;
    }
    return &*found;
  }
  std::string text(const char* key) {
    const Json* value = get(key);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    if (value != nullptr) fail(std::string("'") + key + "' must be a string");
    return {};
  }
  uint64_t number(const char* key, uint64_t most) {
    const Json* value = get(key);
    return value != nullptr ? number_of(key, *value, most) : 0;
  }
  template <size_t N>
  size_t numbers(const char* key, uint64_t (&out)[N], uint64_t most, bool all) {
    const Json* list = get(key);
    if (list == nullptr) return 0;
    if (!list->is_array() || list->size() > N || (all && list->size() != N)) {
      fail(std::string("'") + key + "' must be a list of " + std::to_string(N) + " numbers");
      return 0;
    }
    for (size_t i = 0; i < list->size(); ++i) out[i] = number_of(key, (*list)[i], most);
    return list->size();
  }
  uint64_t number_of(const char* key, const Json& value, uint64_t most) {
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
  void fail(const std::string& what) {
    if (error_.ok()) error_ = Error(what, where_);
  }
  /// Also fails when there are keys that nobody asked for.
  base::Status finish() {
    if (error_.ok() && json_.size() != taken_) fail("unknown keys");
    return error_;
  }

 private:
  base::Location where_;
  Json json_;
  size_t taken_ = 0;
  base::Status error_;
};

void read_head(Line& line, ValuRecording& out) {
  if (line.text("cuvette") != "transactions") line.fail("'cuvette' must be \"transactions\"");
  if (line.number("schema", 2) != 2) line.fail("'schema' must be 2");
  if (line.text("block") != "valu") line.fail("'block' must be \"valu\"");
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
}

void read_transaction(Line& line, ValuTransaction& t) {
  valu::Request& r = t.request;
  t.offered = line.number("offered", kMostCycles);
  const Json* answered = line.get("answered");
  if (answered != nullptr && !answered->is_null()) {
    t.answered = line.number_of("answered", *answered, kMostCycles);
  }
  r.id = static_cast<uint32_t>(line.number("id", 0xffffffff));
  const std::string name = line.text("row");
  bool found = false;
  for (const isa::Row& row : isa::rows()) {
    if (row_text(row) != name || !valu::LaneBeat::has(row)) continue;
    r.row = static_cast<uint16_t>(isa::index_of(row));
    found = true;
  }
  if (!found) line.fail("'row': no vector instruction '" + name + "'");
  constexpr auto kLastEncoding = static_cast<unsigned>(isa::Encoding::Dpp);
  r.encoding = static_cast<isa::Encoding>(line.number("encoding", kLastEncoding));
  r.beat = static_cast<uint8_t>(line.number("beat", valu::kBeats - 1));
  r.pass = static_cast<uint8_t>(line.number("pass", 1));
  r.mode = static_cast<uint32_t>(line.number("mode", 0xffffffff));
  r.modifiers.abs = static_cast<uint8_t>(line.number("abs", 7));
  r.modifiers.neg = static_cast<uint8_t>(line.number("neg", 7));
  r.modifiers.neg_hi = static_cast<uint8_t>(line.number("neg_hi", 7));
  r.modifiers.op_sel = static_cast<uint8_t>(line.number("op_sel", 15));
  r.modifiers.op_sel_hi = static_cast<uint8_t>(line.number("op_sel_hi", 7));
  r.modifiers.omod = static_cast<uint8_t>(line.number("omod", 3));
  r.modifiers.clamp = line.number("clamp", 1) != 0;
  r.modifiers.sext = static_cast<uint8_t>(line.number("sext", 3));
  constexpr auto kDword = static_cast<unsigned>(isa::SdwaSelect::Dword);
  r.modifiers.sdwa_src[0] = static_cast<isa::SdwaSelect>(line.number("sdwa_src0", kDword));
  r.modifiers.sdwa_src[1] = static_cast<isa::SdwaSelect>(line.number("sdwa_src1", kDword));
  r.modifiers.sdwa_dst = static_cast<isa::SdwaSelect>(line.number("sdwa_dst", kDword));
  constexpr auto kPreserve = static_cast<unsigned>(isa::SdwaUnused::Preserve);
  r.modifiers.sdwa_unused = static_cast<isa::SdwaUnused>(line.number("sdwa_unused", kPreserve));
  r.exec = static_cast<uint16_t>(line.number("exec", 0xffff));
  r.mask_in = static_cast<uint16_t>(line.number("mask_in", 0xffff));
  line.numbers("src0", r.src[0], ~uint64_t{0}, true);
  line.numbers("src1", r.src[1], ~uint64_t{0}, true);
  line.numbers("src2", r.src[2], ~uint64_t{0}, true);
  line.numbers("old", r.old, ~uint64_t{0}, true);
  r.origin.wave = line.number("wave", ~uint64_t{0});
  r.origin.pc = line.number("pc", ~uint64_t{0});
  uint64_t words[4] = {};
  r.origin.length = static_cast<uint8_t>(line.numbers("words", words, 0xffffffff, false));
  for (unsigned i = 0; i < 4; ++i) r.origin.words[i] = static_cast<uint32_t>(words[i]);
}

}  // namespace

std::string to_text(const ValuRecording& r) {
  Json head;
  head["cuvette"] = "transactions";
  head["schema"] = 2;
  head["block"] = "valu";
  head["device"] = r.device;
  head["library"] = r.library;
  head["target"] = isa::name_of(r.target);
  head["seed"] = r.seed;
  head["compute_unit"] = r.compute_unit;
  head["simd"] = r.simd;
  head["timing"] = timing_text(r.timing);
  head["field"] = r.field;
  std::string text = head.dump() + "\n";
  for (const ValuTransaction& t : r.transactions) text += json_of(t).dump() + "\n";
  return text;
}

Result<ValuRecording> parse_recording(const std::string& text, const std::string& file) {
  ValuRecording out;
  std::istringstream lines(text);
  std::string content;
  for (uint32_t number = 1; std::getline(lines, content); ++number) {
    const base::Location where{file, number};
    Line line(content, where);
    if (number == 1) {
      read_head(line, out);
      if (auto s = line.finish(); !s.ok()) return s.error();
      continue;
    }
    if (out.transactions.size() == kMostTransactions) {
      return Error("too many transactions, at most " + std::to_string(kMostTransactions), where);
    }
    ValuTransaction t;
    read_transaction(line, t);
    if (!out.transactions.empty() && t.offered < out.transactions.back().offered) {
      line.fail("'offered' is earlier than that of the transaction before");
    }
    if (auto s = line.finish(); !s.ok()) return s.error();
    out.transactions.push_back(t);
  }
  if (out.transactions.empty()) return Error("expected a line of the run and transactions", {file});
  return out;
}

}  // namespace cuvette::ip
