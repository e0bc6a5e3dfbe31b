// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/stream_waves.h"

#include <algorithm>
#include <array>
#include <limits>

#include "wave/lanes/plain.h"
#include "wave/lanes/steady_place.h"
#include "wave/memory/prepared_memory.h"

namespace cuvette::wave {
namespace {

using isa::RegisterFile;
using isa::RegisterRange;
using S = isa::SemanticId;

/// What waves have in a register.
enum class Content : uint8_t {
  Alike,    ///< the same
  Growing,  ///< a linear function of the numbers of work-group and wave
  Unknown,
};

/// By registers that instructions name.
class Contents {
 public:
  explicit Contents(const OwnRegisters& own) {
    for (const RegisterRange& r : own.growing) put(r, Content::Growing);
    for (const RegisterRange& r : own.others) put(r, Content::Unknown);
  }

  void put(const RegisterRange& range, Content content) {
    for (size_t n = first(range); n < end(range); ++n) registers_[n] = content;
  }
  Content of(const RegisterRange& range) const {
    Content worst = Content::Alike;
    for (size_t n = first(range); n < end(range); ++n) worst = std::max(worst, registers_[n]);
    return worst;
  }
  Content of(const isa::RegisterSet& set) const {
    Content worst = Content::Alike;
    for (const RegisterRange& r : set) worst = std::max(worst, of(r));
    return worst;
  }

 private:
  static constexpr size_t kFile = 512;
  static size_t begin(const RegisterRange& r) { return static_cast<size_t>(r.file) * kFile; }
  /// Pairs of scalar registers begin at even codes, whatever the instruction says.
  static size_t first(const RegisterRange& r) {
    const bool pair = r.file == RegisterFile::Scalar && r.count > 1;
    return begin(r) + (pair ? r.first & ~1u : r.first);
  }
  static size_t end(const RegisterRange& r) { return begin(r) + r.first + r.count; }

  std::array<Content, 4 * kFile> registers_{};
};

constexpr RegisterRange kScc{RegisterFile::Scc, 1, 0};

RegisterRange vgpr_at(uint32_t offset, unsigned count) {
  return {RegisterFile::Vgpr, static_cast<uint8_t>(count),
          static_cast<uint16_t>(offset / sizeof(LaneRow))};
}

/// The scalar registers of a set.
isa::RegisterSet scalars_of(const isa::RegisterSet& set) {
  isa::RegisterSet out;
  for (const RegisterRange& r : set) {
    if (r.file == RegisterFile::Scalar) out.add(r);
  }
  return out;
}

}  // namespace

/// Goes through the code once.
class StreamWaves::Reader {
 public:
  Reader(StreamWaves& waves, const OwnRegisters& own) : waves_(waves), contents_(own) {}

  /// False: such code is something else.
  bool add(const Prepared& p) {
    if (p.shortness == Shortness::Nothing) return true;
    const auto written = isa::registers_written(*p.instruction);
    // The stream finds what its instruction reads in the wave, behind all steps.
    if (computed_ && written.overlaps(op_reads_)) return false;
    if (is_steady(p, false)) return add_load_of_lanes(p);
    if (is_steady(p, true)) return add_store(p);
    if (memory::is_scalar_load(p)) return add_load_of_scalars(p, written);
    if (lanes::is_lane0_row(p.run) || is_direct_scalar(p)) return add_number(p, written);
    return add_stream(p);
  }
  bool whole() const { return stored_; }

 private:
  bool addresses_known(const Prepared& p) const {
    const bool wide = (p.sources & lanes::kMemoryWide) != 0;
    Content content = contents_.of(vgpr_at(p.src[0], wide ? 2 : 1));
    if ((p.sources & lanes::kMemoryScalar) != 0) {
      const RegisterRange base{RegisterFile::Scalar, 2, static_cast<uint16_t>(p.src[1])};
      content = std::max(content, contents_.of(base));
    }
    return content != Content::Unknown;
  }
  void add_access(const Prepared& p) {
    waves_.steps_.push_back({.piece = &p, .access = true});
    waves_.accesses_.push_back(p);
  }

