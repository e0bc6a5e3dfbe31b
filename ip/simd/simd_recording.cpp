// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_recording.h"

#include <utility>

#include "ip/common/recording_line.h"
#include "isa/decode.h"

namespace cuvette::ip {
namespace {

using recording::hex;
using recording::Json;
using recording::Line;

/// No instruction names more: 4 sources of 4 dwords, a destination twice, register 0 of both files.
constexpr size_t kMostRows = 32;

Json numbers_json(const uint64_t* values, size_t count) {
  Json list = Json::array();
  for (size_t n = 0; n < count; ++n) list.push_back(hex(values[n]));
  return list;
}

Json json_of(const SimdTransaction& t) {
  const simd::Issue& i = t.issue;
  Json words = Json::array();
  for (unsigned n = 0; n < i.instruction.length; ++n) words.push_back(hex(i.instruction.words[n]));
  const uint64_t registers[] = {i.vgpr_base, i.vgpr_count, i.acc_base, i.acc_count};
  Json line;
  line["id"] = i.id;
  line["slot"] = i.slot;
  line["instruction"] = recording::row_text(*i.instruction.row);
  line["words"] = words;
  line["registers"] = numbers_json(registers, 4);
  line["mode"] = hex(i.mode);
  line["exec"] = hex(i.exec);
  line["mask"] = hex(i.mask_in);
  line["scalar"] = numbers_json(i.scalar.data(), i.scalar.size());
  line["m0"] = hex(i.m0);
  line["wave"] = hex(i.wave);
  line["pc"] = hex(i.pc);
  line["taken"] = t.taken;
  Json rows = Json::array();
  for (const SimdRow& row : t.rows) {
    Json lanes = Json::array();
    for (const uint32_t lane : row.data) lanes.push_back(hex(lane));
    rows.push_back({{"acc", row.address.acc ? 1 : 0}, {"row", row.address.row}, {"lanes", lanes}});
  }
  line["rows"] = rows;
  return line;
}

void read_instruction(Line& line, isa::Target target, simd::Issue& issue) {
  const std::string name = line.text("instruction");
  uint32_t words[4] = {};
  const size_t count = line.numbers("words", words, 0xffffffff, false);
  if (!line.ok()) return;
  const isa::Decoded decoded = isa::decode(target, words, count);
  // The machine executes words with a reserved field too (isa/decode.h).
  const bool executed =
      decoded.status == isa::DecodeStatus::Legal || decoded.status == isa::DecodeStatus::Reserved;
  const bool whole = executed && decoded.instruction.length == count &&
                     recording::row_text(*decoded.instruction.row) == name;
  if (!whole) return line.fail("'words' are no " + name);
  issue.instruction = decoded.instruction;
}

void read_rows(Line& line, std::vector<SimdRow>& rows) {
  const Json* list = line.get("rows");
  if (list == nullptr) return;
  if (!list->is_array() || list->size() > kMostRows) {
    return line.fail("'rows' must be a list of at most " + std::to_string(kMostRows) + " rows");
  }
  for (const Json& entry : *list) {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("acc") ||
        !entry.contains("row") || !entry.contains("lanes")) {
      return line.fail("'rows' must be maps with acc, row and lanes");
    }
    SimdRow row;
    row.address.acc = line.number_of("acc", entry["acc"], 1) != 0;
    row.address.row = static_cast<uint16_t>(line.number_of("row", entry["row"], 0xffff));
    line.numbers_of("lanes", entry["lanes"], row.data.data(), row.data.size(), 0xffffffff, true);
    rows.push_back(row);
  }
}

void read_transaction(Line& line, isa::Target target, SimdTransaction& t) {
  simd::Issue& i = t.issue;
  i.id = static_cast<uint32_t>(line.number("id", 0xffffffff));
  i.slot = static_cast<uint8_t>(line.number("slot", 0xff));
  read_instruction(line, target, i);
  uint16_t registers[4] = {};
  line.numbers("registers", registers, 0xffff, true);
  i.vgpr_base = registers[0];
  i.vgpr_count = registers[1];
  i.acc_base = registers[2];
  i.acc_count = registers[3];
  i.mode = static_cast<uint32_t>(line.number("mode", 0xffffffff));
  i.exec = line.number("exec", ~uint64_t{0});
  i.mask_in = line.number("mask", ~uint64_t{0});
  uint64_t scalar[3] = {};
  line.numbers("scalar", scalar, ~uint64_t{0}, true);
  for (unsigned s = 0; s < 3; ++s) i.scalar[s] = scalar[s];
  i.m0 = static_cast<uint32_t>(line.number("m0", 0xffffffff));
  i.wave = line.number("wave", ~uint64_t{0});
  i.pc = line.number("pc", ~uint64_t{0});
  t.taken = line.number("taken", recording::kMostCycles);
  read_rows(line, t.rows);
}

}  // namespace

std::string to_text(const SimdRecording& r) {
  std::string text = recording::head_json(r, "simd").dump() + "\n";
  for (const SimdTransaction& t : r.transactions) text += json_of(t).dump() + "\n";
  return text;
}

base::Result<SimdRecording> parse_simd_recording(const std::string& text, const std::string& file) {
  return recording::parse<SimdRecording>(
      text, file, "simd", "instructions", [](Line& line, SimdRecording& out) {
        SimdTransaction t;
        read_transaction(line, out.target, t);
        if (line.ok() && !out.transactions.empty() && t.taken <= out.transactions.back().taken) {
          line.fail("'taken' is no later than that of the instruction before");
        }
        out.transactions.push_back(std::move(t));
      });
}

}  // namespace cuvette::ip
