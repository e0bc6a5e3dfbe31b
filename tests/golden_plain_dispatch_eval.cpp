// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_eval.h"

#include <algorithm>
#include <bit>

#include "golden_plain_dispatch_integer.h"

namespace cuvette::golden::plain {
namespace {

/// One wave on its way.
struct Wave {
  uint64_t group = 0;
  unsigned index = 0;                ///< in the work-group
  std::array<uint32_t, 128> sgpr{};  ///< VCC and EXEC, too
  std::array<std::array<uint32_t, kLanes>, kVgprs> rows{};
  bool scc = false, ended = false;
  size_t next = 0;

  uint64_t pair(unsigned code) const { return sgpr[code] | uint64_t{sgpr[code + 1]} << 32; }
  void set_pair(unsigned code, uint64_t value) {
    sgpr[code] = static_cast<uint32_t>(value);
    sgpr[code + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t exec() const { return pair(kExec); }
  bool runs(unsigned lane) const { return (exec() >> lane & 1) != 0; }
  uint64_t wide(unsigned vgpr, unsigned lane) const {
    return rows[vgpr][lane] | uint64_t{rows[vgpr + 1][lane]} << 32;
  }
  uint32_t read(const Source& source, unsigned lane = 0) const {
    constexpr float kFloats[] = {0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 4.0f, -4.0f};
    if (source.code >= 256) return rows[source.code - 256][lane];
    if (source.code == 255) return source.literal;
    if (source.code >= 240) return std::bit_cast<uint32_t>(kFloats[source.code - 240]);
    if (source.code > 192) return 192 - source.code;
    if (source.code >= 128) return source.code - 128;
    return sgpr[source.code];
  }
  /// A pair, or a number with its sign in all of the upper half.
  uint64_t read_pair(const Source& source, unsigned lane = 0) const {
    if (source.code >= 256) return wide(source.code - 256, lane);
    if (source.code < 128) return pair(source.code);
    return static_cast<uint64_t>(int64_t{static_cast<int32_t>(read(source))});
  }
};

class Evaluation {
 public:
  Evaluation(const Kernel& kernel, const Dispatch& dispatch, const Setup& setup, Memory& memory)
      : kernel_(kernel), dispatch_(dispatch), setup_(setup), memory_(memory) {
    for (const size_t place : places_of(kernel.ops)) pcs_.push_back(setup.entry + 4 * place);
    executed_.resize(kernel.ops.size());
    waves_.reserve(setup.resident_waves + 16);
    for (unsigned d = 0; d < 3; ++d) {
      const uint32_t all = (dispatch.grid[d] + dispatch.workgroup[d] - 1) / dispatch.workgroup[d];
      groups_[d] = all - std::min(all, dispatch.start[d]);
    }
  }
  Expected run();

 private:
  std::array<uint32_t, 3> id_of(uint64_t group) const;
  std::array<uint32_t, 3> size_of(uint64_t group) const;
  void admit();
  void launch(Wave& wave) const;
  bool turns();
  bool step(Wave& wave);
  void scalar(const Op& op, Wave& wave);
  bool masks(const Op& op, Wave& wave) const;
  void vector(const Op& op, Wave& wave) const;
  void compare_lanes(const Op& op, Wave& wave) const;
  void add_with_carry(const Op& op, Wave& wave) const;
  void load_scalars(const Op& op, Wave& wave);
  void access(const Op& op, Wave& wave);
  void fault(const Wave& wave, uint64_t address, uint64_t lanes);
  uint32_t result(const Op& op, const Wave& wave, unsigned lane) const;

  const Kernel& kernel_;
  const Dispatch& dispatch_;
  const Setup& setup_;
  Memory& memory_;
  std::vector<uint64_t> pcs_, executed_;
  std::array<uint32_t, 3> groups_{};
  uint64_t next_group_ = 0;
  std::vector<Wave> waves_;  // resident, oldest first
  Expected out_;
};

std::array<uint32_t, 3> Evaluation::id_of(uint64_t group) const {
  const auto x = static_cast<uint32_t>(group % groups_[0]);
  const auto y = static_cast<uint32_t>(group / groups_[0] % groups_[1]);
  return {x + dispatch_.start[0], y + dispatch_.start[1], dispatch_.start[2]};
}

/// In work-items: those at the end of the grid may be smaller.
std::array<uint32_t, 3> Evaluation::size_of(uint64_t group) const {
  const auto id = id_of(group);
  std::array<uint32_t, 3> size{};
  for (unsigned d = 0; d < 3; ++d) {
    const uint32_t rest = dispatch_.grid[d] - id[d] * dispatch_.workgroup[d];
    size[d] = std::min<uint32_t>(dispatch_.workgroup[d], rest);
  }
  return size;
}

void Evaluation::admit() {
  const uint64_t groups = uint64_t{groups_[0]} * groups_[1] * groups_[2];
  const auto& full = dispatch_.workgroup;
  const size_t most = (size_t{full[0]} * full[1] * full[2] + kLanes - 1) / kLanes;
  while (next_group_ < groups &&
         (waves_.empty() || waves_.size() + most <= setup_.resident_waves)) {
    const auto size = size_of(next_group_);
    const unsigned count = (size[0] * size[1] * size[2] + kLanes - 1) / kLanes;
    for (unsigned n = 0; n < count; ++n) {
      waves_.emplace_back();
      waves_.back().group = next_group_;
      waves_.back().index = n;
      launch(waves_.back());
    }
    out_.waves += count;
    out_.items += size[0] * size[1] * size[2];
    ++out_.workgroups;
    ++next_group_;
  }
}

void Evaluation::launch(Wave& wave) const {
  constexpr uint32_t kPoison = 0xdeadbeef;
  if (setup_.poison) {
    std::fill_n(wave.sgpr.begin(), kVcc, kPoison);
    for (auto& row : wave.rows) row.fill(kPoison);
  }
  const auto id = id_of(wave.group), size = size_of(wave.group);
  if (kernel_.packet) wave.set_pair(kernel_.packet_sgpr(), setup_.packet);
  wave.set_pair(kernel_.kernarg_sgpr(), setup_.kernarg);
  wave.sgpr[kernel_.group_sgpr()] = id[0];
  if (kernel_.id_y) wave.sgpr[kernel_.group_sgpr() + 1] = id[1];
  uint64_t exec = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint32_t item = wave.index * kLanes + lane;
    if (item >= size[0] * size[1] * size[2]) break;
    exec |= uint64_t{1} << lane;
    const uint32_t y = item / size[0] % size[1];
    wave.rows[0][lane] = item % size[0] | (kernel_.packed_ids() ? y << 10 : 0);
    if (kernel_.id_y && !kernel_.packed_ids()) wave.rows[1][lane] = y;
  }
  wave.set_pair(kExec, exec);
}

/// A slice for every wave. False: one of them has failed.
bool Evaluation::turns() {
  for (Wave& wave : waves_) {
    uint64_t limit = setup_.slice;
    if (setup_.watchdog != 0) {
      limit = std::min(
          limit, setup_.watchdog - std::min(setup_.watchdog, out_.instructions) + uint64_t{1});
    }
    for (; limit != 0 && !wave.ended; --limit) {
      if (!step(wave)) return false;
    }
  }
  std::erase_if(waves_, [](const Wave& wave) { return wave.ended; });
  return true;
}

bool jumps(What what, const Wave& wave) {
  switch (what) {
    case What::SBranchScc0:
      return !wave.scc;
    case What::SBranchScc1:
      return wave.scc;
    case What::SBranchVccz:
      return wave.pair(kVcc) == 0;
    case What::SBranchVccnz:
      return wave.pair(kVcc) != 0;
    case What::SBranchExecz:
      return wave.exec() == 0;
    case What::SBranchExecnz:
      return wave.exec() != 0;
    default:
      return true;
  }
}

bool Evaluation::step(Wave& wave) {
  const Op& op = kernel_.ops[wave.next];
  ++executed_[wave.next];
  ++out_.instructions;
  if (is_branch(op.what)) {
    wave.next = jumps(op.what, wave) ? op.target : wave.next + 1;
    return true;
  }
  if (op.what == What::End) {
    wave.ended = true;
  } else if (op.what == What::SLoad) {
    load_scalars(op, wave);
  } else if (op.what < What::Mov) {
    scalar(op, wave);
  } else if (op.what < What::Load) {
    vector(op, wave);
  } else {
    access(op, wave);
  }
  ++wave.next;
  return !out_.wild;
}

/// What works on pairs. False: `op` is something else.
bool Evaluation::masks(const Op& op, Wave& wave) const {
  if (op.what >= What::SMov64 && op.what <= What::SAshr64) {
    const bool shift = op.what == What::SLshl64 || op.what == What::SAshr64;
    const uint64_t b = shift ? wave.read(op.b) : wave.read_pair(op.b);
    const uint64_t value = evaluate_mask(op.what, wave.read_pair(op.a), b);
    wave.set_pair(op.d, value);
    if (op.what != What::SMov64) wave.scc = value != 0;
    return true;
  }
  if (op.what < What::SAndSave || op.what > What::SAndn1Save) return false;
  const uint64_t before = wave.exec(), after = evaluate_exec(op.what, wave.read_pair(op.a), before);
  wave.set_pair(op.d, before);
  wave.set_pair(kExec, after);
  wave.scc = after != 0;
  return true;
}

void Evaluation::scalar(const Op& op, Wave& wave) {
  if (masks(op, wave)) return;
  const uint64_t a = wave.read(op.a), b = wave.read(op.b);
  const uint64_t carry = wave.scc ? 1 : 0;
  const auto set = [&](uint64_t value, bool scc) {
    wave.sgpr[op.d] = static_cast<uint32_t>(value);
    wave.scc = scc;
  };
  switch (op.what) {
    case What::SMov:
      return set(a, wave.scc);
    case What::SAdd:
      return set(a + b, (a + b) >> 32 != 0);
    case What::SSub:
      return set(a - b, b > a);
    case What::SAddc:
      return set(a + b + carry, (a + b + carry) >> 32 != 0);
    case What::SSubb:
      return set(a - b - carry, b + carry > a);
    case What::SAddI:
    case What::SSubI: {
      const auto x = int64_t{static_cast<int32_t>(a)}, y = int64_t{static_cast<int32_t>(b)};
      const int64_t value = op.what == What::SAddI ? x + y : x - y;
      return set(static_cast<uint64_t>(value), value != static_cast<int32_t>(value));
    }
    case What::SCselect:
      return set(wave.scc ? a : b, wave.scc);
    case What::SAnd:
      return set(a & b, (a & b) != 0);
    case What::SLshl:
      return set(a << (b & 31), static_cast<uint32_t>(a << (b & 31)) != 0);
    case What::SMul:
      return set(a * b, wave.scc);
    case What::SOr:
      return set(a | b, (a | b) != 0);
    case What::SAshr: {
      const int32_t value = static_cast<int32_t>(a) >> (b & 31);
      return set(static_cast<uint32_t>(value), value != 0);
    }
    case What::SLshr:
      return set(a >> (b & 31), a >> (b & 31) != 0);
    case What::SCmpEq:
      wave.scc = a == b;
      return;
    case What::SCmpLg:
      wave.scc = a != b;
      return;
    case What::SCmpGt:
      wave.scc = a > b;
      return;
    case What::SCmpGe:
      wave.scc = a >= b;
      return;
    case What::SCmpLt:
      wave.scc = a < b;
      return;
    case What::SCmpLe:
      wave.scc = a <= b;
      return;
    default:
      return;  // waits
  }
}

void Evaluation::load_scalars(const Op& op, Wave& wave) {
  const uint64_t offset =
      op.by_register ? uint64_t{wave.read(op.a)} : static_cast<uint64_t>(int64_t{op.offset});
  const uint64_t address = (wave.pair(op.base) + offset) & ~uint64_t{3};
  uint32_t data[4] = {};
  uint64_t failed = 0;
  if (!memory_.read(address, data, 4 * op.dwords, &failed)) {
    fault(wave, failed, 1);
    return;
  }
  for (unsigned n = 0; n < op.dwords; ++n) wave.sgpr[op.d + n] = data[n];
}

uint32_t Evaluation::result(const Op& op, const Wave& wave, unsigned lane) const {
  const bool third = op.what == What::FmaF || has_third_source(op.what);
  uint32_t sources[3] = {wave.read(op.a, lane), wave.read(op.b, lane),
                         third ? wave.read(op.c, lane) : wave.rows[op.d][lane]};
  if (is_float(op.what)) {
    for (unsigned n = 0; n < 3; ++n) {
      if ((op.abs >> n & 1) != 0) sources[n] &= 0x7fffffff;
      if ((op.neg >> n & 1) != 0) sources[n] ^= 0x80000000;
    }
    const uint32_t out = evaluate_float(op.what, sources[0], sources[1], sources[2], kernel_.modes);
    return op.clamp ? clamped(out, kernel_.modes) : out;
  }
  if (op.what == What::ToFloat) return to_float(sources[0], kernel_.modes);
  if (op.what == What::Cndmask) return sources[wave.pair(op.mask) >> lane & 1];
  if (op.what == What::Add && op.clamp) {
    return static_cast<uint32_t>(std::min(uint64_t{sources[0]} + sources[1], uint64_t{0xffffffff}));
  }
  return evaluate_integer(op.what, sources[0], sources[1], sources[2], lane);
}

void Evaluation::vector(const Op& op, Wave& wave) const {
  if (op.what == What::ReadFirst) {  // without lanes, of the first one
    const int first = wave.exec() == 0 ? 0 : std::countr_zero(wave.exec());
    wave.sgpr[op.d] = wave.read(op.a, static_cast<unsigned>(first));
    return;
  }
  if (op.what == What::Cmp || op.what == What::Cmpx) return compare_lanes(op, wave);
  if (op.what >= What::AddCo && op.what <= What::Subb) return add_with_carry(op, wave);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!wave.runs(lane)) continue;
    if (!has_wide_result(op.what)) {
      wave.rows[op.d][lane] = result(op, wave, lane);
      continue;
    }
    const bool sum = op.what == What::LshlAdd64;
    const uint64_t a = sum ? wave.read_pair(op.a, lane) : wave.read(op.a, lane);
    const uint64_t b = sum ? wave.read(op.b, lane) : wave.read_pair(op.b, lane);
    const uint64_t value = evaluate_wide(op.what, a, b, sum ? wave.read_pair(op.c, lane) : 0);
    wave.rows[op.d][lane] = static_cast<uint32_t>(value);
    wave.rows[op.d + 1][lane] = static_cast<uint32_t>(value >> 32);
  }
}

/// Lanes that do not run count as if it did not hold.
void Evaluation::compare_lanes(const Op& op, Wave& wave) const {
  uint64_t out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!wave.runs(lane)) continue;
    const bool wide = is_64_bit(op.type);
    const uint64_t a = wide ? wave.read_pair(op.a, lane) : wave.read(op.a, lane);
    const uint64_t b = wide ? wave.read_pair(op.b, lane) : wave.read(op.b, lane);
    if (evaluate_compare(op.cond, op.type, a, b)) out |= uint64_t{1} << lane;
  }
  wave.set_pair(op.mask, out);
  if (op.what == What::Cmpx) wave.set_pair(kExec, out);
}

