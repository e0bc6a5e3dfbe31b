// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cuvette_cosim.h"

#include <algorithm>
#include <cstring>

#include "cuvette_cosim_impl.h"

using cuvette::ip::guarded;
namespace golden = cuvette::golden;
namespace wave = cuvette::wave;
using cuvette::isa::OperandKind;

namespace {

constexpr uint32_t kMostItems = 4096;  // of one kind in one record

/// The caller's struct, grown with zeros or refused when it is longer than ours.
template <class T>
bool known(const T* given, T& out) {
  out = T{};
  if (given == nullptr || given->size < sizeof(size_t) || given->size > sizeof(T)) return false;
  std::memcpy(&out, given, given->size);
  return true;
}

int wrong_struct(cuvette_cosim* c) {
  return c->fail("a struct is missing, or of a newer version of this interface");
}

wave::MemoryAccess access_of(const cuvette_cosim_access& a) {
  wave::MemoryAccess out;
  out.lane = a.lane;
  out.space = static_cast<wave::MemorySpace>(a.space);
  out.kind = static_cast<wave::MemoryKind>(a.kind);
  out.atomic = static_cast<cuvette::base::AtomicOp>(a.atomic);
  out.size = a.bytes;
  out.glc = a.glc != 0;
  out.slc = a.slc != 0;
  out.scc = a.scc != 0;
  out.nv = a.nv != 0;
  out.scope = static_cast<wave::AccessScope>(a.scope);
  out.fault = a.fault != 0;
  out.memory_type = a.memory_type;
  out.address = a.address;
  std::copy(std::begin(a.data), std::end(a.data), out.bytes);
  std::copy(std::begin(a.old_data), std::end(a.old_data), out.old_bytes);
  return out;
}

cuvette_cosim_access access_of(const wave::MemoryAccess& a) {
  cuvette_cosim_access out{};
  out.lane = a.lane;
  out.space = static_cast<uint8_t>(a.space);
  out.kind = static_cast<uint8_t>(a.kind);
  out.atomic = static_cast<uint8_t>(a.atomic);
  out.bytes = a.size;
  out.glc = a.glc;
  out.slc = a.slc;
  out.scc = a.scc;
  out.nv = a.nv;
  out.scope = static_cast<uint8_t>(a.scope);
  out.fault = a.fault;
  out.memory_type = a.memory_type;
  out.address = a.address;
  std::copy(std::begin(a.bytes), std::end(a.bytes), out.data);
  std::copy(std::begin(a.old_bytes), std::end(a.old_bytes), out.old_data);
  out.serial = a.serial;
  return out;
}

/// True if an array with elements has an address.
bool given(const void* first, size_t count) {
  return first != nullptr || count == 0;
}
int no_array(cuvette_cosim* c) {
  return c->fail("a null pointer to elements, expected an array");
}

/// False when it cannot be a record.
bool record_of(const cuvette_cosim_record& r, wave::RetireRecord& out) {
  if (r.length > 4 || r.vector_write_count > kMostItems || r.scalar_write_count > kMostItems ||
      r.access_count > kMostItems) {
    return false;
  }
  if (!given(r.vector_writes, r.vector_write_count) ||
      !given(r.scalar_writes, r.scalar_write_count) || !given(r.accesses, r.access_count)) {
    return false;
  }
  out.wave = r.wave;
  out.order = r.order;
  out.pc = r.pc;
  out.exec = r.exec;
  std::copy(std::begin(r.words), std::end(r.words), out.instruction.words);
  out.instruction.length = static_cast<uint8_t>(r.length);
  out.mode = r.mode;
  out.status = r.status;
  out.trapsts = r.trapsts;
  out.flags = static_cast<uint8_t>(r.flags);
  out.trap = static_cast<uint8_t>(r.trap);
  for (uint32_t n = 0; n < r.vector_write_count; ++n) {
    const auto& v = r.vector_writes[n];
    if (v.kind > CUVETTE_COSIM_AGPR || v.index > 0xffff) return false;
    wave::VectorWrite write;
    write.kind = v.kind == CUVETTE_COSIM_AGPR ? OperandKind::Agpr : OperandKind::Vgpr;
    write.index = static_cast<uint16_t>(v.index);
    write.lanes = v.lanes;
    std::copy(std::begin(v.data), std::end(v.data), write.data.begin());
    out.vector_writes.push_back(write);
  }
  for (uint32_t n = 0; n < r.scalar_write_count; ++n) {
    const auto& s = r.scalar_writes[n];
    if (s.code > 0xffff) return false;
    out.scalar_writes.push_back({static_cast<uint16_t>(s.code), s.value});
  }
  for (uint32_t n = 0; n < r.access_count; ++n) {
    if (r.accesses[n].kind > CUVETTE_COSIM_ATOMIC_RETURN || r.accesses[n].bytes > 16) return false;
    out.accesses.push_back(access_of(r.accesses[n]));
  }
  return true;
}

void keep(cuvette_cosim& c, const wave::RetireRecord& r) {
  c.vectors.clear();
  c.scalars.clear();
  c.accesses.clear();
  for (const auto& v : r.vector_writes) {
    cuvette_cosim_vector_write w{};
    w.kind = v.kind == OperandKind::Agpr ? CUVETTE_COSIM_AGPR : CUVETTE_COSIM_VGPR;
    w.index = v.index;
    w.lanes = v.lanes;
    std::copy(v.data.begin(), v.data.end(), w.data);
    c.vectors.push_back(w);
  }
  for (const auto& s : r.scalar_writes) c.scalars.push_back({s.code, s.value});
  for (const auto& a : r.accesses) c.accesses.push_back(access_of(a));
  cuvette_cosim_record& out = c.record;
  out = {};
  out.size = sizeof out;
  out.wave = r.wave;
  out.order = r.order;
  out.pc = r.pc;
  out.exec = r.exec;
  std::copy(std::begin(r.instruction.words), std::end(r.instruction.words), out.words);
  out.length = r.instruction.length;
  out.mode = r.mode;
  out.status = r.status;
  out.trapsts = r.trapsts;
  out.flags = r.flags;
  out.trap = r.trap;
  out.vector_writes = c.vectors.data();
  out.scalar_writes = c.scalars.data();
  out.accesses = c.accesses.data();
  out.vector_write_count = static_cast<uint32_t>(c.vectors.size());
  out.scalar_write_count = static_cast<uint32_t>(c.scalars.size());
  out.access_count = static_cast<uint32_t>(c.accesses.size());
}

}  // namespace

