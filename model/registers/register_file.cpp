// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "registers/register_file.h"

#include <fmt/format.h>

namespace cuvette::registers {
namespace {

constexpr unsigned kBytes = 4;

unsigned banks(Bank bank, const RegisterFile::Shape& shape) {
  switch (bank) {
    case Bank::None:
      return 1;
    case Bank::Queue:
      return RegisterFile::kSlots;
    case Bank::Pipe:
      return RegisterFile::kMicroEngines * RegisterFile::kPipes;
    case Bank::Vmid:
      return RegisterFile::kVmids;
    case Bank::ShaderArray:
      return shape.engines * shape.arrays;
  }
  return 1;
}

}  // namespace

const char* name(RegisterFile::Status status) {
  switch (status) {
    case RegisterFile::Status::Ok:
      return "ok";
    case RegisterFile::Status::UnknownOffset:
      return "no register there";
    case RegisterFile::Status::Width:
      return "expected 4 bytes";
    case RegisterFile::Status::Alignment:
      return "expected a multiple of 4";
    case RegisterFile::Status::ReadOnly:
      return "the register is read-only";
    case RegisterFile::Status::Selection:
      return "GRBM_GFX_CNTL or GRBM_GFX_INDEX selects what does not exist";
  }
  return "";
}

std::string RegisterFile::Report::str() const {
  const RegisterInfo* r = find(offset);
  return fmt::format("{} of {} bytes at {:#x}{}: {}", write ? "write" : "read", bytes, offset,
                     r != nullptr ? fmt::format(" ({})", r->name) : "", name(status));
}

RegisterFile::RegisterFile(const Shape& shape) : shape_(shape) {
  const Table t = table();
  size_t next = 0;
  for (size_t i = 0; i < t.count; ++i) {
    first_.push_back(next);
    count_.push_back(banks(t.registers[i].bank, shape_));
    next += count_.back();
  }
  values_.resize(next);
  reset();
}

std::vector<unsigned> RegisterFile::selected(const RegisterInfo& info, bool write) const {
  namespace cntl = field::GRBM_GFX_CNTL;
  namespace gfx = field::GRBM_GFX_INDEX;
  const uint32_t select = get(Reg::GRBM_GFX_CNTL);
  const unsigned me = cntl::MEID.get(select);
  const unsigned pipe = cntl::PIPEID.get(select);
  switch (info.bank) {
    case Bank::None:
      return {0};
    case Bank::Queue:
      if (me >= kMicroEngines) return {};
      return {slot(me, pipe, cntl::QUEUEID.get(select))};
    case Bank::Pipe:
      if (me >= kMicroEngines) return {};
      return {me * kPipes + pipe};
    case Bank::Vmid:
      return {cntl::VMID.get(select)};
    case Bank::ShaderArray:
      break;
  }
  const uint32_t where = get(Reg::GRBM_GFX_INDEX);
  const bool all_engines = gfx::SE_BROADCAST_WRITES.get(where) != 0;
  const bool all_arrays = gfx::SH_BROADCAST_WRITES.get(where) != 0;
  std::vector<unsigned> found;
  for (unsigned se = 0; se < shape_.engines; ++se) {
    if (!all_engines && se != gfx::SE_INDEX.get(where)) continue;
    for (unsigned sh = 0; sh < shape_.arrays; ++sh) {
      if (!all_arrays && sh != gfx::SH_INDEX.get(where)) continue;
      found.push_back(se * shape_.arrays + sh);
      if (!write) return found;  // broadcast is for writes: a read takes the first
    }
  }
  return found;
}

RegisterFile::Status RegisterFile::check(uint32_t offset, unsigned bytes, bool write) const {
  if (bytes != kBytes) return Status::Width;
  if (offset % kBytes != 0) return Status::Alignment;
  const RegisterInfo* r = find(offset);
  if (r == nullptr) return is_hole(offset) ? Status::Ok : Status::UnknownOffset;
  if (write && r->read_only) return Status::ReadOnly;
  return selected(*r, write).empty() ? Status::Selection : Status::Ok;
}

RegisterFile::Status RegisterFile::refuse(Status status, bool write, uint32_t offset,
                                          unsigned bytes) {
  // Bit 0 of CUVETTE_ERROR is the first status that is not Ok.
  set(Reg::CUVETTE_ERROR, get(Reg::CUVETTE_ERROR) | 1u << (static_cast<unsigned>(status) - 1u));
  set(Reg::CUVETTE_ERROR_OFFSET, offset);
  if (write) {
    set(Reg::GRBM_WRITE_ERROR, field::GRBM_WRITE_ERROR::WRITE_ERROR, 1);
  } else {
    namespace error = field::GRBM_READ_ERROR;
    set(Reg::GRBM_READ_ERROR,
        error::READ_ERROR.of(1) | error::READ_ADDRESS.of(offset >> error::READ_ADDRESS.low));
  }
  if (report_) report_({status, write, offset, bytes});
  return status;
}

RegisterFile::Status RegisterFile::read(uint32_t offset, unsigned bytes, uint32_t& value) {
  value = 0;
  const Status status = check(offset, bytes, false);
  if (status != Status::Ok) return refuse(status, false, offset, bytes);
  const RegisterInfo* r = find(offset);
  if (r == nullptr) return Status::Ok;  // a hole
  const unsigned instance = selected(*r, false).front();
  value = get(number(*r), instance);
  const auto hook = on_read_.find(number(*r));
  if (hook != on_read_.end()) value = hook->second(instance, value);
  return Status::Ok;
}

RegisterFile::Status RegisterFile::write(uint32_t offset, unsigned bytes, uint32_t value) {
  const Status status = check(offset, bytes, true);
  if (status != Status::Ok) return refuse(status, true, offset, bytes);
  const RegisterInfo* r = find(offset);
  if (r == nullptr) return Status::Ok;
  const Reg reg = number(*r);
  for (const unsigned instance : selected(*r, true)) {
    const uint32_t before = get(reg, instance);
    const uint32_t kept = before & ~r->writable & ~(value & r->write_one_to_clear);
    set(reg, kept | (value & r->writable), instance);
    if (r->effect == Effect::Stored && get(reg, instance) != r->reset) {
      without_effect_.insert(r->name);
    }
    const auto hook = on_write_.find(reg);
    if (hook != on_write_.end()) hook->second(instance, value, before);
  }
  return Status::Ok;
}

bool RegisterFile::peek(uint32_t offset, uint32_t& value) const {
  if (check(offset, kBytes, false) != Status::Ok) return false;
  const RegisterInfo* r = find(offset);
  value = r == nullptr ? 0 : get(number(*r), selected(*r, false).front());
  return true;
}

void RegisterFile::reset() {
  const Table t = table();
  for (size_t i = 0; i < t.count; ++i) {
    for (unsigned n = 0; n < count_[i]; ++n) values_[first_[i] + n] = t.registers[i].reset;
  }
}

void RegisterFile::reset_block(const std::string& block) {
  const Table t = table();
  for (size_t i = 0; i < t.count; ++i) {
    if (block != t.registers[i].block) continue;
    for (unsigned n = 0; n < count_[i]; ++n) values_[first_[i] + n] = t.registers[i].reset;
  }
}

void RegisterFile::reset_instance(const std::string& block, unsigned instance) {
  const Table t = table();
  for (size_t i = 0; i < t.count; ++i) {
    if (block != t.registers[i].block || instance >= count_[i]) continue;
    values_[first_[i] + instance] = t.registers[i].reset;
  }
}

}  // namespace cuvette::registers
