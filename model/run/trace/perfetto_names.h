// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "run/trace/event.h"
#include "run/trace/packet_file.h"

namespace cuvette::run {

/// Interned names of a Perfetto trace: each is in the file once, before its first use, and events
/// have its number.
class PerfettoNames {
 public:
  explicit PerfettoNames(PacketFile& file);

  /// Number of a name of events, of a category, of an annotation; from 1.
  uint32_t name(std::string_view text);
  uint32_t category(std::string_view text);
  uint32_t annotation(std::string_view text);
  /// The assembler text of an instruction, and its unit as a category.
  uint32_t name_of(const TraceCode& code);
  uint32_t category_of(const TraceCode& code);

  // Those of many events.
  static constexpr unsigned kOps = 6;  // of memory::MemOp
  std::array<uint32_t, kOps> op{}, hit{}, miss{}, reply{};
  uint32_t fetch;
  uint32_t residency, request, fetches, hits, misses, replies, memory;  // categories
  uint32_t pc, address, wave, dispatch, workgroup, began_before;        // annotations

 private:
  using Known = std::map<std::string, uint32_t, std::less<>>;
  uint32_t intern(uint32_t field, Known& known, std::string_view text);

  PacketFile& file_;
  Known names_, categories_, annotations_;
  std::vector<uint32_t> code_names_;       // by TraceCode::number; 0: none
  std::vector<uint32_t> unit_categories_;  // by isa::Unit; 0: none
};

}  // namespace cuvette::run
