// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_random.h"

#include <algorithm>
#include <cstring>

#include "golden_plain_dispatch_guard_kernel.h"

namespace cuvette::golden::plain {
namespace {

constexpr uint64_t k4Gib = uint64_t{1} << 32;
constexpr unsigned kBases = 3;

/// Where the three buffers are while nobody knows yet which of their bytes are used: so far apart
/// that an address tells its buffer.
constexpr uint64_t trial_base(unsigned n) {
  return uint64_t{n + 1} << 56;
}

class CaseMaker {
 public:
  CaseMaker(uint64_t seed, const Mix& mix) : random_(seed), mix_(mix) {}
  /// False: it would take too much memory.
  bool make(Case& out);

 private:
  void make_shape();
  uint32_t odd_stride(uint32_t size);
  void make_start(uint32_t size);
  uint64_t some_bound();
  void make_bounds();
  void make_dispatches();
  Dispatch dispatch();
  void vary(Dispatch& d);
  void make_setup();
  void find_offsets();
  void place_buffers();
  uint64_t anchor(unsigned n);
  size_t any_large();
  void map();
  void map_cut(const Interval& range);
  void fill();
  void set_pointers();

  Random random_;
  const Mix& mix_;
  Shape shape_;
  Case one_;
  uint32_t waves_ = 1;
  std::vector<Interval> offsets_[kBases];  ///< from the pointer, modulo 2^64
  uint64_t bases_[kBases] = {};
  std::vector<Interval> used_;
};

uint32_t CaseMaker::odd_stride(uint32_t size) {
  switch (random_.below(7)) {
    case 0:
      return 0;
    case 1:
      return 1 + static_cast<uint32_t>(random_.below(8));
    case 2:
      return size / 2;
    case 3:
      return 2 * size;
    case 4:
      return size + static_cast<uint32_t>(random_.below(130));
    case 5:
      return size - static_cast<uint32_t>(random_.below(size));
    default:
      return 0x4000 + static_cast<uint32_t>(random_.below(64));
  }
}

/// Where a number of 32 bits wraps around, is shifted out, or becomes negative on the way.
void CaseMaker::make_start(uint32_t size) {
  const uint64_t whole = uint64_t{shape_.stride} * shape_.groups[0];
  const auto before = static_cast<uint32_t>(whole * random_.below(101) / 100 + random_.below(size));
  shape_.start = random_.pick({0u, 1u << 31, 1u << 30, 1u << 29}) - before;
  if (random_.percent(50)) shape_.start &= ~uint32_t{63};
}

void CaseMaker::make_shape() {
  struct Size {
    uint16_t x, y;
  };
  Size size{random_.pick({uint16_t{64}, uint16_t{64}, uint16_t{128}, uint16_t{192}, uint16_t{256},
                          uint16_t{256}, uint16_t{1024}, uint16_t{65}, uint16_t{100}, uint16_t{1},
                          uint16_t{500}}),
            1};
  const bool flat = !random_.percent(mix_.two_dimensions);
  if (!flat) {
    size = random_.pick(
        {Size{8, 8}, Size{16, 16}, Size{64, 4}, Size{10, 7}, Size{4, 16}, Size{64, 2}});
  }
  shape_.workgroup = {size.x, size.y, 1};
  const uint32_t items = uint32_t{size.x} * size.y, per_group = (items + kLanes - 1) / kLanes;
  const auto most = random_.percent(35)   ? 40u
                    : random_.percent(80) ? std::min(400u, mix_.most_waves)
                                          : mix_.most_waves;
  waves_ = 1 + static_cast<uint32_t>(random_.below(most));
  const uint32_t groups = std::max(1u, waves_ / per_group);
  shape_.groups[1] = flat ? 1 : 1 + static_cast<uint32_t>(random_.below(std::min(groups, 20u)));
  shape_.groups[0] = std::max(1u, groups / shape_.groups[1]);
  for (unsigned d = 0; d < 2; ++d) {
    if (random_.percent(35)) {
      shape_.missing[d] = static_cast<uint32_t>(random_.below(shape_.workgroup[d]));
    }
  }
  shape_.stride = random_.percent(mix_.odd_stride) ? odd_stride(size.x) : size.x;
  shape_.pitch = shape_.groups[0] * size.x + (random_.percent(30) ? 64 : 0);
  if (random_.percent(mix_.wrap)) make_start(size.x);
  if (random_.percent(15)) shape_.start += static_cast<uint32_t>(random_.below(1000));
  if (mix_.guard.any) make_bounds();
}

/// Of the items of the grid, or far away from them.
uint64_t CaseMaker::some_bound() {
  const uint64_t whole =
      shape_.groups[0] * uint64_t{shape_.stride == 0 ? shape_.workgroup[0] : shape_.stride};
  const uint32_t any = shape_.start + static_cast<uint32_t>(random_.below(whole + 1));
  switch (random_.below(14)) {
    case 0:
      return random_.pick({0u, 1u, 64u});
    case 1:
      return shape_.start + static_cast<uint32_t>(random_.pick({whole, whole - 1, whole + 1}));
    case 2:
      return random_.pick({0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu});
    case 3:
      return random_.pick({uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}});
    case 4:
    case 5:
    case 6:  // the first lane of a wave, often
      return any & ~uint32_t{63};
    case 7:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(any)});
    case 8:
      return shape_.start + static_cast<uint32_t>(whole) + 1000;
    default:
      return any;
  }
}

