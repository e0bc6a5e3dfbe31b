// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of several host threads: accesses of work-groups against one that knows every byte,
// and memory put back.
#include "golden/access_map.h"

#include <map>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "golden/access_watch.h"
#include "golden/range_use.h"
#include "golden/snapshot.h"

namespace cuvette::golden {
namespace {

/// Accesses of a work-group, byte by byte.
struct Bytes {
  std::set<uint64_t> read, written;
  std::map<uint64_t, std::set<AtomicKind>> atomic;

  bool touches(uint64_t a) const {
    return read.count(a) != 0 || written.count(a) != 0 || atomic.count(a) != 0;
  }
};

/// One changed a byte that the other touched, other than both by atomics of one kind. Kinds belong
/// to lines: different ones in a line are a conflict of the bytes that both update.
bool conflict(const Bytes& a, const Bytes& b) {
  std::map<uint64_t, std::set<AtomicKind>> kinds;
  for (const Bytes* one : {&a, &b}) {
    for (const auto& [at, of] : one->atomic) {
      kinds[at / AccessBlock::kLine].insert(of.begin(), of.end());
    }
  }
  const auto one_way = [&](const Bytes& x, const Bytes& y) {
    for (const uint64_t at : x.written) {
      if (y.touches(at)) return true;
    }
    for (const auto& [at, of] : x.atomic) {
      if (y.read.count(at) != 0) return true;
      const auto& all = kinds[at / AccessBlock::kLine];
      const bool mixed = all.size() > 1 || all.count(AtomicKind::Mixed) != 0;
      if (y.atomic.count(at) != 0 && mixed) return true;
    }
    return false;
  };
  return one_way(a, b) || one_way(b, a);
}

class Groups {
 public:
  /// Accesses are to a few lines or a few blocks.
  explicit Groups(unsigned seed)
      : random_(seed), span_(seed % 2 == 0 ? 4 * AccessBlock::kLine : 6 * AccessBlock::kBytes) {}

  /// One more work-group with a few accesses. True: they conflict with those before.
  bool add(AccessMap& history) {
    AccessMap map;
    watch_.turn(0, map);
    Bytes bytes;
    for (unsigned n = 0; n < 1 + random_() % 4; ++n) access(bytes);
    bool expected = false;
    for (const Bytes& before : groups_) expected = expected || conflict(before, bytes);
    groups_.push_back(bytes);
    const bool seen = history.fold(map);
    EXPECT_EQ(seen, expected);
    return expected;
  }

 private:
  /// Elements of all lanes, which may fill lines together.
  void access_lanes(Bytes& bytes, uint64_t first, bool write) {
    const unsigned size = 1u << random_() % 5, step = size * (1 + random_() % 3);
    const uint64_t lanes =
        random_() % 2 == 0 ? ~uint64_t{0} : uint64_t{random_()} << 32 | random_();
    uint32_t offset[wave::kLanes];
    first = first / size * size;
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) offset[lane] = lane * step;
    watch_.touch_lanes(first, offset, lanes, size, write);
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      for (unsigned i = 0; i < size; ++i) {
        (write ? bytes.written : bytes.read).insert(first + offset[lane] + i);
      }
    }
  }

  /// A line in two accesses, before them perhaps another one of the other kind.
  void access_halves(Bytes& bytes, uint64_t at, bool write) {
    constexpr unsigned kHalf = AccessBlock::kLine / 2;
    if (const unsigned byte = random_() % 120; byte < 60) {
      watch_.touch(at + byte, 4, !write);
      for (unsigned i = 0; i < 4; ++i) (write ? bytes.read : bytes.written).insert(at + byte + i);
    }
    watch_.touch(at, kHalf, write);
    watch_.touch(at + kHalf, kHalf, write);
    for (unsigned i = 0; i < AccessBlock::kLine; ++i) {
      (write ? bytes.written : bytes.read).insert(at + i);
    }
  }

  void access(Bytes& bytes) {
    uint64_t at = 0x10000 + random_() % span_;
    const unsigned kind = random_() % 8;
    if (kind < 2) {
      at = at / 4 * 4;
      const auto op = kind == 0 ? base::AtomicOp::Add : base::AtomicOp::UMax;
      watch_.atomic(at, 4, op, false);
      for (unsigned i = 0; i < 4; ++i) bytes.atomic[at + i].insert(atomic_kind(op, 4));
      return;
    }
    const bool write = random_() % 2 == 0;
    if (kind == 7) return access_lanes(bytes, at, write);
    if (kind == 6) return access_halves(bytes, at / AccessBlock::kLine * AccessBlock::kLine, write);
    const unsigned count = random_() % 2 == 0 ? 256 : 1 + random_() % 300;
    if (count == 256) at = at / 64 * 64;
    watch_.touch(at, count, write);
    for (unsigned i = 0; i < count; ++i) (write ? bytes.written : bytes.read).insert(at + i);
  }

