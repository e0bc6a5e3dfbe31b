// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Checks of the requests to a cache, and of its answers to them.
#include "ip/cache/cache_checker.h"

#include <algorithm>
#include <cstring>

#include "ip/cache/cache_text.h"
#include "memory/serve.h"

namespace cuvette::ip {

using cache::Role;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using memory::Mtype;
using memory::Scope;

namespace {

bool is_maintenance(MemOp op) {
  return op == MemOp::Invalidate || op == MemOp::Writeback;
}
bool has_data(MemOp op) {
  return op == MemOp::Read || op == MemOp::AtomicReturn;
}

}  // namespace

/// The access may not be answered from what is held.
bool CacheChecker::passes(const MemReq& r) const {
  if (config_.role == Role::L2) {
    return r.mtype == Mtype::Uncached || r.mtype == Mtype::CoherentlyCached;
  }
  return r.scope == Scope::Wave ? r.glc : r.scope >= Scope::Agent;
}

/// The access is done below.
bool CacheChecker::goes_past(const MemReq& r) const {
  return passes(r) || (is_atomic(r.op) && config_.role != Role::L2);
}

/// A store is acknowledged by the level below.
bool CacheChecker::goes_below(const MemReq& r) const {
  if (config_.role == Role::VectorL1) return true;
  return r.mtype == Mtype::Uncached || r.mtype == Mtype::CoherentlyCached;
}

bool CacheChecker::reaches_below(const MemReq& r) const {
  return config_.role == Role::VectorL1 && r.scope == Scope::System;
}

CacheChecker::Finding CacheChecker::taken(unsigned, unsigned port, const MemReq& request, Cycle) {
  auto asked = std::make_shared<Asked>();
  asked->request = request;
  asked->port = port;
  asked->taken = ++now_;
  asked->valid_from = passes(request) ? asked->taken : valid_from_;
  ++under_way_;
  asked_[{port, request.id}] = asked;
  if (is_maintenance(request.op)) {
    maintenance_.push_back(asked);
    return std::nullopt;
  }
  Block& block = block_of(request.address);
  block.asked.push_back(asked);
  if (request.op == MemOp::Read) {
    asked->may_see =
        block.history.visible(port, request.byte_mask, asked->taken, asked->valid_from);
  } else {
    take_store(asked, block);
  }
  return std::nullopt;
}

void CacheChecker::take_store(const AskedPointer& asked, Block& block) {
  auto version = std::make_shared<Version>();
  const MemReq& r = asked->request;
  const bool atomic = is_atomic(r.op);
  version->kind = atomic ? Version::Kind::Atomic : Version::Kind::Store;
  version->port = asked->port;
  version->request = r;
  version->born = asked->taken;
  version->mask = version->dirty = atomic ? operand_mask(r) : r.byte_mask;
  if (atomic) {
    // One that is done below has no value here.
    version->open = !goes_past(r);
    if (version->open) {
      version->found = block.history.visible(asked->port, version->mask, asked->taken, valid_from_);
    }
  } else {
    version->below_lacks = version->mask;
    version->values.push_back(r.data);
  }
  asked->version = version;
  block.history.add_store(version);
  // Requests of other ports that are under way may be served behind it.
  for (const AskedPointer& other : block.asked) {
    if (other->port == asked->port) continue;
    if (other->request.op == MemOp::Read) {
      const uint64_t bytes = version->mask & other->request.byte_mask;
      if (bytes != 0) other->may_see.emplace_back(version, bytes);
    } else if (other->version->open && (version->mask & other->version->mask) != 0) {
      const uint64_t both = version->mask & other->version->mask;
      other->version->found.emplace_back(version, both);
      other->version->raced |= both;
      version->raced |= both;
    }
  }
  for (Below* fill : block.fills) fill->newer.emplace_back(version, version->mask);
  dirty_blocks_.insert(block_address(r.address));
}

CacheChecker::Finding CacheChecker::given(unsigned, unsigned port, MemResp& answer, Cycle now) {
  ++now_;
  answer.time = now + 1;
  const auto found = asked_.find({port, answer.id});
  if (found == asked_.end()) {
    return Violation{"id", "an answer with id " + hex_text(answer.id) +
                               " that no request under way at the port has"};
  }
  const AskedPointer asked = found->second;
  if (auto wrong = check_order(*asked)) return wrong;
  if (auto wrong = check_answer(*asked, answer)) return wrong;
  Finding wrong;
  if (is_maintenance(asked->request.op)) {
    wrong = check_maintenance(*asked, answer);
  } else {
    Block& block = block_of(asked->request.address);
    if (asked->request.op == MemOp::Read) {
      wrong = check_read(*asked, answer, block);
    } else if (asked->request.op == MemOp::Write) {
      wrong = check_store(*asked, answer, block);
    } else {
      wrong = check_atomic(*asked, answer, block);
    }
  }
  if (wrong) return wrong;
  count(*asked);
  forget(asked);
  return std::nullopt;
}

/// Data of one block come in the order of the requests, those that go past the cache among
/// themselves; and nothing overtakes an Invalidate or Writeback of its port.
CacheChecker::Finding CacheChecker::check_order(const Asked& asked) const {
  const MemReq& r = asked.request;
  for (const AskedPointer& m : maintenance_) {
    if (m.get() == &asked || m->port != asked.port || m->taken > asked.taken) continue;
    return Violation{"maintenance", "answers " + request_text(r) + ", which was taken behind " +
                                        request_text(m->request) + ", before that"};
  }
  if (!has_data(r.op)) return std::nullopt;
  const auto found = blocks_.find(block_address(r.address));
  for (const AskedPointer& older : found->second.asked) {
    if (older.get() == &asked) break;
    if (older->port != asked.port || !has_data(older->request.op)) continue;
    if (goes_past(older->request) != goes_past(r)) continue;
    return Violation{"order", "answers " + request_text(r) + " before " +
                                  request_text(older->request) + ", which is older"};
  }
  return std::nullopt;
}

CacheChecker::Finding CacheChecker::check_answer(const Asked& asked, const MemResp& answer) {
  const MemReq& r = asked.request;
  const bool names_block = is_maintenance(r.op) && answer.status == MemStatus::Fault;
  if (answer.address != r.address && !names_block) {
    return Violation{"address",
                     "answers " + request_text(r) + " with address " + hex_text(answer.address)};
  }
  if (!is_maintenance(r.op) && answer.status == MemStatus::Fault && !asked.faulted &&
      asked.written != MemStatus::Fault &&
      !(asked.below && asked.below->status == MemStatus::Fault)) {
    return Violation{
        "status", "answers " + request_text(r) + " with a fault that the level below has not told"};
  }
  return check_serial(asked, answer);
}

/// Serials number the stores and atomics that an L2 does, ascending in a block; what is passed on
/// keeps the number it got below.
CacheChecker::Finding CacheChecker::check_serial(const Asked& asked, const MemResp& answer) {
  const MemReq& r = asked.request;
  const auto wrong = [&](const std::string& want) {
    return Violation{"serial", "answers " + request_text(r) + " with serial " +
                                   std::to_string(answer.serial) + ", expected " + want};
  };
  const bool stores = memory::is_store(r.op);
  if (!stores) return answer.serial == 0 ? Finding() : wrong("0");
  if (answer.status == MemStatus::Fault) return std::nullopt;
  if (asked.below) {
    const uint64_t below = asked.below->serial;
    return answer.serial == below ? Finding() : wrong(std::to_string(below) + " as from below");
  }
  if (r.op == MemOp::Write && goes_below(r)) {
    const auto& all = asked.below_serials;  // none: it is told that it is early
    if (all.empty() || std::find(all.begin(), all.end(), answer.serial) != all.end()) {
      return std::nullopt;
    }
    return wrong(std::to_string(all.back()) + " as from below");
  }
  if (config_.role != Role::L2) return answer.serial == 0 ? Finding() : wrong("0");
  uint64_t& last = serials_[{asked.port, block_address(r.address)}];
  if (answer.serial <= last) return wrong("more than " + std::to_string(last));
  last = answer.serial;
  return std::nullopt;
}

CacheChecker::Finding CacheChecker::check_read(const Asked& asked, const MemResp& answer,
                                               Block& block) {
  const MemReq& r = asked.request;
  if (answer.status == MemStatus::Fault) return std::nullopt;
  for (unsigned at = 0; at < memory::kBlockBytes; ++at) {
    if ((r.byte_mask >> at & 1) == 0) continue;
    ++checked_;
    bool legal = false;
    for (const auto& [version, mask] : asked.may_see) {
      if ((mask >> at & 1) == 0) continue;
      version->settle();
      legal = legal || version->allows(at, answer.data[at]);
    }
    if (!legal) {
      return Violation{"data", "answers " + request_text(r) + " with " + byte_text(r, at) + " " +
                                   hex_text(answer.data[at]) + ", expected " +
                                   values_text(asked.may_see, at, passes(r))};
    }
    if (block.history.versions().size() > 1) {
      block.history.observe(asked.may_see, at, answer.data[at]);
    }
  }
  return std::nullopt;
}

CacheChecker::Finding CacheChecker::check_store(const Asked& asked, const MemResp& answer,
                                                Block& block) {
  const VersionPointer& version = asked.version;
  version->answered = now_;
  version->serial = answer.serial;
  if (answer.status == MemStatus::Fault) {
    if (asked.written == MemStatus::Fault) refused_.erase(block_address(asked.request.address));
    block.history.cancel(version);
  } else if (goes_below(asked.request)) {
    ++checked_;
    if (version->below_lacks != 0) {
      return Violation{"early answer", "acknowledges " + request_text(asked.request) +
                                           " before the level below " + "has acknowledged bytes " +
                                           hex_text(version->below_lacks)};
    }
    if (asked.written == MemStatus::Fault) {
      return Violation{"status", "acknowledges " + request_text(asked.request) +
                                     ", for which the level below has told a fault"};
    }
  }
  block.history.answered(version);
  block.history.forget_dead();
  return std::nullopt;
}

CacheChecker::Finding CacheChecker::check_atomic(Asked& asked, const MemResp& answer,
                                                 Block& block) {
  const MemReq& r = asked.request;
  const VersionPointer& version = asked.version;
  version->answered = now_;
  version->serial = answer.serial;
  Finding wrong;
  if (asked.forwarded) {
    wrong = check_forwarded(asked, answer);
  } else if (goes_past(r)) {
    wrong = Violation{"atomic", "answers " + request_text(r) + ", which never went below"};
  } else if (answer.status == MemStatus::Fault) {
    block.history.cancel(version);
  } else {
    const uint64_t operand = operand_mask(r);
    const auto first = static_cast<unsigned>(r.address % memory::kBlockBytes);
    for (unsigned n = 0; r.op == MemOp::AtomicReturn && n < r.atomic_bytes; ++n) {
      ++checked_;
      bool legal = false;
      for (const auto& [found, mask] : version->found) {
        if ((mask >> (first + n) & 1) == 0) continue;
        found->settle();
        legal = legal || found->allows(first + n, answer.data[n]);
      }
      if (!legal) {
        return Violation{"atomic", "answers " + request_text(r) + " with the old value " +
                                       hex_text(answer.data[n]) + " in " + byte_text(r, first + n) +
                                       ", expected " +
                                       values_text(version->found, first + n, false)};
      }
    }
    version->settle();
    if (r.op == MemOp::AtomicReturn) {
      uint64_t old = 0;
      std::memcpy(&old, answer.data.data(), r.atomic_bytes);
      const uint64_t value = new_value(r, old);
      version->any = false;
      version->values.assign(1, {});
      std::memcpy(version->values[0].data() + first, &value, r.atomic_bytes);
    }
    // One that may leave the value as it was need not be written back.
    std::vector<uint64_t> olds;
    if (version->any || !old_values(r, version->found, olds) ||
        std::any_of(olds.begin(), olds.end(), [&](uint64_t old) {
          return std::memcmp(&old, version->values[0].data() + first, r.atomic_bytes) == 0;
        })) {
      version->may |= version->dirty & operand;
      version->dirty &= ~operand;
    }
  }
  version->open = false;
  version->found.clear();
  if (wrong) return wrong;
  block.history.answered(version);
  block.history.forget_dead();
  return std::nullopt;
}

/// Answer from the level below, which the cache passes on unchanged.
CacheChecker::Finding CacheChecker::check_forwarded(const Asked& asked,
                                                    const MemResp& answer) const {
  const MemReq& r = asked.request;
  if (!asked.below) {
    return Violation{"early answer",
                     "answers " + request_text(r) + " before the level below has answered it"};
  }
  if (answer.status != asked.below->status) {
    return Violation{"status", "answers " + request_text(r) + " with another status than below"};
  }
  if (r.op != MemOp::AtomicReturn || answer.status == MemStatus::Fault) return std::nullopt;
  if (std::memcmp(answer.data.data(), asked.below->data.data(), r.atomic_bytes) == 0) {
    return std::nullopt;
  }
  return Violation{"atomic", "answers " + request_text(r) + " with another old value than below"};
}

CacheChecker::Finding CacheChecker::check_maintenance(Asked& asked, const MemResp& answer) {
  const MemReq& r = asked.request;
  ++checked_;
  const bool told = answer.status == MemStatus::Fault;
  if (reaches_below(r)) {
    if (!asked.below) {
      return Violation{"maintenance",
                       "answers " + request_text(r) + " before the level below has answered it"};
    }
    if (answer.status != asked.below->status) {
      return Violation{"status", "answers " + request_text(r) + " with another status than below"};
    }
  } else if (told) {
    // One block is told for all; whether the others are, too, is the cache's choice.
    const bool known = refused_.erase(answer.address) + may_tell_.erase(answer.address) != 0;
    may_tell_.merge(refused_);
    refused_.clear();
    if (r.op != MemOp::Writeback || !known) {
      return Violation{"status", "answers " + request_text(r) + " with a fault of block " +
                                     hex_text(answer.address) +
                                     ", which the level below has not told"};
    }
  }
  const bool past = config_.role == Role::VectorL1 && r.glc;  // meant for the level below alone
  if (!past && r.op == MemOp::Writeback) {
    if (auto wrong = check_written_back(asked)) return wrong;
    if (!told && !refused_.empty()) {
      return Violation{"status", "answers " + request_text(r) + ", although block " +
                                     hex_text(*refused_.begin()) + " could not be written below"};
    }
  }
  if (!past && r.op == MemOp::Invalidate) {
    valid_from_ = std::max(valid_from_, asked.below ? asked.below_at : asked.taken);
  }
  return std::nullopt;
}

CacheChecker::Finding CacheChecker::check_written_back(const Asked& asked) const {
  for (const uint64_t address : dirty_blocks_) {
    for (const VersionPointer& v : blocks_.at(address).history.versions()) {
      if (v->dirty == 0 || !is_behind(*v, asked.port, asked.taken)) continue;
      return Violation{"lost write", "answers " + request_text(asked.request) + ", and bytes " +
                                         hex_text(v->dirty) + " of block " + hex_text(address) +
                                         " are not below, written by " +
                                         requester_text(v->request, v->serial)};
    }
  }
  if (config_.role == Role::VectorL1) return std::nullopt;
  for (const auto& [id, below] : below_) {
    for (const VersionPointer& version : below.surely) {
      if (goes_below(version->request) || !is_behind(*version, asked.port, asked.taken)) continue;
      return Violation{"write-back", "answers " + request_text(asked.request) +
                                         " before the level below has acknowledged the write of "
                                         "block " +
                                         hex_text(below.request.address)};
    }
  }
  return std::nullopt;
}

void CacheChecker::count(const Asked& asked) {
  cache::Cache::Counters& c = counters_;
  switch (asked.request.op) {
    case MemOp::Read:
      ++c.reads, ++(asked.missed ? c.read_misses : c.read_hits);
      break;
    case MemOp::Write:
      ++c.writes, ++(asked.missed ? c.write_misses : c.write_hits);
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn:
      ++c.atomics, ++(asked.missed ? c.atomic_misses : c.atomic_hits);
      break;
    case MemOp::Invalidate:
      ++c.invalidates;
      break;
    case MemOp::Writeback:
      break;
  }
}

void CacheChecker::forget(const AskedPointer& asked) {
  --under_way_;
  asked_.erase({asked->port, asked->request.id});
  auto& list =
      is_maintenance(asked->request.op) ? maintenance_ : block_of(asked->request.address).asked;
  list.erase(std::find(list.begin(), list.end(), asked));
}

std::string CacheChecker::owed() const {
  if (asked_.empty()) return "nothing is due";
  const Asked* oldest = nullptr;
  for (const auto& [key, asked] : asked_) {
    if (oldest == nullptr || asked->taken < oldest->taken) oldest = asked.get();
  }
  return "no answer to " + request_text(oldest->request);
}

CacheChecker::Finding CacheChecker::conclude() const {
  if (under_way_ != 0) return Violation{"missing", "at the end, " + owed()};
  if (config_.role != Role::VectorL1) return std::nullopt;
  for (const uint64_t address : dirty_blocks_) {
    for (const VersionPointer& v : blocks_.at(address).history.versions()) {
      if (v->dirty == 0) continue;
      return Violation{"lost write", "at the end, bytes " + hex_text(v->dirty) + " of block " +
                                         hex_text(address) + " are not below, written by " +
                                         requester_text(v->request, v->serial)};
    }
  }
  return std::nullopt;
}

bool CacheChecker::peek(uint64_t address, uint8_t* bytes, unsigned count) const {
  for (unsigned n = 0; n < count; ++n) {
    const auto found = blocks_.find(block_address(address + n));
    if (found == blocks_.end()) return false;
    const auto at = static_cast<unsigned>((address + n) % memory::kBlockBytes);
    const auto& versions = found->second.history.versions();
    const auto newest = std::find_if(versions.rbegin(), versions.rend(), [&](const auto& v) {
      return (v->mask >> at & 1) != 0 &&
             (v->clean >= valid_from_ || v->is_unsent(uint64_t{1} << at));
    });
    if (newest == versions.rend() || (*newest)->any || (*newest)->values.size() != 1) return false;
    bytes[n] = (*newest)->values[0][at];
  }
  return true;
}

void CacheChecker::for_dirty(const cache::Cache::OnDirty& f) const {
  for (const uint64_t address : dirty_blocks_) {
    for (const VersionPointer& v : blocks_.at(address).history.versions()) {
      if (v->dirty != 0 && v->values.size() == 1) f(address, v->dirty, v->values[0].data());
    }
  }
}

}  // namespace cuvette::ip