/// The second one is also what 64 bits begin with, which has a carry somewhere.
void CaseMaker::make_bounds() {
  const uint64_t whole = shape_.groups[0] * uint64_t{shape_.workgroup[0]};
  shape_.bounds = {some_bound(), some_bound()};
  if (!random_.percent(2 * mix_.guard.wide)) return;
  const uint64_t high = random_.pick({1u, 2u, 0x80000000u, 0u});
  shape_.bounds[1] = (high << 32) - random_.below(whole + 100) - shape_.start;
  shape_.bounds[0] = shape_.bounds[1] + shape_.start + random_.below(whole + 1);
}

Dispatch CaseMaker::dispatch() {
  Dispatch d;
  d.workgroup = shape_.workgroup;
  for (unsigned n = 0; n < 3; ++n) {
    d.grid[n] = shape_.groups[n] * shape_.workgroup[n] - shape_.missing[n];
  }
  d.arguments.resize(kArgumentWords);
  for (uint32_t& word : d.arguments) word = 0x3f000000 + random_.word() % 0x1800000;
  d.arguments[kStrideWord] = shape_.stride;
  d.arguments[kStartWord] = shape_.start;
  if (mix_.guard.any) set_bounds(d, shape_.bounds[0], shape_.bounds[1]);
  for (unsigned n = 0; n < kBases; ++n) {
    d.arguments[2 * n] = static_cast<uint32_t>(trial_base(n));
    d.arguments[2 * n + 1] = static_cast<uint32_t>(trial_base(n) >> 32);
  }
  return d;
}

/// The next dispatch of the same kernel.
void CaseMaker::vary(Dispatch& d) {
  if (random_.percent(40)) d.arguments[kScaleWord] = 0x3f000000 + random_.word() % 0x1800000;
  if (random_.percent(30)) {
    for (unsigned n = 0; n < 2; ++n) std::swap(d.arguments[n], d.arguments[n + 2]);
  }
  if (random_.percent(30)) d.grid[0] = 1 + static_cast<uint32_t>(random_.below(d.grid[0]));
  if (random_.percent(15)) d.arguments[kStrideWord] ^= 64;
  if (mix_.guard.any && random_.percent(80)) set_bounds(d, some_bound(), shape_.bounds[1]);
}

void CaseMaker::make_dispatches() {
  one_.dispatches.assign(1, dispatch());
  if (random_.percent(mix_.again)) {
    for (uint64_t n = 1 + random_.below(3); n != 0; --n) {
      Dispatch next = one_.dispatches.back();
      vary(next);
      one_.dispatches.push_back(next);
    }
  }
  for (Dispatch& d : one_.dispatches) {
    if (!random_.percent(12)) continue;
    for (unsigned n = 0; n < 2; ++n) {
      const uint32_t groups = (d.grid[n] + d.workgroup[n] - 1) / d.workgroup[n];
      d.start[n] = static_cast<uint32_t>(random_.below(std::min(groups, 5u)));
    }
  }
}

void CaseMaker::make_setup() {
  Setup& setup = one_.setup;
  setup = {};
  setup.entry = kEntry + 256 * random_.below(4);
  setup.kernarg = kKernarg + 4 * random_.below(16);
  setup.packet = kPacket;
  if (random_.percent(mix_.slices)) setup.slice = 1 + static_cast<uint32_t>(random_.below(40));
  if (random_.percent(30)) setup.resident_waves = random_.pick({1u, 4u, 40u});
  if (random_.percent(mix_.watchdog)) {
    setup.watchdog = 1 + random_.below(one_.kernel.ops.size() * waves_);
  }
  if (random_.percent(mix_.threads)) setup.threads = 2;
  setup.poison = random_.percent(30);
  if (random_.percent(30)) {
    one_.level = static_cast<wave::lanes::HostLevel>(random_.below(4));
  }
  one_.careful = random_.percent(30);
  FloatModes& modes = one_.kernel.modes;
  if (!random_.percent(mix_.modes)) return;
  modes.round = static_cast<hsa::FloatRound>(random_.below(4));
  modes.denorm = static_cast<hsa::FloatDenorm>(random_.below(4));
  modes.ieee = random_.percent(50);
  modes.dx10_clamp = random_.percent(50);
}

