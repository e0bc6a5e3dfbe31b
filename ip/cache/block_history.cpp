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

bool has(const std::vector<Stamp>& ascending, Stamp one) {
  return std::binary_search(ascending.begin(), ascending.end(), one);
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
  auto match = versions_.end();  // the oldest that is not forgotten
  for (const auto& [version, mask] : seen) {
    if ((mask & bit_of(at)) == 0 || !version->allows(at, value)) continue;
    match = std::find(versions_.begin(), versions_.end(), version);
    if (match != versions_.end()) break;
  }
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
  std::vector<VersionPointer> unsent, matches;
  for (const VersionPointer& v : versions_) {
    if (!v->is_unsent(bit)) continue;
    unsent.push_back(v);
    v->settle();
    if (!v->allows(at, value)) continue;
    matches.push_back(v);
    v->clean = now;
  }
  if (matches.empty()) return matches;
  const std::vector<Births> left = left_after(at, unsent, matches);
  const auto without = [&](const VersionPointer& v) {
    return std::count_if(left.begin(), left.end(),
                         [&](const Births& set) { return !has(set, v->born); });
  };
  for (const VersionPointer& v : unsent) {
    const auto n = static_cast<size_t>(without(v));
    if (n != 0) v->sent(bit, n == left.size());
  }
  // Below is an older value now, for sure: the last one has to follow.
  Version& last = *unsent.back();
  if (matches.size() == 1 && &last != matches[0].get() && (last.raced & bit) == 0) {
    last.sent(bit, true);
    last.dirty |= bit;
  }
  remember(at, left);
  return matches;
}

/// What may be unsent when one of `matches` has gone below, for each of them: the others, without
/// those that are older.
std::vector<BlockHistory::Births> BlockHistory::left_after(
    unsigned at, const std::vector<VersionPointer>& unsent,
    const std::vector<VersionPointer>& matches) const {
  std::vector<Births> out;
  const auto known = alternatives_.find(at);
  const std::vector<Births> all_over =
      known == alternatives_.end() ? std::vector<Births>(1) : known->second;
  for (const Births& over : all_over) {
    for (const VersionPointer& sent : matches) {
      if (has(over, sent->born)) continue;
      Births& left = out.emplace_back();
      for (const VersionPointer& v : unsent) {
        if (v == sent || has(over, v->born) || is_behind(*v, sent->port, sent->born)) continue;
        left.push_back(v->born);
      }
    }
  }
  return out;
}

/// Keeps the sets of versions that may be unsent now, but for those within another one: what they
/// allow, that allows, too.
void BlockHistory::remember(unsigned at, const std::vector<Births>& sets) {
  alternatives_.erase(at);
  if (sets.size() <= 1) return;
  const auto within = [](const Births& small, const Births& large) {
    return std::includes(large.begin(), large.end(), small.begin(), small.end());
  };
  std::vector<Births> largest;
  Births all;
  for (const Births& set : sets) {
    if (std::any_of(largest.begin(), largest.end(),
                    [&](const Births& l) { return within(set, l); })) {
      continue;
    }
    largest.erase(std::remove_if(largest.begin(), largest.end(),
                                 [&](const Births& l) { return within(l, set); }),
                  largest.end());
    largest.push_back(set);
    Births both;
    std::set_union(all.begin(), all.end(), set.begin(), set.end(), std::back_inserter(both));
    all = std::move(both);
  }
  if (largest.size() == 1 || largest.size() > kMostAlternatives) return;
  std::vector<Births>& all_over = alternatives_[at];
  for (const Births& set : largest) {
    std::set_difference(all.begin(), all.end(), set.begin(), set.end(),
                        std::back_inserter(all_over.emplace_back()));
  }
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
