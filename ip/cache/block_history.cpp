// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/block_history.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::ip {
namespace {

constexpr uint64_t bit_of(unsigned at) {
  return uint64_t{1} << at;
}

}  // namespace

uint64_t operand_mask(const memory::MemReq& atomic) {
  return base::low_mask(atomic.atomic_bytes) << (atomic.address % memory::kBlockBytes);
}

uint64_t new_value(const memory::MemReq& atomic, uint64_t old) {
  uint64_t operand = 0, compare = 0;
  std::memcpy(&operand, atomic.data.data(), 8);
  std::memcpy(&compare, atomic.data.data() + 8, 8);
  return wave::apply_atomic(atomic.atomic, old, operand, compare, atomic.atomic_bytes * 8u,
                            atomic.flush_subnormals, atomic.flush_subnormals);
}

bool old_values(const memory::MemReq& atomic, const std::vector<VisibleVersion>& found,
                std::vector<uint64_t>& out) {
  const auto first = static_cast<unsigned>(atomic.address % memory::kBlockBytes);
  out.assign(1, 0);
  for (unsigned n = 0; n < atomic.atomic_bytes; ++n) {
    std::vector<uint8_t> of_byte;
    for (const auto& [version, mask] : found) {
      if ((mask & bit_of(first + n)) == 0) continue;
      version->settle();
      if (version->any) return false;
      for (const BlockBytes& bytes : version->values) of_byte.push_back(bytes[first + n]);
    }
    std::sort(of_byte.begin(), of_byte.end());
    of_byte.erase(std::unique(of_byte.begin(), of_byte.end()), of_byte.end());
    if (of_byte.empty() || of_byte.size() * out.size() > kMostValues) return false;
    std::vector<uint64_t> longer;
    for (const uint64_t low : out) {
      for (const uint8_t byte : of_byte) longer.push_back(low | uint64_t{byte} << 8 * n);
    }
    out = std::move(longer);
  }
  return true;
}

void Version::settle() {
  if (!open) return;
  values.clear();
  std::vector<uint64_t> olds;
  any = raced != 0 || !old_values(request, found, olds);
  if (any) return;
  for (const uint64_t old : olds) {
    BlockBytes bytes{};
    const uint64_t value = new_value(request, old);
    std::memcpy(bytes.data() + request.address % memory::kBlockBytes, &value, request.atomic_bytes);
    values.push_back(bytes);
  }
}

bool Version::allows(unsigned at, uint8_t value) const {
  return any || std::any_of(values.begin(), values.end(),
                            [&](const BlockBytes& bytes) { return bytes[at] == value; });
}

BlockHistory::~BlockHistory() {
  for (const VersionPointer& v : versions_) {
    v->found.clear();
    v->hidden.clear();
  }
}

void BlockHistory::add_store(const VersionPointer& version) {
  for (const VersionPointer& older : versions_) {
    const uint64_t both = (older->mask | older->dirty | older->may | older->maybe) & version->mask;
    if (both == 0) continue;
    const bool ordered =
        older->kind == Version::Kind::Fill || is_behind(*older, version->port, version->born);
    if (ordered) {
      older->hidden.push_back({version, both});
    } else {
      older->raced |= both;
      version->raced |= both;
      version->may |= version->dirty & both;
      version->dirty &= ~both;
    }
    older->may |= older->dirty & both;
    older->dirty &= ~both;
  }
  versions_.push_back(version);
}

void BlockHistory::add_fill(const VersionPointer& version) {
  versions_.push_back(version);
}

void BlockHistory::answered(const VersionPointer& version) {
  for (const VersionPointer& older : versions_) {
    auto& hidden = older->hidden;
    for (auto it = hidden.begin(); it != hidden.end();) {
      if (it->by != version) {
        ++it;
        continue;
      }
      older->mask &= ~it->mask;
      it = hidden.erase(it);
    }
  }
}