extern "C" {

uint32_t cuvette_cosim_version(void) {
  return CUVETTE_COSIM_VERSION;
}

cuvette_cosim* cuvette_cosim_create(const cuvette_cosim_options* options) {
  cuvette_cosim_options o;
  if (!known(options, o) || o.target == nullptr) return nullptr;
  const auto target = cuvette::isa::target_from_name(o.target);
  if (!target) return nullptr;
  golden::CosimOptions ours;
  ours.target = *target;
  ours.sramecc = o.sramecc != 0;
  if (o.shared_aperture != 0) ours.shared_aperture = o.shared_aperture;
  if (o.private_aperture != 0) ours.private_aperture = o.private_aperture;
  ours.compare = o.compare;
  try {
    auto c = std::make_unique<cuvette_cosim>();
    c->cosim = golden::Cosim::create(ours);
    return c.release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void cuvette_cosim_destroy(cuvette_cosim* c) {
  delete c;
}

int cuvette_cosim_load(cuvette_cosim* c, uint64_t address, const void* bytes, size_t count) {
  return guarded(c, [&] {
    if (!given(bytes, count)) return no_array(c);
    return c->done(c->cosim->load(address, bytes, count));
  });
}

int cuvette_cosim_load_code_object(cuvette_cosim* c, uint64_t address, const void* bytes,
                                   size_t count, uint64_t* entry) {
  return guarded(c, [&] {
    if (!given(bytes, count)) return no_array(c);
    auto code = c->cosim->load_code_object(address, bytes, count);
    if (!code) return c->fail(code.error().str());
    if (entry != nullptr) *entry = code->entry;
    return 1;
  });
}

int cuvette_cosim_start(cuvette_cosim* c, const cuvette_cosim_wave* told) {
  return guarded(c, [&] {
    cuvette_cosim_wave w;
    if (!known(told, w)) return wrong_struct(c);
    if (w.sgpr_count > 128 || w.vgpr_count > 512) return c->fail("too many registers");
    if (!given(w.sgpr, w.sgpr_count) || !given(w.vgpr, w.vgpr_count)) return no_array(c);
    golden::CosimWave ours;
    ours.id = w.id;
    ours.pc = w.pc;
    ours.exec = w.exec;
    ours.mode = w.mode;
    ours.lds_bytes = w.lds_bytes;
    ours.workgroup = w.workgroup;
    ours.vgprs = w.vgprs;
    ours.accvgprs = w.accvgprs;
    ours.sgprs = w.sgprs;
    ours.scratch_base = w.scratch_base;
    if (w.sgpr_count != 0) ours.sgpr.assign(w.sgpr, w.sgpr + w.sgpr_count);
    ours.vgpr.resize(w.vgpr_count);
    for (uint32_t n = 0; n < w.vgpr_count; ++n) {
      std::copy_n(w.vgpr + n * CUVETTE_COSIM_LANES, CUVETTE_COSIM_LANES, ours.vgpr[n].begin());
    }
    return c->done(c->cosim->start(ours));
  });
}

int cuvette_cosim_launch(cuvette_cosim* c, const cuvette_cosim_dispatch* told, uint32_t group,
                         uint32_t index, uint64_t id) {
  return guarded(c, [&] {
    cuvette_cosim_dispatch d;
    if (!known(told, d)) return wrong_struct(c);
    golden::CosimDispatch ours;
    if (d.kernel != nullptr) ours.kernel = d.kernel;
    std::copy(std::begin(d.grid), std::end(d.grid), ours.grid.begin());
    std::copy(std::begin(d.workgroup), std::end(d.workgroup), ours.workgroup.begin());
    ours.kernarg = d.kernarg;
    ours.dynamic_group_bytes = d.dynamic_group_bytes;
    ours.stack_bytes = d.stack_bytes;
    ours.packet_address = d.packet_address;
    ours.queue_address = d.queue_address;
    ours.dispatch_id = d.dispatch_id;
    ours.scratch_base = d.scratch_base;
    return c->done(c->cosim->launch(ours, group, index, id));
  });
}

int cuvette_cosim_step(cuvette_cosim* c, uint64_t id, const cuvette_cosim_record** record) {
  return guarded(c, [&] {
    auto stepped = c->cosim->step(id);
    if (!stepped) return c->fail(stepped.error().what);
    keep(*c, *stepped);
    if (record != nullptr) *record = &c->record;
    return 1;
  });
}

int cuvette_cosim_retire(cuvette_cosim* c, const cuvette_cosim_record* device) {
  return guarded(c, [&] {
    cuvette_cosim_record r;
    wave::RetireRecord ours;
    if (!known(device, r)) return wrong_struct(c);
    if (!record_of(r, ours)) return c->fail("a record with counts or sizes that cannot be");
    return c->cosim->retire(ours) ? 1 : 0;
  });
}

int cuvette_cosim_observe_load(cuvette_cosim* c, uint64_t id, uint64_t order, uint64_t lanes,
                               const uint8_t* bytes, size_t count) {
  return guarded(c, [&] {
    if (!given(bytes, count)) return no_array(c);
    const std::vector<uint8_t> all(bytes, bytes + count);
    return c->cosim->observe_load(id, order, lanes, all) ? 1 : 0;
  });
}

int cuvette_cosim_observe_store(cuvette_cosim* c, uint64_t id, uint64_t order, uint8_t lane,
                                uint64_t serial) {
  return guarded(c, [&] { return c->cosim->observe_store(id, order, lane, serial) ? 1 : 0; });
}

int cuvette_cosim_failed(const cuvette_cosim* c) {
  return c == nullptr || c->cosim->failed() ? 1 : 0;
}

int cuvette_cosim_passed(const cuvette_cosim* c) {
  return c != nullptr && c->cosim->passed() ? 1 : 0;
}

const char* cuvette_cosim_text(const cuvette_cosim* c) {
  if (c == nullptr) return "no such cosim";
  c->text = c->cosim->failed() ? c->cosim->mismatch() : c->error;
  return c->text.c_str();
}

int cuvette_cosim_get_counts(const cuvette_cosim* c, cuvette_cosim_counts* counts) {
  cuvette_cosim_counts all;
  if (c == nullptr || !known<cuvette_cosim_counts>(counts, all)) return 0;
  const golden::CosimCounts ours = c->cosim->counts();
  all = {counts->size,  ours.instructions,     ours.registers,    ours.lanes,
         ours.accesses, ours.loads_determined, ours.loads_chosen, ours.loads_rejected};
  std::memcpy(counts, &all, counts->size);
  return 1;
}

}  // extern "C"
