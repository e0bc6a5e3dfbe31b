// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_recording.h"

#include <utility>

#include "ip/common/recording_line.h"

namespace cuvette::ip {
namespace {

using base::Result;
using recording::hex;
using recording::Json;
using recording::kMostCycles;
using recording::Line;
using recording::row_text;

template <size_t N>
Json hex_list(const uint64_t (&values)[N]) {
  Json list = Json::array();
  for (const uint64_t v : values) list.push_back(hex(v));
  return list;
}

Json json_of(const ValuTransaction& t) {
  const valu::Request& r = t.request;
  Json words = Json::array();
  for (unsigned i = 0; i < r.origin.length; ++i) words.push_back(hex(r.origin.words[i]));
  Json line;
  line["offered"] = t.offered;
  line["answered"] = recording::cycle_json(t.answered);
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

void read_transaction(Line& line, ValuTransaction& t) {
  valu::Request& r = t.request;
  t.offered = line.number("offered", kMostCycles);
  const Json* answered = line.get("answered");
  if (answered != nullptr) t.answered = line.cycle_of("answered", *answered);
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
  std::string text = recording::head_json(r, "valu").dump() + "\n";
  for (const ValuTransaction& t : r.transactions) text += json_of(t).dump() + "\n";
  return text;
}

Result<ValuRecording> parse_recording(const std::string& text, const std::string& file) {
  return recording::parse<ValuRecording>(
      text, file, "valu", "transactions", [](Line& line, ValuRecording& out) {
        ValuTransaction t;
        read_transaction(line, t);
        if (!out.transactions.empty() && t.offered < out.transactions.back().offered) {
          line.fail("'offered' is earlier than that of the transaction before");
        }
        out.transactions.push_back(t);
      });
}

}  // namespace cuvette::ip
