// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/stream_series.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace cuvette::wave {

StreamSeries::StreamSeries(const StreamWaves& code, const StreamWaves::Seen& first,
                           const StreamWaves::Seen& next, const StreamWaves::Seen& group, Grid grid)
    : code_(code), grid_(grid), scalars_(first.scalars), places_(code.accesses().size()) {
  if (first.alike != next.alike || first.alike != group.alike) linear_groups_ = 0;
  for (size_t n = 0; n < first.numbers.size(); ++n) {
    const auto number = plane_of(first.numbers[n], next.numbers[n], group.numbers[n]);
    const uint64_t groups = groups_of(number, code.strides()[n], half_of(number.now));
    linear_groups_ = std::min(linear_groups_, groups);
  }
  for (size_t n = 0; n < first.joined.size(); ++n) {
    const auto &a = first.joined[n], &b = next.joined[n], &c = group.joined[n];
    const auto above = plane_of(a.above, b.above, c.above);
    const auto below = plane_of(a.below, b.below, c.below);
    if (!stays_joined(above, below, code.joined_strides()[n])) linear_groups_ = 0;
  }
  equal_groups_ = linear_groups_;
  for (size_t n = 0; n < first.compared.size(); ++n) {
    const auto& [asks, stride, by_lanes] = code.comparisons()[n];
    const auto number =
        plane_of(first.compared[n].low, next.compared[n].low, group.compared[n].low);
    const uint64_t groups = groups_of(number, stride, side_of(asks, first.compared[n]));
    equal_groups_ = std::min(equal_groups_, groups);
    if (!by_lanes) linear_groups_ = std::min(linear_groups_, groups);
  }
  grid_.groups = std::min(grid_.groups, equal_groups_);
  for (size_t n = 0; n < first.addresses.size(); ++n) {
    const auto a = plane_of(first.addresses[n], next.addresses[n], group.addresses[n]);
    addresses_.push_back(a);
    even_ = even_ && (grid_.waves == 1 || a.by_group == grid_.waves * a.by_wave);
  }
}

/// Numbers as it is: below the middle, or not.
StreamSeries::Range StreamSeries::half_of(uint32_t number) {
  constexpr int64_t kMiddle = int64_t{1} << 31;
  const int64_t lowest = number < kMiddle ? 0 : kMiddle;
  return {lowest, lowest + kMiddle - 1};
}

/// Numbers in the half of a comparison's first one, low halves of 64-bit ones, that are around it
/// and give the same answer.
StreamSeries::Range StreamSeries::side_of(const lanes::IntegerCompare& asks,
                                          const StreamWaves::Compared& first) {
  const Range half = half_of(first.low);
  // High halves are alike.
  if (asks.wide && first.high != base::hi32(first.bound)) return half;
  // Inside of a half the order is the same with a sign; a bound in the other half is not met.
  const int64_t number = first.low;
  const int64_t bound = base::lo32(first.bound);
  const bool answer = lanes::holds(asks.op, number, bound);
  const auto same = [&](int64_t x) { return lanes::holds(asks.op, x, bound) == answer; };
  const bool equal = same(bound);
  Range range = half;
  if (!same(bound - 1) || (number > bound && !equal)) {
    range.lowest = std::max(half.lowest, equal ? bound : bound + 1);
  }
  if (!same(bound + 1) || (number < bound && !equal)) {
    range.highest = std::min(half.highest, equal ? bound : bound - 1);
  }
  return range;
}

/// How many work-groups, the first one included, have a number in a range in all of their lanes.
uint64_t StreamSeries::groups_of(const Plane<uint32_t>& number, uint32_t stride,
                                 Range range) const {
  const int64_t now = number.now;
  const int64_t highest = range.highest - int64_t{kLanes - 1} * static_cast<int64_t>(stride);
  const int64_t in_group = int64_t{static_cast<int32_t>(number.by_wave)} * (grid_.waves - 1);
  const int64_t low = now + std::min<int64_t>(in_group, 0);
  const int64_t high = now + std::max<int64_t>(in_group, 0);
  if (low < range.lowest || high > highest) return 0;
  const int64_t by = static_cast<int32_t>(number.by_group);
  if (by == 0) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(by > 0 ? (highest - high) / by : (low - range.lowest) / -by) + 1;
}

/// Whether what is above has no bit where what is below may have one, in any lane of any wave.
bool StreamSeries::stays_joined(const Plane<uint32_t>& above, const Plane<uint32_t>& below,
                                uint32_t stride) const {
  if (below.by_group != 0) return false;
  const int64_t in_group = int64_t{static_cast<int32_t>(below.by_wave)} * (grid_.waves - 1);
  const int64_t last = below.now + std::max<int64_t>(in_group, 0) +
                       int64_t{kLanes - 1} * static_cast<int64_t>(stride);
  const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(last)));
  return std::countr_zero(above.now | above.by_group | above.by_wave) >= bits;
}

/// Where waves from `number` on find their data. Returns how many of `most` go on like that.
uint64_t StreamSeries::find_places(WaveState& wave, HostSlice& slice, uint64_t number,
                                   uint64_t most) {
  const uint64_t group = number / grid_.waves, in_group = number % grid_.waves;
  if (!even_) most = std::min(most, grid_.waves - in_group);
  StreamPieces pieces(*slice.memory);
  for (size_t n = 0; n < addresses_.size() && most != 0; ++n) {
    const auto& a = addresses_[n];
    const uint64_t first = a.now + group * a.by_group + in_group * a.by_wave;
    const auto step = static_cast<int64_t>(grid_.waves == 1 ? a.by_group : a.by_wave);
    most = find_place(code_.accesses()[n], wave, pieces, first, step, most, places_[n]);
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

bool StreamSeries::keeps_apart(uint64_t groups, bool with_partial) const {
  constexpr int64_t kFar = int64_t{1} << 31;  // products stay in 64 bits
  const auto near = [](uint64_t by) {
    const auto step = static_cast<int64_t>(by);
    return -kFar < step && step < kFar;
  };
  const uint64_t known = with_partial ? linear_groups_ : equal_groups_;
  if (groups > std::min(known, static_cast<uint64_t>(kFar))) return false;
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
