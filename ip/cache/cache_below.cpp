// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Checks of a cache's requests to the level below, and of its answers.
#include <algorithm>
#include <cstring>

#include "crossbar/crossbar.h"
#include "ip/cache/cache_checker.h"
#include "ip/cache/cache_text.h"

namespace cuvette::ip {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using memory::Mtype;

namespace {

bool same_requester(const MemReq& a, const MemReq& b) {
  return a.cu == b.cu && a.wave == b.wave && a.sequence == b.sequence;
}
bool same_attributes(const MemReq& a, const MemReq& b) {
  return a.scope == b.scope && a.glc == b.glc && a.slc == b.slc && a.scc == b.scc && a.nv == b.nv &&
         a.mtype == b.mtype;
}
bool is_nobody(const MemReq& r) {
  return r.cu == 0 && r.wave == 0 && r.sequence == 0;
}

constexpr unsigned kIdBits = 64 - crossbar::kSourceBits;

}  // namespace

CacheChecker::Finding CacheChecker::given(unsigned, unsigned, MemReq& request, Cycle now) {
  ++now_;
  request.time = now + 1;
  if (below_.count(request.id) != 0) {
    return Violation{"id",
                     "asks below with id " + hex_text(request.id) + ", which is under way already"};
  }
  if (config_.role != cache::Role::L2 && request.id >> kIdBits != 0) {
    return Violation{"id", "asks below with id " + hex_text(request.id) +
                               ", expected less than 2^" + std::to_string(kIdBits) +
                               ": the crossbar has the bits above"};
  }
  Below& below = below_[request.id];
  below.request = request;
  below.given = now_;
  ++checked_;
  switch (request.op) {
    case MemOp::Read:
      return check_fill(below);
    case MemOp::Write:
      return check_write(below);
    case MemOp::Atomic:
    case MemOp::AtomicReturn:
      return check_forward(below);
    case MemOp::Invalidate:
    case MemOp::Writeback:
      return check_maintenance_below(below);
  }
  return Violation{"operation", "asks below for an operation that does not exist"};
}

void CacheChecker::note_miss(uint64_t address) {
  for (const AskedPointer& asked : block_of(address).asked) asked->missed = true;
}

/// Blocks are fetched for somebody: for a request under way in the line, or under a store that has
/// been acknowledged and is still held.
CacheChecker::Finding CacheChecker::check_fill(Below& below) {
  const MemReq& r = below.request;
  if (r.address % memory::kBlockBytes != 0) {
    return Violation{"address", "asks below for " + request_text(r) + ", expected whole blocks"};
  }
  bool in_line = false, caused = false;
  const uint64_t first = r.address - r.address % config_.line_bytes;
  for (uint64_t at = first; at < first + config_.line_bytes; at += memory::kBlockBytes) {
    const auto found = blocks_.find(at);
    if (found == blocks_.end()) continue;
    for (const AskedPointer& asked : found->second.asked) {
      in_line = true;
      caused = caused || (same_requester(asked->request, r) && same_attributes(asked->request, r));
    }
    for (const VersionPointer& v : found->second.history.versions()) {
      if (!v->is_unsent(~uint64_t{0})) continue;
      in_line = true;
      caused = caused || (same_requester(v->request, r) && same_attributes(v->request, r));
    }
  }
  if (!in_line) {
    return Violation{"address",
                     "asks below for " + request_text(r) + ", and nobody has asked for its line"};
  }
  if (!caused) {
    return Violation{"attributes", "asks below for " + request_text(r) +
                                       ", and nobody who has asked for its line has these names, "
                                       "scope, cache bits and memory type"};
  }
  Block& block = block_of(r.address);
  for (const VersionPointer& v : block.history.versions()) {
    const uint64_t unsent = (v->dirty | v->may) & ~v->raced;
    if (unsent != 0) below.newer.emplace_back(v, unsent);
  }
  block.fills.push_back(&below);
  ++counters_.fills;
  note_miss(r.address);
  return std::nullopt;
}

/// Every byte that is written below is one that a requester has written and that has not been
/// written there yet.
CacheChecker::Finding CacheChecker::check_write(Below& below) {
  const MemReq& r = below.request;
  if (r.address % memory::kBlockBytes != 0 || r.byte_mask == 0) {
    return Violation{"address",
                     "asks below for " + request_text(r) + ", expected bytes of a whole block"};
  }
  const auto found = blocks_.find(r.address);
  bool held = true;  // each byte may be of a store that the cache keeps
  for (unsigned at = 0; at < memory::kBlockBytes; ++at) {
    if ((r.byte_mask >> at & 1) == 0) continue;
    std::vector<VersionPointer> matches;
    if (found != blocks_.end()) matches = found->second.history.send(at, r.data[at], now_);
    for (const VersionPointer& version : matches) below.sent[version] |= uint64_t{1} << at;
    held = held && std::any_of(matches.begin(), matches.end(),
                               [&](const auto& version) { return !goes_below(version->request); });
    if (matches.size() == 1) below.surely.insert(matches.front());
    if (!matches.empty()) continue;
    std::string due;
    for (const auto& v : found == blocks_.end() ? std::vector<VersionPointer>()
                                                : found->second.history.versions()) {
      if (!v->is_unsent(uint64_t{1} << at) || v->values.empty()) continue;
      due = ", expected " + hex_text(v->values[0][at]) + " of " +
            requester_text(v->request, v->serial);
    }
    return Violation{"write", "asks below for " + request_text(r) + " with " + byte_text(r, at) +
                                  " " + hex_text(r.data[at]) +
                                  (due.empty() ? ", which no request has written, or which is "
                                                 "below already"
                                               : due)};
  }
  bool caused =
      held && is_nobody(r) && (r.mtype == Mtype::NonCoherent || r.mtype == Mtype::ReadWrite);
  for (const auto& [version, mask] : below.sent) {
    caused =
        caused || (same_requester(version->request, r) && same_attributes(version->request, r));
  }
  if (!caused) {
    return Violation{"attributes", "asks below for " + request_text(r) +
                                       ", and nobody who has written these bytes has these names, "
                                       "scope, cache bits and memory type"};
  }
  ++counters_.writebacks;
  note_miss(r.address);
  return std::nullopt;
}

/// An atomic goes below as it came, once, and behind older bytes of its operand.
CacheChecker::Finding CacheChecker::check_forward(Below& below) {
  const MemReq& r = below.request;
  const auto found = blocks_.find(block_address(r.address));
  AskedPointer cause;
  bool again = false;
  if (found != blocks_.end()) {
    for (const AskedPointer& asked : found->second.asked) {
      const MemReq& a = asked->request;
      const bool same = a.op == r.op && a.address == r.address && a.atomic == r.atomic &&
                        a.atomic_bytes == r.atomic_bytes && a.byte_mask == r.byte_mask &&
                        a.flush_subnormals == r.flush_subnormals && same_requester(a, r) &&
                        std::memcmp(a.data.data(), r.data.data(), 16) == 0;
      if (!same) continue;
      again = again || asked->forwarded;
      if (!asked->forwarded && cause == nullptr) cause = asked;
    }
  }
  if (cause == nullptr) {
    return Violation{"atomic", "asks below for " + request_text(r) +
                                   (again ? ", which it has sent already"
                                          : ", which nobody under way has asked for like this")};
  }
  if (!same_attributes(cause->request, r)) {
    return Violation{"attributes", "asks below for " + request_text(r) +
                                       " with other scope, cache bits or memory type"};
  }
  const uint64_t operand = operand_mask(r);
  for (const VersionPointer& v : found->second.history.versions()) {
    if (v == cause->version) break;
    if (((v->dirty | v->may) & ~v->raced & operand) == 0 || v->port != cause->port) continue;
    return Violation{"order", "asks below for " + request_text(r) +
                                  " before bytes of its operand, "
                                  "written by " +
                                  requester_text(v->request, v->serial)};
  }
  cause->forwarded = true;
  Version& version = *cause->version;
  version.forwarded = true;
  version.open = false;
  version.any = false;
  version.values.clear();
  version.found.clear();
  version.dirty = version.may = version.maybe = 0;
  version.clean = now_;
  below.forwarded = cause;
  ++counters_.forwards;
  note_miss(r.address);
  return std::nullopt;
}

CacheChecker::Finding CacheChecker::check_maintenance_below(Below& below) {
  const MemReq& r = below.request;
  for (const AskedPointer& asked : maintenance_) {
    if (asked->forwarded || asked->request.op != r.op || !reaches_below(asked->request)) continue;
    if (asked->request.scope != r.scope || !same_requester(asked->request, r)) continue;
    asked->forwarded = true;
    below.forwarded = asked;
    return std::nullopt;
  }
  return Violation{"maintenance",
                   "asks below for " + request_text(r) + ", which nobody has asked for"};
}

CacheChecker::Finding CacheChecker::taken(unsigned, unsigned, const MemResp& answer, Cycle) {
  ++now_;
  const auto found = below_.find(answer.id);
  if (found == below_.end()) {  // the machine's own error
    return Violation{
        "id", "the level below answers id " + hex_text(answer.id) + ", which is not under way"};
  }
  Below& below = found->second;
  if (below.forwarded != nullptr) {
    below.forwarded->below = answer;
    below.forwarded->below_at = now_;
  } else if (below.request.op == MemOp::Read) {
    filled(below, answer);
  } else {
    written(below, answer);
  }
  below_.erase(found);
  return std::nullopt;
}

void CacheChecker::filled(Below& below, const MemResp& answer) {
  Block& block = block_of(below.request.address);
  block.fills.erase(std::find(block.fills.begin(), block.fills.end(), &below));
  if (answer.status == MemStatus::Fault) {
    for (const AskedPointer& asked : block.asked) asked->faulted = true;
    return;
  }
  const uint64_t mask = below.request.byte_mask;
  auto version = std::make_shared<Version>();
  version->born = now_;
  version->answered = now_;
  version->clean = below.given;
  version->values.push_back(answer.data);
  version->mask = mask;
  for (const auto& [store, bytes] : below.newer) {
    if (store->answered == kNotYet) {
      version->hidden.push_back({store, bytes});
    } else {
      version->mask &= ~bytes;
    }
  }
  // For those that wait: what stores ahead of them have written is newer.
  for (const AskedPointer& asked : block.asked) {
    if (below.given < asked->valid_from) continue;
    uint64_t bytes = mask;
    for (const auto& [store, of_store] : below.newer) {
      if (store != asked->version && is_behind(*store, asked->port, asked->taken)) {
        bytes &= ~of_store;
      }
    }
    if (asked->request.op == MemOp::Read) {
      bytes &= asked->request.byte_mask;
      if (bytes != 0) asked->may_see.emplace_back(version, bytes);
    } else if (asked->version->open && (bytes & asked->version->mask) != 0) {
      asked->version->found.emplace_back(version, bytes & asked->version->mask);
    }
  }
  block.history.add_fill(version);
  block.history.forget_dead();
}

void CacheChecker::written(Below& below, const MemResp& answer) {
  const bool refused = answer.status == MemStatus::Fault;
  Block& block = block_of(below.request.address);
  for (const auto& [version, mask] : below.sent) {
    block.history.acknowledge(version, mask);
    if (refused && !goes_below(version->request)) refused_.insert(below.request.address);
  }
  for (const AskedPointer& asked : block.asked) {
    if (asked->request.op != MemOp::Write) continue;
    const auto own = below.sent.find(asked->version);
    if (own == below.sent.end()) continue;
    asked->below_serials.push_back(answer.serial);
    if (refused) asked->written = MemStatus::Fault;
  }
  if (!block.history.has_dirty()) dirty_blocks_.erase(below.request.address);
  block.history.forget_dead();
}

}  // namespace cuvette::ip
