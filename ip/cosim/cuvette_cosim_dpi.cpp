// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The functions of cuvette_cosim_pkg.sv. DPI-C: chandle is void*, int is 32 and longint 64 bits.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/file.h"
#include "cuvette_cosim_impl.h"

using cuvette::ip::guarded;
namespace wave = cuvette::wave;
using cuvette::isa::OperandKind;

namespace {

cuvette_cosim* self(void* handle) {
  return static_cast<cuvette_cosim*>(handle);
}

}  // namespace

extern "C" {

void* cuvette_dpi_create(const char* target, int compare) {
  cuvette_cosim_options o{};
  o.size = sizeof o;
  o.target = target;
  // Targets whose memory can have ECC have it (decisions.md D16).
  const std::string_view name = target != nullptr ? target : "";
  o.sramecc = name == "gfx900" || name == "gfx906" ? 0 : 1;
  o.compare = static_cast<uint32_t>(compare);
  return cuvette_cosim_create(&o);
}
void cuvette_dpi_destroy(void* c) {
  cuvette_cosim_destroy(self(c));
}

int cuvette_dpi_load_word(void* c, int64_t address, int value) {
  return cuvette_cosim_load(self(c), static_cast<uint64_t>(address), &value, sizeof value);
}

int cuvette_dpi_load_code_object(void* handle, const char* file, int64_t address, int64_t* entry) {
  cuvette_cosim* c = self(handle);
  return guarded(c, [&] {
    auto bytes = cuvette::base::read_binary(file);
    if (!bytes) return c->fail(bytes.error().str());
    uint64_t pc = 0;
    const int good = cuvette_cosim_load_code_object(c, static_cast<uint64_t>(address),
                                                    bytes->data(), bytes->size(), &pc);
    *entry = static_cast<int64_t>(pc);
    return good;
  });
}

void cuvette_dpi_wave(void* handle, int64_t id, int64_t pc, int64_t exec, int mode, int vgprs,
                      int accvgprs, int sgprs, int lds_bytes, int workgroup) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr) return;
  c->wave = {};
  c->wave.id = static_cast<uint64_t>(id);
  c->wave.pc = static_cast<uint64_t>(pc);
  c->wave.exec = static_cast<uint64_t>(exec);
  c->wave.mode = static_cast<uint32_t>(mode);
  c->wave.vgprs = static_cast<uint16_t>(vgprs);
  c->wave.accvgprs = static_cast<uint16_t>(accvgprs);
  c->wave.sgprs = static_cast<uint16_t>(sgprs);
  c->wave.lds_bytes = static_cast<uint32_t>(lds_bytes);
  c->wave.workgroup = static_cast<uint32_t>(workgroup);
}

void cuvette_dpi_wave_sgpr(void* handle, int code, int value) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr || code < 0 || code > 127) return;
  auto& all = c->wave.sgpr;
  const auto index = static_cast<size_t>(code);
  if (all.size() <= index) all.resize(index + 1);
  all[index] = static_cast<uint32_t>(value);
}

void cuvette_dpi_wave_vgpr(void* handle, int index, int lane, int value) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr || index < 0 || index > 511 || lane < 0 || lane > 63) return;
  auto& all = c->wave.vgpr;
  const auto at = static_cast<size_t>(index);
  if (all.size() <= at) all.resize(at + 1);
  all[at][static_cast<size_t>(lane)] = static_cast<uint32_t>(value);
}

int cuvette_dpi_start(void* handle) {
  cuvette_cosim* c = self(handle);
  return guarded(c, [&] { return c->done(c->cosim->start(c->wave)); });
}

void cuvette_dpi_record(void* handle, int64_t wave_id, int64_t order, int64_t pc, int64_t exec,
                        int length, int word0, int word1, int word2, int word3) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr) return;
  wave::RetireRecord& r = c->told;
  r = {};
  r.wave = static_cast<uint64_t>(wave_id);
  r.order = static_cast<uint64_t>(order);
  r.pc = static_cast<uint64_t>(pc);
  r.exec = static_cast<uint64_t>(exec);
  r.instruction.length = static_cast<uint8_t>(std::clamp(length, 0, 4));
  const int words[] = {word0, word1, word2, word3};
  for (unsigned n = 0; n < 4; ++n) r.instruction.words[n] = static_cast<uint32_t>(words[n]);
}

void cuvette_dpi_record_status(void* handle, int mode, int trapsts, int flags, int trap) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr) return;
  c->told.mode = static_cast<uint32_t>(mode);
  c->told.trapsts = static_cast<uint32_t>(trapsts);
  c->told.flags = static_cast<uint8_t>(flags);
  c->told.trap = static_cast<uint8_t>(trap);
}