  bool add_load_of_lanes(const Prepared& p) {
    if (computed_ || !addresses_known(p) || !add_load(waves_.group_, p)) return false;
    add_access(p);
    contents_.put(vgpr_at(p.dst, 1), Content::Unknown);
    return true;
  }

  bool add_stream(const Prepared& p) {
    StreamGroup& group = waves_.group_;
    if (computed_ || lanes::stream_rows(p).row == nullptr || !add_op(group, p)) return false;
    const auto read = isa::registers_read(*p.instruction);
    const auto loaded = [&group](const RegisterRange& r) {
      return std::any_of(group.load, group.load + group.loads,
                         [&r](const Prepared& l) { return vgpr_at(l.dst, 1) == r; });
    };
    for (const RegisterRange& r : read) {
      if (r.file == RegisterFile::Vgpr ? !loaded(r) : contents_.of(r) != Content::Alike) {
        return false;
      }
    }
    op_reads_ = scalars_of(read);
    computed_ = true;
    contents_.put(vgpr_at(p.dst, 1), Content::Unknown);
    return true;
  }

  bool add_store(const Prepared& p) {
    StreamGroup& group = waves_.group_;
    if (!computed_ || stored_ || p.src[2] != group.op.dst || !addresses_known(p)) return false;
    add_access(p);
    group.store = p;
    stored_ = true;
    return true;
  }

  bool add_load_of_scalars(const Prepared& p, const isa::RegisterSet& written) {
    if (contents_.of(isa::registers_read(*p.instruction)) != Content::Alike) return false;
    waves_.steps_.push_back({.piece = &p, .loads = true});
    for (const RegisterRange& r : written) contents_.put(r, Content::Alike);
    return true;
  }

  Content source(const Prepared& p, unsigned s) const {
    if (base::bit(p.scalars, 4 + s)) return Content::Alike;
    const RegisterRange read{RegisterFile::Scalar, 1, p.instruction->src[s].index};
    return contents_.of(read);
  }
  /// Whether the result is linear in the sources, modulo 2^32.
  bool is_linear(const Prepared& p, bool lanes) const {
    switch (p.instruction->semantic()) {
      case S::s_mul_i32:
        return source(p, 0) == Content::Alike || source(p, 1) == Content::Alike;
      case S::s_lshl_b32:
        return source(p, 1) == Content::Alike;
      default:
        return lanes || is_scalar_sum(p);
    }
  }

  bool add_number(const Prepared& p, const isa::RegisterSet& written) {
    const bool lanes = lanes::is_lane0_row(p.run);
    const Content from = contents_.of(isa::registers_read(*p.instruction));
    const bool grows = from == Content::Growing && is_linear(p, lanes);
    const Content to = from == Content::Growing && !grows ? Content::Unknown : from;
    Step step{.piece = &p, .lanes = lanes};
    if (grows) {
      step.numbers = lanes ? p.dst_dwords : 1;
      waves_.strides_.push_back(lanes ? p.src[2] : 0);
      waves_.strides_.resize(waves_.strides_.size() + step.numbers - 1);
      // Whether the result of a shift is zero is not linear.
      step.judges =
          p.mask_out >= 0 || (written.overlaps(kScc) && p.instruction->semantic() != S::s_lshl_b32);
    }
    waves_.steps_.push_back(step);
    for (const RegisterRange& r : written) {
      const bool carry = r == kScc || (lanes && r.file == RegisterFile::Scalar);
      const Content carries = step.judges ? Content::Alike : Content::Unknown;
      contents_.put(r, grows && carry ? carries : to);
    }
    return true;
  }