  std::mt19937 random_;
  uint64_t span_;  // of addresses
  AccessWatch watch_;
  std::vector<Bytes> groups_;
};

TEST(AccessMap, ConflictsAreThoseOfSingleBytes) {
  unsigned conflicts = 0, kept = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Groups groups(seed);
    AccessMap history;
    for (unsigned n = 0; n < 12; ++n) {
      const bool found = groups.add(history);
      conflicts += found ? 1 : 0;
      kept += found ? 0 : 1;
      if (found) break;  // nobody looks at a history with a conflict again
    }
  }
  EXPECT_GT(conflicts, 100u);
  EXPECT_GT(kept, 400u);
}

TEST(AccessMap, StorageThatIsUsedAgainKnowsNothing) {
  AccessMap map, other;
  AccessWatch watch;
  const auto touch = [&](AccessMap& to, uint64_t address, unsigned bytes, bool write) {
    watch.turn(0, to);
    watch.touch(address, bytes, write);
  };
  for (unsigned round = 0; round < 4; ++round) {
    // A line, one in halves, and three bytes of another one; beside them those of other rounds.
    touch(map, 0x5000 + 64 * round, 64, true);
    touch(map, 0x5400 + 32 * round, 32, true);
    touch(map, 0x5420 + 32 * round, 32, true);
    touch(map, 0x5800 + 8 * round, 3, true);
    for (unsigned at = 0; at < 4; ++at) {
      touch(other, 0x5000 + 64 * at, 64, false);
      EXPECT_EQ(other.fold(map), at == round);
      other.clear();
      touch(other, 0x5400 + 32 * at, 32, false);
      EXPECT_EQ(other.fold(map), at == round || at == round + 1);
      other.clear();
      touch(other, 0x5800 + 8 * at, 3, false);
      EXPECT_EQ(other.fold(map), at == round);
      other.clear();
    }
    map.clear();
  }
}

/// Threads that save and then write, at random; the memory afterwards is that of before.
TEST(Snapshot, RestoresWhatWasThere) {
  hsa::DeviceMemory memory;
  std::mt19937 random(1);
  struct Buffer {
    uint64_t address;
    std::vector<uint8_t> before;
  };
  std::vector<Buffer> buffers;
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{100}, uint64_t{4096}, uint64_t{70'001}}) {
    auto address = memory.allocate(bytes);
    ASSERT_TRUE(address.ok());
    Buffer buffer{*address, std::vector<uint8_t>(bytes)};
    // Zeros, and other values, in stretches that do not begin and end with parts.
    for (size_t i = 0; i < bytes; ++i) {
      if (i / 1500 % 2 == 1 || bytes < 200) buffer.before[i] = static_cast<uint8_t>(random());
    }
    ASSERT_TRUE(memory.write(*address, buffer.before.data(), bytes).ok());
    buffers.push_back(std::move(buffer));
  }
  Snapshot snapshot(memory);
  constexpr unsigned kThreads = 3;
  std::vector<Snapshot::Log*> logs;
  for (unsigned t = 0; t < kThreads; ++t) logs.push_back(&snapshot.add_log());
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 own(round * kThreads + t);
        for (unsigned n = 0; n < 300; ++n) {
          const Buffer& buffer = buffers[own() % buffers.size()];
          // Bytes of one thread each: what several write at once is nobody's concern here.
          const uint64_t at = own() % buffer.before.size();
          if (at % kThreads != t) continue;
          const uint64_t address = buffer.address + at;
          const auto line = static_cast<unsigned>(address % AccessBlock::kBytes);
          snapshot.save(*logs[t], address / AccessBlock::kBytes, AccessBlock::lines_of(line, 1));
          const auto value = static_cast<uint8_t>(own() | 1);
          EXPECT_TRUE(memory.write(address, &value, 1).ok());
        }
      });
    }
    threads.clear();
    snapshot.restore();
    for (const Buffer& buffer : buffers) {
      std::vector<uint8_t> now(buffer.before.size());
      ASSERT_TRUE(memory.read(buffer.address, now.data(), now.size()).ok());
      ASSERT_TRUE(now == buffer.before) << "round " << round << ", " << now.size() << " bytes";
    }
  }
}

TEST(RangeUse, AConflictIsKnownInLaterDispatches) {
  RangeUse ranges;
  ranges.start();
  EXPECT_FALSE(ranges.read(0x1000));
  ranges.change(0x1000);
  EXPECT_TRUE(ranges.conflict());
  for (unsigned dispatch = 0; dispatch < 3; ++dispatch) {
    ranges.start();
    EXPECT_FALSE(ranges.conflict());
    EXPECT_TRUE(ranges.read(0x1000));
    EXPECT_FALSE(ranges.read(0x2000));
    ranges.change(0x1000);
    EXPECT_FALSE(ranges.conflict());
  }
}

}  // namespace
}  // namespace cuvette::golden