void cuvette_dpi_record_status_register(void* handle, int status) {
  cuvette_cosim* c = self(handle);
  if (c != nullptr) c->told.status = static_cast<uint32_t>(status);
}

void cuvette_dpi_record_sgpr(void* handle, int code, int value) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr) return;
  c->told.scalar_writes.push_back({static_cast<uint16_t>(code), static_cast<uint32_t>(value)});
}

void cuvette_dpi_record_vgpr(void* handle, int acc, int index, int lane, int value) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr || lane < 0 || lane > 63) return;
  const OperandKind kind = acc != 0 ? OperandKind::Agpr : OperandKind::Vgpr;
  auto& all = c->told.vector_writes;
  auto found = std::find_if(all.begin(), all.end(), [&](const wave::VectorWrite& w) {
    return w.kind == kind && w.index == static_cast<uint16_t>(index);
  });
  if (found == all.end()) {
    wave::VectorWrite fresh;
    fresh.kind = kind;
    fresh.index = static_cast<uint16_t>(index);
    found = all.insert(all.end(), fresh);
  }
  found->lanes |= uint64_t{1} << lane;
  found->data[static_cast<size_t>(lane)] = static_cast<uint32_t>(value);
}

void cuvette_dpi_record_access(void* handle, int lane, int space, int kind, int atomic, int bytes,
                               int64_t address, int64_t data_low, int64_t data_high,
                               int64_t old_data) {
  cuvette_cosim* c = self(handle);
  if (c == nullptr) return;
  wave::MemoryAccess a;
  a.lane = static_cast<uint8_t>(lane);
  a.space = static_cast<wave::MemorySpace>(std::clamp(space, 0, 3));
  a.kind = static_cast<wave::MemoryKind>(std::clamp(kind, 0, 3));
  a.atomic = static_cast<cuvette::base::AtomicOp>(atomic);
  a.size = static_cast<uint8_t>(std::clamp(bytes, 0, 16));
  a.address = static_cast<uint64_t>(address);
  std::memcpy(a.bytes, &data_low, 8);
  std::memcpy(a.bytes + 8, &data_high, 8);
  std::memcpy(a.old_bytes, &old_data, 8);
  c->told.accesses.push_back(a);
}

int cuvette_dpi_retire(void* handle) {
  cuvette_cosim* c = self(handle);
  return guarded(c, [&] { return c->cosim->retire(c->told) ? 1 : 0; });
}

void cuvette_dpi_loaded_byte(void* handle, int value) {
  cuvette_cosim* c = self(handle);
  if (c != nullptr) c->loaded.push_back(static_cast<uint8_t>(value));
}

int cuvette_dpi_observe_load(void* handle, int64_t wave_id, int64_t order, int64_t lanes) {
  cuvette_cosim* c = self(handle);
  return guarded(c, [&] {
    const std::vector<uint8_t> bytes = std::move(c->loaded);
    c->loaded.clear();
    return c->cosim->observe_load(static_cast<uint64_t>(wave_id), static_cast<uint64_t>(order),
                                  static_cast<uint64_t>(lanes), bytes)
               ? 1
               : 0;
  });
}

int cuvette_dpi_observe_store(void* handle, int64_t wave_id, int64_t order, int lane,
                              int64_t serial) {
  // A number that is no lane stays one in eight bits.
  const int told = lane < 0 || lane >= CUVETTE_COSIM_LANES ? CUVETTE_COSIM_LANES : lane;
  return cuvette_cosim_observe_store(self(handle), static_cast<uint64_t>(wave_id),
                                     static_cast<uint64_t>(order), static_cast<uint8_t>(told),
                                     static_cast<uint64_t>(serial));
}

int cuvette_dpi_failed(void* c) {
  return cuvette_cosim_failed(self(c));
}
int cuvette_dpi_passed(void* c) {
  return cuvette_cosim_passed(self(c));
}
const char* cuvette_dpi_text(void* c) {
  return cuvette_cosim_text(self(c));
}

int64_t cuvette_dpi_count(void* c, int which) {
  cuvette_cosim_counts n{};
  n.size = sizeof n;
  if (cuvette_cosim_get_counts(self(c), &n) == 0) return -1;
  const uint64_t all[] = {n.instructions,     n.registers,    n.lanes,         n.accesses,
                          n.loads_determined, n.loads_chosen, n.loads_rejected};
  return which < 0 || which > 6 ? -1 : static_cast<int64_t>(all[which]);
}

}  // extern "C"