void Evaluation::add_with_carry(const Op& op, Wave& wave) const {
  const bool with_carry = op.what == What::Addc || op.what == What::Subb;
  const bool minus = op.what == What::SubCo || op.what == What::Subb;
  const uint64_t carries = wave.pair(op.mask);
  uint64_t out = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!wave.runs(lane)) continue;
    const uint64_t carry = with_carry ? carries >> lane & 1 : 0;
    const uint64_t a = wave.read(op.a, lane), b = wave.read(op.b, lane);
    const uint64_t value = minus ? a - b - carry : a + b + carry;
    wave.rows[op.d][lane] = static_cast<uint32_t>(value);
    if (value >> 32 != 0) out |= uint64_t{1} << lane;
  }
  wave.set_pair(op.mask, out);
}

/// Lanes whose address is good are served whatever the others do.
void Evaluation::access(const Op& op, Wave& wave) {
  const unsigned vgpr = op.a.code - 256, bytes = 4 * op.dwords;
  uint64_t first = 0, faulted = 0;
  if (op.what == What::Store) out_.stores += static_cast<uint64_t>(std::popcount(wave.exec()));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!wave.runs(lane)) continue;
    uint64_t address = static_cast<uint64_t>(int64_t{op.offset});
    address += op.base == kOff ? wave.wide(vgpr, lane) : wave.pair(op.base) + wave.rows[vgpr][lane];
    uint32_t data[4] = {};
    uint64_t failed = 0;
    bool good = false;
    if (op.what == What::Load) {
      good = memory_.read(address, data, bytes, &failed);
      for (unsigned n = 0; n < op.dwords; ++n) wave.rows[op.d + n][lane] = data[n];
    } else {
      for (unsigned n = 0; n < op.dwords; ++n) data[n] = wave.rows[op.d + n][lane];
      good = memory_.write(address, data, bytes, &failed);
    }
    if (good) continue;
    if (faulted == 0) first = failed;
    faulted |= uint64_t{1} << lane;
  }
  if (faulted != 0) fault(wave, first, faulted);
}

void Evaluation::fault(const Wave& wave, uint64_t address, uint64_t lanes) {
  out_.wild = Expected::Wild{wave.group * 16 + wave.index, pcs_[wave.next], address, lanes,
                             memory_.find(address) != nullptr};
}

Expected Evaluation::run() {
  for (admit(); !waves_.empty(); admit()) {
    if (!turns()) break;
    if (setup_.watchdog != 0 && out_.instructions > setup_.watchdog) {
      out_.watchdog = true;
      break;
    }
  }
  for (size_t n = 0; n < executed_.size(); ++n) {
    if (executed_[n] != 0) out_.rows[mnemonic(kernel_.ops[n])] += executed_[n];
  }
  return std::move(out_);
}

}  // namespace

Expected evaluate(const Kernel& kernel, const Dispatch& dispatch, const Setup& setup,
                  Memory& memory) {
  return Evaluation(kernel, dispatch, setup, memory).run();
}

}  // namespace cuvette::golden::plain