void BlockHistory::cancel(const VersionPointer& version) {
  for (const VersionPointer& older : versions_) {
    auto& hidden = older->hidden;
    hidden.erase(std::remove_if(hidden.begin(), hidden.end(),
                                [&](const Version::Hider& h) { return h.by == version; }),
                 hidden.end());
  }
  version->mask = version->dirty = version->may = version->maybe = version->below_lacks = 0;
}

std::vector<VisibleVersion> BlockHistory::visible(unsigned port, uint64_t mask, Stamp taken,
                                                  Stamp valid_from) const {
  std::vector<VisibleVersion> seen;
  for (const VersionPointer& v : versions_) {
    uint64_t bytes = v->mask & mask;
    for (const Version::Hider& h : v->hidden) {
      if (is_behind(*h.by, port, taken)) bytes &= ~h.mask;
    }
    if (v->clean < valid_from) bytes &= v->dirty | v->may | v->maybe;
    if (bytes != 0) seen.emplace_back(v, bytes);
  }
  return seen;
}

void BlockHistory::observe(const std::vector<VisibleVersion>& seen, unsigned at, uint8_t value) {
  const auto match = std::find_if(versions_.begin(), versions_.end(), [&](const VersionPointer& v) {
    return std::any_of(seen.begin(), seen.end(), [&](const VisibleVersion& s) {
      return s.first == v && (s.second & bit_of(at)) != 0 && v->allows(at, value);
    });
  });
  if (match == versions_.end()) return;
  for (auto it = versions_.begin(); it != match; ++it) {
    Version& v = **it;
    if ((v.raced & bit_of(at)) != 0) continue;
    // A fill that was asked for before the store went below is older, although it came later.
    const bool older = (*match)->kind != Version::Kind::Fill || v.kind == Version::Kind::Fill ||
                       (!v.is_unsent(bit_of(at)) && v.clean <= (*match)->clean);
    if (older) v.mask &= ~bit_of(at);
  }
}

std::vector<VersionPointer> BlockHistory::send(unsigned at, uint8_t value, Stamp now) {
  const uint64_t bit = bit_of(at);
  const auto sends = [&](const VersionPointer& v) {
    if (!v->is_unsent(bit)) return false;
    v->settle();
    return v->allows(at, value);
  };
  std::vector<VersionPointer> matches;
  std::copy_if(versions_.begin(), versions_.end(), std::back_inserter(matches), sends);
  if (matches.empty()) return matches;
  const VersionPointer sent = matches.back();
  const bool sure = matches.size() == 1;
  bool seen_oldest = false, seen_sent = false;
  VersionPointer last;
  for (const VersionPointer& v : versions_) {
    seen_oldest = seen_oldest || v == matches.front();
    if (v == sent) {
      seen_sent = true;
      v->sent(bit, sure);
      v->clean = now;
    } else if (seen_sent) {
      if (v->is_unsent(bit)) last = v;
    } else if (!seen_oldest) {
      if ((v->raced & bit) == 0 || is_behind(*v, sent->port, sent->born)) v->sent(bit, true);
    } else if (v->is_unsent(bit)) {
      v->sent(bit, sure);
    }
  }
  // Below is an older value now, for sure: the last one has to follow.
  if (sure && last != nullptr && (last->raced & bit) == 0) {
    last->sent(bit, true);
    last->dirty |= bit;
  }
  return matches;
}

void BlockHistory::acknowledge(const VersionPointer& version, uint64_t mask) {
  for (const VersionPointer& v : versions_) {
    v->below_lacks &= ~mask;
    if (v == version) return;
  }
}

bool BlockHistory::has_dirty() const {
  return std::any_of(versions_.begin(), versions_.end(),
                     [](const VersionPointer& v) { return v->dirty != 0; });
}

void BlockHistory::forget_dead() {
  versions_.erase(
      std::remove_if(versions_.begin(), versions_.end(),
                     [](const VersionPointer& v) { return v->is_dead() && v->hidden.empty(); }),
      versions_.end());
}

}  // namespace cuvette::ip