/// Which bytes of its buffers the kernel uses, as long as nothing in them matters for that.
void CaseMaker::find_offsets() {
  Memory trial;
  std::vector<Interval> missing;
  trial.add(one_.setup.kernarg, 4 * kArgumentWords);
  trial.add(kPacket, 64);
  trial.put(kPacket + 4, uint32_t{shape_.workgroup[0]});
  Setup setup = one_.setup;
  setup.slice = 2048;
  setup.watchdog = 0;
  trial.missing = &missing;
  for (const Dispatch& d : one_.dispatches) {
    trial.write(setup.kernarg, d.arguments.data(), 4 * kArgumentWords);
    evaluate(one_.kernel, d, setup, trial);
  }
  sort_and_join(missing, 4096);
  for (const Interval& range : missing) {
    const uint64_t half = trial_base(0) / 2, n = (range.begin + half) / trial_base(0);
    if (n < 1 || n > kBases) continue;
    const uint64_t base = trial_base(static_cast<unsigned>(n) - 1);
    offsets_[n - 1].push_back({range.begin - base, range.end - base});
  }
}

/// Where the first used byte of a buffer goes.
uint64_t CaseMaker::anchor(unsigned n) {
  const uint64_t area = (16 + 16 * uint64_t{n}) * k4Gib;
  const Interval& first = offsets_[n].front();
  const uint64_t length = (first.end - first.begin) & ~uint64_t{3};
  switch (random_.below(5)) {
    case 0:
      return area;
    case 1:  // a multiple of 4 GiB somewhere in it
      return area - 4 * random_.below(length / 4 + 1);
    case 2:
      return area + k4Gib / 2 - 4 * random_.below(length / 4 + 1);
    case 3:  // pages of the host
      return area + 0x10000 - 4 * random_.below(70);
    default:
      return area + 4 * random_.below(1 << 20);
  }
}

void CaseMaker::place_buffers() {
  for (unsigned n = 0; n < kBases; ++n) {
    if (offsets_[n].empty()) offsets_[n].push_back({0, 64});
    if (n != 0 && random_.percent(mix_.overlap)) {
      const uint64_t other = bases_[random_.below(n)];
      const uint64_t near = 4 * random_.below(random_.pick({2u, 4u, 65u, 1000u, 20000u}));
      const uint64_t wave = 256 * random_.below(5);
      bases_[n] = other + (random_.percent(50) ? near : wave) * (random_.percent(50) ? 1 : ~0ull);
    } else {
      bases_[n] = anchor(n) - offsets_[n].front().begin;
    }
  }
  for (unsigned n = 0; n < kBases; ++n) {
    for (const Interval& range : offsets_[n]) {
      used_.push_back({bases_[n] + range.begin, bases_[n] + range.end});
    }
  }
  if (mix_.guard.any && random_.percent(mix_.guard.room)) {
    for (Interval& range : used_) {
      range.begin -= 4 * random_.below(200);
      range.end += 4 * random_.below(1000);
    }
  }
  if (random_.percent(mix_.arguments)) {  // around the end or the beginning of what is used
    const Interval& range = used_[any_large()];
    const uint64_t length = random_.percent(50) ? range.end - range.begin : 64;
    one_.setup.kernarg = ((range.end - random_.below(length + 1)) & ~uint64_t{3}) - 32;
    if (random_.percent(30))
      one_.setup.kernarg = (range.begin & ~uint64_t{3}) - 4 * random_.below(16);
  }
  used_.push_back({one_.setup.kernarg, one_.setup.kernarg + 4 * kArgumentWords});
  used_.push_back({kPacket, kPacket + 64});
  sort_and_join(used_, 4096);
}

