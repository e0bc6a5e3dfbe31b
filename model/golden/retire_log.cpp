// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/retire_log.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "isa/text.h"

namespace cuvette::golden {
namespace {

using wave::MemoryAccess;
using wave::RetireRecord;
using wave::VectorWrite;

constexpr char kMachine = 'M', kCode = 'C', kPreload = 'P', kDispatch = 'D', kRecord = 'R';
constexpr uint64_t kWaveMask = (uint64_t{1} << 40) - 1;  // above: the dispatch
constexpr uint64_t kMostItems = 4096;                    // of a kind in one record
constexpr size_t kMostCode = size_t{1} << 29;

uint64_t bits_of(const MemoryAccess& a) {
  return (a.glc ? 1u : 0u) | (a.slc ? 2u : 0u) | (a.scc ? 4u : 0u) | (a.nv ? 8u : 0u) |
         (a.fault ? 16u : 0u) | static_cast<uint64_t>(a.scope) << 5;
}

void set_bits(MemoryAccess& a, uint64_t bits) {
  a.glc = (bits & 1) != 0;
  a.slc = (bits & 2) != 0;
  a.scc = (bits & 4) != 0;
  a.nv = (bits & 8) != 0;
  a.fault = (bits & 16) != 0;
  a.scope = static_cast<wave::AccessScope>(bits >> 5 & 3);
}

bool ends_in(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

LogWriter::LogWriter(const std::string& path, const LogMachine& m)
    : path_(path), sink_(path, ends_in(path, ".bin") ? LogForm::Binary : LogForm::Text) {
  sink_.begin(kMachine).text(m.engine).text(m.target).u(m.sramecc).u(m.poison);
  sink_.u(m.shared_aperture).u(m.private_aperture);
  sink_.end("engine, target, sramecc, poison, apertures");
}

LogWriter::~LogWriter() {
  sink_.finish();
}

void LogWriter::code(const LogCode& code) {
  if (!codes_.emplace(code.address, true).second) return;
  sink_.begin(kCode).u(code.address).bytes(code.bytes.data(), code.bytes.size()).end();
}

void LogWriter::dispatch(const LogDispatch& d) {
  if (!d.preload.empty()) {
    sink_.begin(kPreload).u(d.preload.size());
    for (const auto n : d.preload) sink_.u(n);
    sink_.end("kernel arguments of the next dispatch in user SGPRs");
  }
  sink_.begin(kDispatch).text(d.kernel).u(d.descriptor);
  for (const auto n : d.grid) sink_.u(n);
  for (const auto n : d.workgroup) sink_.u(n);
  sink_.u(d.kernarg).u(d.group_bytes).u(d.private_bytes);
  sink_.u(d.packet_address).u(d.queue_address).u(d.dispatch_id).u(d.scratch_base);
  for (const auto n : d.scratch_descriptor) sink_.u(n);
  sink_.end(
      "kernel, descriptor, grid, work-group, kernarg, group and private bytes, packet, queue, "
      "id, scratch and its descriptor");
  waves_.clear();
}

void LogWriter::record(const RetireRecord& r) {
  Wave& w = waves_[r.wave];
  if (r.order != w.next) {
    w.early.emplace(r.order, r);
    return;
  }
  write(r);
  ++w.next;
  for (auto it = w.early.begin(); it != w.early.end() && it->first == w.next; ++w.next) {
    write(it->second);
    it = w.early.erase(it);
  }
}

base::Status LogWriter::end_dispatch() {
  for (auto& [id, w] : waves_) {
    for (const auto& [order, r] : w.early) write(r);
  }
  waves_.clear();
  if (!sink_.good()) return base::Error("cannot be written", {path_});
  return {};
}

void LogWriter::write(const RetireRecord& r) {
  sink_.begin(kRecord).u(r.wave & kWaveMask).u(r.order).u(r.pc).u(r.exec);
  sink_.u(r.instruction.length);
  for (unsigned n = 0; n < r.instruction.length; ++n) sink_.u(r.instruction.words[n]);
  sink_.u(r.mode).u(r.status).u(r.trapsts).u(r.flags).u(r.trap);
  sink_.u(r.scalar_writes.size());
  for (const auto& s : r.scalar_writes) sink_.u(s.code).u(s.value);
  sink_.u(r.vector_writes.size());
  for (const VectorWrite& v : r.vector_writes) {
    sink_.u(v.kind == isa::OperandKind::Agpr).u(v.index).u(v.lanes);
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if ((v.lanes >> lane & 1) != 0) sink_.u(v.data[lane]);
    }
  }
  sink_.u(r.accesses.size());
  for (const MemoryAccess& a : r.accesses) {
    sink_.u(a.lane).u(static_cast<unsigned>(a.space)).u(static_cast<unsigned>(a.kind));
    sink_.u(static_cast<unsigned>(a.atomic)).u(a.size).u(bits_of(a)).u(a.memory_type);
    sink_.u(a.address).u(a.serial);
    const bool atomic = wave::is_atomic(a.kind);
    sink_.bytes(a.bytes, atomic ? std::min<size_t>(sizeof a.bytes, 2u * a.size) : a.size);
    sink_.bytes(a.old_bytes, a.kind == wave::MemoryKind::AtomicReturn ? a.size : 0u);
  }
  sink_.end(isa::text(r.instruction));
}

base::Result<LogEntry> LogReader::next() {
  auto tag = source_.next();
  if (!tag) return tag.error();
  LogEntry e;
  switch (*tag) {
    case 0:
      return e;
    case kMachine:
      e.kind = LogEntry::Kind::Machine;
      e.machine.engine = source_.text("engine");
      e.machine.target = source_.text("target");
      e.machine.sramecc = source_.u("sramecc", 1) != 0;
      e.machine.poison = source_.u("poison", 1) != 0;
      e.machine.shared_aperture = source_.u("shared aperture");
      e.machine.private_aperture = source_.u("private aperture");
      break;
    case kCode:
      e.kind = LogEntry::Kind::Code;
      e.code.address = source_.u("address of the code object");
      e.code.bytes = source_.bytes("code object", kMostCode);
      break;
    case kPreload:
      e.kind = LogEntry::Kind::Preload;
      e.dispatch.preload.resize(source_.u("number of preloaded dwords", hsa::kMaxUserSgprs));
      for (auto& n : e.dispatch.preload) {
        n = static_cast<uint32_t>(source_.u("preloaded dword", 0xffffffff));
      }
      break;
    case kDispatch: {
      e.kind = LogEntry::Kind::Dispatch;
      LogDispatch& d = e.dispatch;
      d.kernel = source_.text("kernel");
      d.descriptor = source_.u("descriptor");
      for (auto& n : d.grid) n = static_cast<uint32_t>(source_.u("grid", 0xffffffff));
      for (auto& n : d.workgroup) n = static_cast<uint16_t>(source_.u("work-group", 1024));
      d.kernarg = source_.u("kernarg");
      d.group_bytes = static_cast<uint32_t>(source_.u("group bytes", 0xffffffff));
      d.private_bytes = static_cast<uint32_t>(source_.u("private bytes", 0xffffffff));
      d.packet_address = source_.u("packet");
      d.queue_address = source_.u("queue");
      d.dispatch_id = source_.u("dispatch id");
      d.scratch_base = source_.u("scratch");
      for (auto& n : d.scratch_descriptor) {
        n = static_cast<uint32_t>(source_.u("scratch descriptor", 0xffffffff));
      }
      break;
    }
    case kRecord:
      e.kind = LogEntry::Kind::Record;
      if (auto s = read_record(e.record); !s.ok()) return s.error();
      break;
    default:
      return source_.error(fmt::format("unknown entry '{}'", *tag));
  }
  if (auto s = source_.done(); !s.ok()) return s.error();
  return e;
}

base::Status LogReader::read_record(RetireRecord& r) {
  r.wave = source_.u("wave", kWaveMask);
  r.order = source_.u("order");
  r.pc = source_.u("pc");
  r.exec = source_.u("exec");
  r.instruction.length = static_cast<uint8_t>(source_.u("number of words", 4));
  for (unsigned n = 0; n < r.instruction.length; ++n) {
    r.instruction.words[n] = static_cast<uint32_t>(source_.u("word", 0xffffffff));
  }
  r.mode = static_cast<uint32_t>(source_.u("mode", 0xffffffff));
  r.status = static_cast<uint32_t>(source_.u("status", 0xffffffff));
  r.trapsts = static_cast<uint32_t>(source_.u("trapsts", 0xffffffff));
  r.flags = static_cast<uint8_t>(source_.u("flags", 0xff));
  r.trap = static_cast<uint8_t>(source_.u("trap", 0xff));
  for (uint64_t n = source_.u("number of scalar writes", kMostItems); n != 0; --n) {
    const auto code = static_cast<uint16_t>(source_.u("scalar code", isa::kScc));
    r.scalar_writes.push_back({code, static_cast<uint32_t>(source_.u("value", 0xffffffff))});
  }
  for (uint64_t n = source_.u("number of vector writes", kMostItems); n != 0; --n) {
    VectorWrite v;
    v.kind = source_.u("register file", 1) != 0 ? isa::OperandKind::Agpr : isa::OperandKind::Vgpr;
    v.index = static_cast<uint16_t>(source_.u("register", 511));
    v.lanes = source_.u("lanes");
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if ((v.lanes >> lane & 1) != 0) {
        v.data[lane] = static_cast<uint32_t>(source_.u("lane", 0xffffffff));
      }
    }
    r.vector_writes.push_back(v);
  }
  for (uint64_t n = source_.u("number of accesses", kMostItems); n != 0; --n) {
    MemoryAccess a;
    a.lane = static_cast<uint8_t>(source_.u("lane", 63));
    a.space = static_cast<wave::MemorySpace>(source_.u("memory space", 3));
    a.kind = static_cast<wave::MemoryKind>(source_.u("kind of access", 3));
    a.atomic = static_cast<base::AtomicOp>(source_.u("atomic operation", 31));
    a.size = static_cast<uint8_t>(source_.u("size", sizeof a.bytes));
    set_bits(a, source_.u("cache bits", 0x7f));
    a.memory_type = static_cast<uint8_t>(source_.u("memory type", 0xff));
    a.address = source_.u("address");
    a.serial = source_.u("serial");
    const auto data = source_.bytes("data", sizeof a.bytes);
    const auto old = source_.bytes("old data", sizeof a.old_bytes);
    std::copy(data.begin(), data.end(), a.bytes);
    std::copy(old.begin(), old.end(), a.old_bytes);
    r.accesses.push_back(a);
  }
  return source_.done();
}

}  // namespace cuvette::golden
