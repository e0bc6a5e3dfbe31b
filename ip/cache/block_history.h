// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "memory/memory_messages.h"

namespace cuvette::ip {

/// Number of an event on the pins of a cache, ascending.
using Stamp = uint64_t;
inline constexpr Stamp kNotYet = ~Stamp{0};

using BlockBytes = std::array<uint8_t, memory::kBlockBytes>;

/// Version of bytes of a 64-byte block in coherence order: what a fill has brought, a store, or an
/// atomic of a requester. Masks have a bit per byte of the block.
struct Version {
  enum class Kind : uint8_t { Fill, Store, Atomic };
  struct Hider {
    std::shared_ptr<Version> by;  ///< a store or atomic that is later for sure, not answered yet
    uint64_t mask;
  };

  Kind kind = Kind::Fill;
  unsigned port = 0;         ///< up port of a store or atomic
  memory::MemReq request;    ///< of a store or atomic
  uint64_t serial = 0;       ///< of its answer
  Stamp born = 0;            ///< when the cache took it; of a fill: when it came
  Stamp answered = kNotYet;  ///< of a store or atomic
  Stamp clean = 0;     ///< since when the level below has it: a fill was asked for, a store sent
  uint64_t mask = 0;   ///< bytes that later reads may see
  uint64_t dirty = 0;  ///< bytes that have to be sent below
  uint64_t may = 0;    ///< bytes that may be sent below: a later version has them, too
  uint64_t maybe = 0;  ///< bytes of which it is not known whether they have been sent: others
                       ///< with the same value were to be sent, too
  uint64_t below_lacks = 0;  ///< bytes whose place below is not acknowledged
  uint64_t raced = 0;        ///< bytes that another port writes at the same time, in either order
  std::vector<BlockBytes> values;  ///< alternatives; none: not known here (an atomic done below)
  bool any = false;                ///< too many alternatives: every value is taken for legal
  bool forwarded = false;          ///< an atomic that is done below
  bool open = false;               ///< an atomic that is not answered: values follow from `found`
  std::vector<std::pair<std::shared_ptr<Version>, uint64_t>> found;  ///< versions that it may have
                                                                     ///< found
  std::vector<Hider> hidden;

  /// True if byte `at` may have this value.
  bool allows(unsigned at, uint8_t value) const;
  /// Values, worked out anew while an atomic is open.
  void settle();
  bool is_unsent(uint64_t bytes) const { return ((dirty | may | maybe) & bytes) != 0; }
  /// Bytes have been sent below, or perhaps.
  void sent(uint64_t bytes, bool sure) {
    dirty &= ~bytes;
    may &= ~bytes;
    maybe = sure ? maybe & ~bytes : maybe | bytes;
  }
  bool is_dead() const { return mask == 0 && !is_unsent(~uint64_t{0}) && answered != kNotYet; }
};
using VersionPointer = std::shared_ptr<Version>;
/// A version, and the bytes of it that somebody may see.
using VisibleVersion = std::pair<VersionPointer, uint64_t>;

/// Operand of an atomic as a byte mask of its block.
uint64_t operand_mask(const memory::MemReq& atomic);
/// The values an operand may have before the atomic, from what it may have found; at most
/// `kMostValues`. False: more than these, or bytes of which nothing is known.
bool old_values(const memory::MemReq& atomic, const std::vector<VisibleVersion>& found,
                std::vector<uint64_t>& out);
inline constexpr size_t kMostValues = 64;
/// Value that the atomic leaves in memory.
uint64_t new_value(const memory::MemReq& atomic, uint64_t old);

/// History of one 64-byte block as seen from a cache: its versions, oldest first, and the rules by
/// which bytes go below.
class BlockHistory {
 public:
  BlockHistory() = default;
  /// Versions know each other while they are open.
  ~BlockHistory();
  BlockHistory(const BlockHistory&) = delete;
  BlockHistory& operator=(const BlockHistory&) = delete;

  /// A store or atomic is taken: it hides older versions from what is ordered behind it.
  void add_store(const VersionPointer& version);
  /// A fill has come.
  void add_fill(const VersionPointer& version);
  /// The store or atomic has been answered: what it hides is over.
  void answered(const VersionPointer& version);
  /// It has not been done (a fault).
  void cancel(const VersionPointer& version);

  /// Bytes of every version that a read may see: taken at `taken` from `port`, seeing nothing that
  /// is clean since before `valid_from`.
  std::vector<VisibleVersion> visible(unsigned port, uint64_t mask, Stamp taken,
                                      Stamp valid_from) const;
  /// A read has seen `value` in byte `at`: what is older than its version is over.
  void observe(const std::vector<VisibleVersion>& seen, unsigned at, uint8_t value);

  /// Byte `at` is sent below. The versions that have this value to send, oldest first; empty: none
  /// has. Which of them it is may stay open: what is over with each of them is over.
  std::vector<VersionPointer> send(unsigned at, uint8_t value, Stamp now);
  /// Bytes of `version` and of all older ones are below.
  void acknowledge(const VersionPointer& version, uint64_t mask);

  const std::vector<VersionPointer>& versions() const { return versions_; }
  bool has_dirty() const;
  void forget_dead();

 private:
  using Births = std::vector<Stamp>;  ///< versions by `born`, ascending
  std::vector<Births> left_after(unsigned at, const std::vector<VersionPointer>& unsent,
                                 const std::vector<VersionPointer>& matches) const;
  void remember(unsigned at, const std::vector<Births>& sets);

  /// More alternatives than this are taken for one with all their versions.
  static constexpr size_t kMostAlternatives = 16;

  std::vector<VersionPointer> versions_;
  /// By byte, where it is not known which of several sets of versions is still to be sent: of each
  /// set, the unsent versions that are not in it. No set contains another one.
  std::map<unsigned, std::vector<Births>> alternatives_;
};

/// A read, or a store or atomic, is ordered behind a version: same port and later, or later than
/// its answer.
inline bool is_behind(const Version& version, unsigned port, Stamp taken) {
  return version.born < taken && (version.port == port || version.answered < taken);
}

}  // namespace cuvette::ip
