// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_recording.h"

#include <utility>

#include "ip/common/recording_line.h"
#include "matrix_core/computation.h"
#include "wave/matrix.h"

namespace cuvette::ip {
namespace {

using base::Result;
using matrix_core::kRowsPerPass;
using recording::hex;
using recording::Json;
using recording::Line;
using recording::row_text;

Json lanes_json(const wave::LaneRow& row) {
  Json list = Json::array();
  for (const uint32_t lane : row) list.push_back(hex(lane));
  return list;
}

/// A number of every pass.
Json list_json(const MatrixTransaction& t, uint8_t matrix_core::Operands::* field) {
  Json list = Json::array();
  for (const matrix_core::Operands& pass : t.passes) list.push_back(pass.*field);
  return list;
}

Json cycles_json(const std::vector<machine::Cycle>& cycles) {
  Json list = Json::array();
  for (const machine::Cycle c : cycles) list.push_back(recording::cycle_json(c));
  return list;
}

Json json_of(const MatrixTransaction& t) {
  const matrix_core::Operands& first = t.passes.front();
  const isa::Row& row = *(isa::rows().begin() + first.row);
  Json line;
  line["id"] = first.id;
  line["row"] = row_text(row);
  line["cbsz"] = first.cbsz;
  line["abid"] = first.abid;
  line["blgp"] = first.blgp;
  line["wave"] = hex(first.wave);
  line["pc"] = hex(first.pc);
  line["offered"] = cycles_json(t.offered);
  line["answered"] = cycles_json(t.answered);
  Json a = Json::array();
  Json b = Json::array();
  Json c = Json::array();
  for (const matrix_core::Operands& pass : t.passes) {
    if (pass.pass < row.src[0].dwords) a.push_back(lanes_json(pass.a));
    for (unsigned r = 0; r < kRowsPerPass; ++r) {
      if (pass.pass * kRowsPerPass + r < row.src[1].dwords) b.push_back(lanes_json(pass.b[r]));
    }
    for (unsigned r = 0; r < pass.c_rows; ++r) c.push_back(lanes_json(pass.c[r]));
  }
  line["forward"] = list_json(t, &matrix_core::Operands::forward);
  line["forward_from"] = list_json(t, &matrix_core::Operands::forward_from);
  line["forward_row"] = list_json(t, &matrix_core::Operands::forward_row);
  line["a"] = a;
  line["b"] = b;
  line["c"] = c;
  line["index"] = lanes_json(first.index);
  return line;
}

/// A list of rows; those of `most` that are there.
std::vector<wave::LaneRow> read_rows(Line& line, const char* key, size_t most) {
  std::vector<wave::LaneRow> rows;
  const Json* list = line.get(key);
  if (list == nullptr) return rows;
  if (!list->is_array() || list->size() > most) {
    line.fail(std::string("'") + key + "' must be a list of at most " + std::to_string(most) +
              " rows");
    return rows;
  }
  for (const Json& row : *list) {
    rows.emplace_back();
    line.numbers_of(key, row, rows.back().data(), wave::kLanes, 0xffffffff, true);
  }
  return rows;
}

std::vector<machine::Cycle> read_cycles(Line& line, const char* key, size_t most) {
  std::vector<machine::Cycle> cycles;
  const Json* list = line.get(key);
  if (list == nullptr) return cycles;
  if (!list->is_array() || list->size() > most) {
    line.fail(std::string("'") + key + "' must be a list of at most " + std::to_string(most) +
              " cycles");
    return cycles;
  }
  for (const Json& value : *list) cycles.push_back(line.cycle_of(key, value));
  return cycles;
}

/// A number of every pass.
void read_list(Line& line, const char* key, uint8_t most, std::vector<uint8_t>& out) {
  const Json* list = line.get(key);
  if (list != nullptr) line.numbers_of(key, *list, out.data(), out.size(), most, true);
}

const isa::Row* read_row(Line& line, isa::Target target) {
  const std::string name = line.text("row");
  for (const isa::Row& row : isa::rows()) {
    if (row_text(row) == name && row.on(target) && row.has(isa::kMatrix) &&
        wave::has_matrix_semantics(row)) {
      return &row;
    }
  }
  line.fail("'row': no matrix instruction '" + name + "'");
  return nullptr;
}

void read_transaction(Line& line, isa::Target target, MatrixTransaction& t) {
  matrix_core::Operands common;
  common.id = static_cast<uint32_t>(line.number("id", 0xffffffff));
  const isa::Row* row = read_row(line, target);
  if (row == nullptr) return;
  common.row = static_cast<uint16_t>(isa::index_of(*row));
  common.cbsz = static_cast<uint8_t>(line.number("cbsz", 7));
  common.abid = static_cast<uint8_t>(line.number("abid", 15));
  common.blgp = static_cast<uint8_t>(line.number("blgp", 7));
  common.wave = line.number("wave", ~uint64_t{0});
  common.pc = line.number("pc", ~uint64_t{0});
  const unsigned passes = matrix_core::operand_passes(*row);
  t.offered = read_cycles(line, "offered", passes);
  t.answered = read_cycles(line, "answered", matrix_core::result_passes(*row));
  constexpr uint8_t kMostForward = (1 << kRowsPerPass) - 1;
  std::vector<uint8_t> forward(t.offered.size()), forward_from(t.offered.size()),
      forward_row(t.offered.size());
  read_list(line, "forward", kMostForward, forward);
  read_list(line, "forward_from", 1, forward_from);
  read_list(line, "forward_row", 31, forward_row);
  const auto a = read_rows(line, "a", row->src[0].dwords);
  const auto b = read_rows(line, "b", row->src[1].dwords);
  const auto c = read_rows(line, "c", matrix_core::result_rows(*row));
  const Json* index = line.get("index");
  if (index != nullptr) {
    line.numbers_of("index", *index, common.index.data(), wave::kLanes, 0xffffffff, true);
  }
  if (!line.ok()) return;
  if (t.offered.empty()) return line.fail("'offered' must have a cycle per pass that was sent");
  size_t c_rows = 0;
  for (unsigned p = 0; p < t.offered.size(); ++p) {
    matrix_core::Operands pass = common;
    if (p != 0) pass.index = {};
    pass.pass = static_cast<uint8_t>(p);
    pass.last = p + 1 == passes;
    if (p < row->src[0].dwords && p < a.size()) pass.a = a[p];
    pass.forward = forward[p];
    pass.forward_from = forward_from[p];
    pass.forward_row = forward_row[p];
    for (unsigned r = 0; r < kRowsPerPass; ++r) {
      if (p * kRowsPerPass + r < b.size()) pass.b[r] = b[p * kRowsPerPass + r];
    }
    for (; pass.c_rows < kRowsPerPass && c_rows < c.size(); ++c_rows) {
      pass.c[pass.c_rows++] = c[c_rows];
    }
    t.passes.push_back(pass);
  }
  const size_t sources = std::min<size_t>(row->src[0].dwords, t.offered.size());
  const size_t sent =
      std::min<size_t>(matrix_core::result_rows(*row), kRowsPerPass * t.offered.size());
  const size_t b_sent = std::min<size_t>(row->src[1].dwords, kRowsPerPass * t.offered.size());
  if (a.size() != sources || b.size() != b_sent || c.size() != sent) {
    line.fail("'a', 'b' and 'c' must have the rows of the passes in 'offered'");
  }
}

}  // namespace

std::string to_text(const MatrixRecording& r) {
  std::string text = recording::head_json(r, "matrix_core").dump() + "\n";
  for (const MatrixTransaction& t : r.transactions) text += json_of(t).dump() + "\n";
  return text;
}

Result<MatrixRecording> parse_matrix_recording(const std::string& text, const std::string& file) {
  return recording::parse<MatrixRecording>(
      text, file, "matrix_core", "instructions", [](Line& line, MatrixRecording& out) {
        MatrixTransaction t;
        read_transaction(line, out.target, t);
        if (line.ok() && !out.transactions.empty()) {
          const MatrixTransaction& before = out.transactions.back();
          if (!before.passes.back().last) line.fail("the instruction before has passes missing");
          if (t.offered.front() < before.offered.back()) {
            line.fail("'offered' is earlier than that of the instruction before");
          }
        }
        out.transactions.push_back(std::move(t));
      });
}

}  // namespace cuvette::ip