/// All but some bytes, which are not mapped or read-only.
void CaseMaker::map_cut(const Interval& range) {
  const size_t chunk = one_.memory.chunks.size();
  const uint64_t bytes = range.end - range.begin;
  const uint64_t at = 4 * random_.below(bytes / 4 + 1) - (random_.percent(10) ? 1 : 0);
  const uint64_t begin = std::min(at, bytes);
  const uint64_t most =
      random_.percent(50) ? bytes : std::min(bytes, begin + 4 * random_.below(100));
  one_.memory.add(range.begin, bytes);
  one_.memory.pieces.pop_back();
  const auto piece = [&](uint64_t from, uint64_t to, hsa::Access permitted) {
    if (from < to) {
      one_.memory.pieces.push_back({range.begin + from, to - from, chunk, from, permitted});
    }
  };
  piece(0, begin, hsa::Access::ReadWrite);
  if (random_.percent(40)) piece(begin, most, hsa::Access::Read);
  piece(most, bytes, hsa::Access::ReadWrite);
}

/// One of the ranges that many waves use, if there are any.
size_t CaseMaker::any_large() {
  size_t out = 0;
  for (unsigned tries = 0; tries < 8; ++tries) {
    out = random_.below(used_.size());
    if (used_[out].end - used_[out].begin > 1024) break;
  }
  return out;
}

void CaseMaker::map() {
  Memory& memory = one_.memory;
  const bool cut = random_.percent(mix_.cut);
  const size_t which = any_large();
  for (size_t n = 0; n < used_.size(); ++n) {
    const Interval& range = used_[n];
    const uint64_t kernarg = one_.setup.kernarg;
    const bool holds = kernarg >= range.begin && kernarg < range.end;
    if (cut && n == which && !holds) {
      map_cut(range);
    } else {
      memory.add(range.begin, range.end - range.begin);
    }
  }
  memory.sort();
  // Memory that is somewhere else, or in two places.
  if (random_.percent(20)) {
    for (Chunk& chunk : memory.chunks) chunk.pa += uint64_t{1} << 46;
  }
  if (!random_.percent(8)) return;
  Piece& a = memory.pieces[random_.below(memory.pieces.size())];
  const Piece& b = memory.pieces[random_.below(memory.pieces.size())];
  if (a.bytes > b.bytes) return;
  a.chunk = b.chunk;
  a.offset = b.offset + (random_.percent(50) ? 0 : (b.bytes - a.bytes) / 2 & ~uint64_t{3});
}

/// Numbers of one magnitude, and some that are none.
void CaseMaker::fill() {
  constexpr uint32_t kSpecials[] = {0x7fc00000, 0xffc12345, 0x7f812345, 0x7f800000, 0xff800000,
                                    0x00000001, 0x80012345, 0x007fffff, 0x00800000, 0x00000000,
                                    0x80000000, 0x7f7fffff, 0xff7fffff, 0x00812345, 0x1f000000};
  const bool specials = random_.percent(mix_.specials);
  const auto every = static_cast<uint32_t>(random_.pick({3u, 100u, 3000u}));
  for (Chunk& chunk : one_.memory.chunks) {
    for (size_t n = 0; n + 4 <= chunk.bytes.size(); n += 4) {
      uint32_t word = 0x3e800000 + random_.word() % 0x3000000;
      word |= random_.word() & 0x80000000;
      if (specials && random_.below(every) == 0) word = kSpecials[random_.below(15)];
      std::memcpy(&chunk.bytes[n], &word, 4);
    }
  }
  one_.memory.put(kPacket + 4, uint32_t{shape_.workgroup[0]});
}

void CaseMaker::set_pointers() {
  for (Dispatch& d : one_.dispatches) {
    for (unsigned n = 0; n < kBases; ++n) {
      const uint64_t trial = d.arguments[2 * n] | uint64_t{d.arguments[2 * n + 1]} << 32;
      const uint64_t base = bases_[(trial >> 56) - 1];
      d.arguments[2 * n] = static_cast<uint32_t>(base);
      d.arguments[2 * n + 1] = static_cast<uint32_t>(base >> 32);
    }
  }
}

bool CaseMaker::make(Case& out) {
  constexpr uint64_t kMostBytes = 6 << 20;
  make_shape();
  one_.kernel = mix_.guard.any ? GuardedKernelMaker(random_, mix_, shape_).make()
                               : KernelMaker(random_, mix_, shape_).make();
  make_dispatches();
  make_setup();
  find_offsets();
  place_buffers();
  uint64_t bytes = 0;
  for (const Interval& range : used_) bytes += range.end - range.begin;
  if (bytes > kMostBytes || used_.size() > 200) return false;
  map();
  fill();
  set_pointers();
  out = std::move(one_);
  return true;
}

}  // namespace

Case random_case(uint64_t seed, const Mix& mix) {
  Case out;
  for (uint64_t n = 0; !CaseMaker(seed * 1000 + n, mix).make(out); ++n) continue;
  return out;
}

}  // namespace cuvette::golden::plain
