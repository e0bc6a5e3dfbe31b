// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Memory that host and GPU share in place, counters, and what waves retire.
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "handle.h"
#include "isa/text.h"

using cuvette::host::Call;
using cuvette::host::CallKind;
using namespace cuvette::c_interface;

namespace {

int counters(cuvette_machine* machine, cuvette_on_counter each, void* context) {
  if (each == nullptr) return wrong_argument("nobody to tell the counters");
  Call call;
  call.kind = CallKind::Counters;
  const int status = make_call(machine, call);
  if (status != CUVETTE_OK) return status;
  // Several rows of a mnemonic, one per format, count together.
  std::map<std::string, uint64_t> by_mnemonic;
  uint64_t instructions = 0;
  for (const auto& [row, count] : call.work.by_row) {
    by_mnemonic[std::string(row->mnemonic)] += count;
    instructions += count;
  }
  each(context, "machine", 0, "waves", call.work.waves);
  each(context, "machine", 0, "instructions", instructions);
  for (const auto& [mnemonic, count] : by_mnemonic) {
    each(context, "instruction", 0, mnemonic.c_str(), count);
  }
  for (const auto& block : call.counters) {
    for (const auto& [name, value] : block.values) {
      each(context, block.block.c_str(), block.index, name.c_str(), value);
    }
  }
  return CUVETTE_OK;
}

int named_counters(cuvette_machine* machine, const char* const* names, size_t count,
                   cuvette_on_named_counter each, void* context) {
  if (each == nullptr) return wrong_argument("nobody to tell the counters");
  if (names == nullptr && count != 0) return wrong_argument("the names are null");
  Call call;
  call.kind = CallKind::Named;
  for (size_t n = 0; n < count; ++n) {
    if (names[n] == nullptr) return wrong_argument("a name is null");
    call.names.emplace_back(names[n]);
  }
  const int status = make_call(machine, call);
  if (status != CUVETTE_OK) return status;
  for (const Call::NamedCounter& c : call.named) {
    const bool there = c.value.has_value();
    each(context, c.name.c_str(), c.value.value_or(std::numeric_limits<double>::quiet_NaN()),
         there ? nullptr : c.missing.c_str());
  }
  return CUVETTE_OK;
}

void tell(cuvette_machine* machine, cuvette_on_retirement each, void* context,
          const cuvette::wave::RetireRecord& r) {
  std::vector<cuvette_vector_write> vectors;
  vectors.reserve(r.vector_writes.size());
  for (const auto& w : r.vector_writes) {
    const bool accumulation = w.kind == cuvette::isa::OperandKind::Agpr;
    vectors.push_back({accumulation ? 1u : 0u, w.index, w.lanes, w.data.data()});
  }
  std::vector<cuvette_scalar_write> scalars;
  scalars.reserve(r.scalar_writes.size());
  for (const auto& w : r.scalar_writes) scalars.push_back({w.code, w.value});
  const std::string text = cuvette::isa::text(r.instruction);
  cuvette_retirement out{};
  out.size = sizeof out;
  Call cycle;  // of this instant: in the machine's thread the call is made at once
  cycle.kind = CallKind::Cycle;
  if (make_call(machine, cycle) == CUVETTE_OK) out.cycle = cycle.result;
  out.wave = r.wave;
  out.order = r.order;
  out.pc = r.pc;
  out.exec = r.exec;
  out.instruction = text.c_str();
  out.words = r.instruction.words;
  out.word_count = r.instruction.length;
  out.vector_writes = vectors.data();
  out.vector_write_count = vectors.size();
  out.scalar_writes = scalars.data();
  out.scalar_write_count = scalars.size();
  each(context, machine, &out);
}

}  // namespace

extern "C" {

int cuvette_memory_attach(cuvette_machine* machine, void* host, uint64_t bytes, uint64_t alignment,
                          uint32_t flags, uint64_t* address) {
  if (host == nullptr) return wrong_argument("the memory of the host is null");
  if (address == nullptr) return wrong_argument("no place for the address");
  Call call;
  call.kind = CallKind::Attach;
  call.host = host;
  call.address = alignment;
  call.count = bytes;
  call.option = flags;
  const int status = make_call(machine, call);
  *address = call.result;
  return status;
}

int cuvette_counters(cuvette_machine* machine, cuvette_on_counter each, void* context) {
  return guarded([&] { return counters(machine, each, context); });
}

int cuvette_counters_by_name(cuvette_machine* machine, const char* const* names, size_t count,
                             cuvette_on_named_counter each, void* context) {
  return guarded([&] { return named_counters(machine, names, count, each, context); });
}

int cuvette_counters_mark(cuvette_machine* machine) {
  return guarded([&] {
    Call call;
    call.kind = CallKind::Mark;
    return make_call(machine, call);
  });
}

int cuvette_wave_read(cuvette_machine* machine, const cuvette_hang_wave* wave, uint32_t index,
                      uint32_t* values, size_t lanes) {
  if (wave == nullptr || values == nullptr) {
    return wrong_argument("the wave or the place for the values is null");
  }
  constexpr uint32_t kFirstVector = 0x400;
  const size_t most = index < kFirstVector ? 1 : cuvette::wave::kLanes;
  if (lanes == 0 || lanes > most) {
    return wrong_argument(std::to_string(lanes) + " lanes, expected 1 to " + std::to_string(most));
  }
  return guarded([&] {
    Call call;
    call.kind = CallKind::Inspect;
    call.compute_unit = wave->compute_unit;
    call.simd = wave->simd;
    call.slot = wave->slot;
    call.address = index;
    call.count = lanes;
    const int status = make_call(machine, call);
    if (status == CUVETTE_OK) std::memcpy(values, call.data.data(), lanes * sizeof *values);
    return status;
  });
}

int cuvette_watch_retirements(cuvette_machine* machine, cuvette_on_retirement each, void* context) {
  return guarded([&] {
    Call call;
    call.kind = CallKind::Retirements;
    if (each != nullptr) {
      call.on_retire = [=](const cuvette::wave::RetireRecord& r) {
        tell(machine, each, context, r);
      };
    }
    return make_call(machine, call);
  });
}

}  // extern "C"