  StreamWaves& waves_;
  Contents contents_;
  isa::RegisterSet op_reads_;
  bool computed_ = false, stored_ = false;
};

StreamWaves::StreamWaves(std::span<const Prepared> straight, const OwnRegisters& own)
    : code_(straight, SteadyCode::Rounds::One) {
  Reader reader(*this, own);
  for (const Prepared& p : code_.body()) {
    if (!reader.add(p)) return;
  }
  if (!reader.whole()) return;
  turn_ = {&group_, 0, 0, 0};
  run_ = lanes::stream_rows(group_.op).rounds;
}

bool StreamWaves::see(WaveState& wave, HostSlice& slice, Seen& seen) const {
  seen = {};
  if (!code_.begin(wave)) return false;
  for (const Step& step : steps_) {
    const Prepared& p = *step.piece;
    if (step.access) {
      seen.addresses.push_back(lanes::steady_address(p, wave));
      continue;
    }
    if (step.loads) {
      const auto [address, bytes] = memory::scalar_load_of(p, wave);
      seen.scalars.push_back({slice.memory->window(address, bytes, false), address, bytes});
    }
    if (!p.run(p, wave, slice)) return false;
    const uint32_t* const to =
        step.lanes ? Prepared::row(wave, p.dst) : &wave.s.sgpr[p.dst / sizeof(uint32_t)];
    for (unsigned n = 0; n < step.numbers; ++n) seen.numbers.push_back(to[n * kLanes]);
    if (!step.judges) continue;
    seen.masks.push_back(p.mask_out >= 0 ? wave.s.pair(p.instruction->dst[p.mask_out].index & ~1u)
                                         : uint64_t{wave.s.scc});
  }
  return true;
}

StreamSeries::StreamSeries(const StreamWaves& code, const StreamWaves::Seen& first,
                           const StreamWaves::Seen& next, const StreamWaves::Seen& group, Grid grid)
    : code_(code), grid_(grid), scalars_(first.scalars), places_(code.accesses().size()) {
  const auto plane = [](auto now, auto wave, auto work_group) {
    using T = decltype(now);
    return Plane<T>{now, static_cast<T>(work_group - now), static_cast<T>(wave - now)};
  };
  if (first.masks != next.masks || first.masks != group.masks) linear_groups_ = 0;
  for (size_t n = 0; n < first.numbers.size(); ++n) {
    const auto number = plane(first.numbers[n], next.numbers[n], group.numbers[n]);
    linear_groups_ = std::min(linear_groups_, groups_of(number, code.strides()[n]));
  }
  grid_.groups = std::min(grid_.groups, linear_groups_);
  for (size_t n = 0; n < first.addresses.size(); ++n) {
    const auto a = plane(first.addresses[n], next.addresses[n], group.addresses[n]);
    addresses_.push_back(a);
    even_ = even_ && (grid_.waves == 1 || a.by_group == grid_.waves * a.by_wave);
  }
}

/// How many work-groups, the first one included, have a number that neither wraps around in any
/// lane nor passes the middle.
uint64_t StreamSeries::groups_of(const Plane<uint32_t>& number, uint32_t stride) const {
  constexpr int64_t kMiddle = int64_t{1} << 31, kEnd = int64_t{1} << 32;
  const int64_t now = number.now;
  const int64_t lowest = now < kMiddle ? 0 : kMiddle;
  const int64_t highest =
      std::min(lowest + kMiddle, kEnd - int64_t{kLanes - 1} * static_cast<int64_t>(stride)) - 1;
  const int64_t in_group = int64_t{static_cast<int32_t>(number.by_wave)} * (grid_.waves - 1);
  const int64_t low = now + std::min<int64_t>(in_group, 0);
  const int64_t high = now + std::max<int64_t>(in_group, 0);
  if (low < lowest || high > highest) return 0;
  const int64_t by = static_cast<int32_t>(number.by_group);
  if (by == 0) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(by > 0 ? (highest - high) / by : (low - lowest) / -by) + 1;
}

/// Where waves from `number` on find their data. Returns how many of `most` go on like that.
uint64_t StreamSeries::find_places(WaveState& wave, HostSlice& slice, uint64_t number,
                                   uint64_t most) {
  const uint64_t group = number / grid_.waves, in_group = number % grid_.waves;
  if (!even_) most = std::min(most, grid_.waves - in_group);
  for (size_t n = 0; n < addresses_.size() && most != 0; ++n) {
    const auto& a = addresses_[n];
    const uint64_t first = a.now + group * a.by_group + in_group * a.by_wave;
    const auto step = static_cast<int64_t>(grid_.waves == 1 ? a.by_group : a.by_wave);
    most = find_place(code_.accesses()[n], wave, slice, first, step, most, places_[n]);
  }
  return most != 0 && keeps_scalars(most) ? most : 0;
}

/// Whether the next waves store nothing where scalars came from.
bool StreamSeries::keeps_scalars(uint64_t waves) const {
  constexpr int64_t kSpan = kLanes * 4;
  const StreamPlace& store = places_.back();
  const auto first = reinterpret_cast<intptr_t>(store.host);
  const intptr_t last = first + static_cast<int64_t>(waves - 1) * store.step;
  const intptr_t low = std::min(first, last), end = std::max(first, last) + kSpan;
  return std::none_of(scalars_.begin(), scalars_.end(), [&](const auto& piece) {
    const auto begin = reinterpret_cast<intptr_t>(piece.host);
    return begin < end && low < begin + static_cast<intptr_t>(piece.bytes);
  });
}

StreamSeries::Reach StreamSeries::reach_of(const Plane<uint64_t>& a, uint64_t groups) const {
  const auto span = [](uint64_t by, uint64_t steps) {
    return static_cast<int64_t>(by) * static_cast<int64_t>(steps);
  };
  const int64_t rows = span(a.by_group, groups - 1), waves = span(a.by_wave, grid_.waves - 1);
  const auto now = static_cast<int64_t>(a.now);
  return {now + std::min<int64_t>(rows, 0) + std::min<int64_t>(waves, 0),
          now + std::max<int64_t>(rows, 0) + std::max<int64_t>(waves, 0) +
              static_cast<int64_t>(kLanes * 4)};
}

bool StreamSeries::keeps_apart(uint64_t groups) const {
  constexpr int64_t kFar = int64_t{1} << 31;  // products stay in 64 bits
  const auto near = [](uint64_t by) {
    const auto step = static_cast<int64_t>(by);
    return -kFar < step && step < kFar;
  };
  if (groups > std::min(linear_groups_, static_cast<uint64_t>(kFar))) return false;
  for (const auto& a : addresses_) {
    if (!near(a.by_group) || !near(a.by_wave) || a.now >> 62 != 0) return false;
  }
  const Plane<uint64_t>& store = addresses_.back();
  const Reach own = reach_of(store, 1), all = reach_of(store, groups);
  const auto step = static_cast<int64_t>(store.by_group);
  if (std::max(step, -step) < own.end - own.low) return false;
  const auto same = [&store](const Plane<uint64_t>& a) {
    return a.now == store.now && a.by_group == store.by_group && a.by_wave == store.by_wave;
  };
  const bool loads_apart = std::all_of(
      addresses_.begin(), addresses_.end(),
      [&](const Plane<uint64_t>& a) { return same(a) || !all.meets(reach_of(a, groups)); });
  return loads_apart && std::none_of(scalars_.begin(), scalars_.end(), [&all](const auto& piece) {
           const auto low = static_cast<int64_t>(piece.address);
           return all.meets({low, low + static_cast<int64_t>(piece.bytes)});
         });
}

uint64_t StreamSeries::run(WaveState& wave, HostSlice& slice, uint64_t most) {
  if (grid_.groups < most / grid_.waves) most = grid_.groups * grid_.waves;
  uint64_t done = 0;
  while (done < most) {
    const uint64_t now = find_places(wave, slice, done, most - done);
    if (now == 0) break;
    const StreamStop stop = code_.run()({&code_.turn(), 1}, wave, places_.data(), now, 0);
    done += stop.rounds;
    if (stop.rounds < now) break;
  }
  return done;
}

}  // namespace cuvette::wave
