// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/perfetto_names.h"

#include "run/statistics.h"
#include "run/trace/perfetto_fields.h"

namespace cuvette::run {

using protozero::pbf_writer;

PerfettoNames::PerfettoNames(PacketFile& file) : file_(file) {
  for (unsigned n = 0; n < kOps; ++n) {
    const std::string text = run::name_of(static_cast<memory::MemOp>(n));
    op[n] = name(text);
    hit[n] = name(text + " hit");
    miss[n] = name(text + " miss");
    reply[n] = name(text + " answer");
  }
  fetch = name("fetch");
  residency = category("residency");
  request = category("request");
  fetches = category("fetch");
  hits = category("hit");
  misses = category("miss");
  replies = category("answer");
  memory = category("memory");
  pc = annotation("pc");
  address = annotation("address");
  wave = annotation("wave");
  dispatch = annotation("dispatch");
  workgroup = annotation("workgroup");
  began_before = annotation("began_before");
}

uint32_t PerfettoNames::intern(uint32_t field, Known& known, std::string_view text) {
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  const auto iid = static_cast<uint32_t>(known.size() + 1);
  known.emplace(text, iid);
  file_.packet([&](pbf_writer& packet) {
    pbf_writer data(packet, perfetto::trace_packet::kInternedData);
    pbf_writer entry(data, field);
    entry.add_uint64(perfetto::interned_string::kIid, iid);
    entry.add_string(perfetto::interned_string::kName, text.data(), text.size());
  });
  return iid;
}

uint32_t PerfettoNames::name(std::string_view text) {
  return intern(perfetto::interned_data::kEventNames, names_, text);
}

uint32_t PerfettoNames::category(std::string_view text) {
  return intern(perfetto::interned_data::kEventCategories, categories_, text);
}

uint32_t PerfettoNames::annotation(std::string_view text) {
  return intern(perfetto::interned_data::kDebugAnnotationNames, annotations_, text);
}

uint32_t PerfettoNames::name_of(const TraceCode& code) {
  if (code_names_.size() <= code.number) code_names_.resize(code.number + 1);
  uint32_t& iid = code_names_[code.number];
  if (iid == 0) iid = name(code.text);
  return iid;
}

uint32_t PerfettoNames::category_of(const TraceCode& code) {
  const auto unit = static_cast<size_t>(code.row->unit);
  if (unit_categories_.size() <= unit) unit_categories_.resize(unit + 1);
  uint32_t& iid = unit_categories_[unit];
  if (iid == 0) iid = category(run::name_of(code.row->unit));
  return iid;
}

}  // namespace cuvette::run
