// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/stream_waves.h"

#include <algorithm>
#include <array>

#include "wave/lanes/plain.h"
#include "wave/lanes/steady_place.h"
#include "wave/memory/prepared_memory.h"
#include "wave/scalar/full_exec.h"

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

/// The scalar registers of a set but EXEC, which stays full.
isa::RegisterSet scalars_of(const isa::RegisterSet& set) {
  constexpr RegisterRange kExec{RegisterFile::Scalar, 2, isa::kExecLo};
  isa::RegisterSet out;
  for (const RegisterRange& r : set) {
    if (r.file == RegisterFile::Scalar && !r.overlaps(kExec)) out.add(r);
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
    if (scalar::keeps_full_exec(p.run)) return add_guard(p, written);
    const lanes::Lane0Kind lane0 = lanes::lane0_kind(p.run);
    if (lane0 == lanes::Lane0Kind::Compare) return add_compare(p, written);
    if (lane0 != lanes::Lane0Kind::None || is_direct_scalar(p)) {
      return add_number(p, lane0, written);
    }
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
    waves_.steps_.push_back({.piece = &p, .kind = Step::Kind::Access});
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
    waves_.steps_.push_back({.piece = &p, .kind = Step::Kind::Load});
    put_alike(written);
    return true;
  }
  void put_alike(const isa::RegisterSet& written) {
    for (const RegisterRange& r : written) contents_.put(r, Content::Alike);
  }

  /// EXEC stays full, or the wave goes another way.
  bool add_guard(const Prepared& p, const isa::RegisterSet& written) {
    if (contents_.of(isa::registers_read(*p.instruction)) != Content::Alike) return false;
    waves_.steps_.push_back({.piece = &p});
    put_alike(written);
    return true;
  }

  bool add_compare(const Prepared& p, const isa::RegisterSet& written) {
    const auto found = lanes::lane0_compare_of(p);
    if (!found) return false;
    const lanes::Lane0Compare& compare = *found;
    const isa::Operand& bound = p.instruction->src[compare.bound];
    const RegisterRange number = vgpr_at(p.src[compare.number], compare.asks.wide ? 2 : 1);
    const bool constant = base::bit(p.scalars, 4 + compare.bound);
    const RegisterRange bounds{RegisterFile::Scalar, bound.dwords, bound.index};
    if (contents_.of(number) == Content::Unknown) return false;
    if (!constant && contents_.of(bounds) != Content::Alike) return false;
    waves_.steps_.push_back({.piece = &p, .kind = Step::Kind::Compare, .carries = true});
    waves_.comparisons_.push_back({compare.asks, p.stride});
    put_alike(written);
    return true;
  }

  Content source(const Prepared& p, unsigned s) const {
    if (base::bit(p.scalars, 4 + s)) return Content::Alike;
    const RegisterRange read{RegisterFile::Scalar, 1, p.instruction->src[s].index};
    return contents_.of(read);
  }
  /// Whether the result is linear in the sources, modulo 2^32.
  bool is_linear(const Prepared& p, lanes::Lane0Kind lane0) const {
    using K = lanes::Lane0Kind;
    if (lane0 != K::None) return true;
    switch (p.instruction->semantic()) {
      case S::s_mul_i32:
        return source(p, 0) == Content::Alike || source(p, 1) == Content::Alike;
      case S::s_lshl_b32:
        return source(p, 1) == Content::Alike;
      default:
        return is_scalar_sum(p);
    }
  }
  /// Whether the result is the sign of a source.
  static bool is_sign(const Prepared& p, lanes::Lane0Kind lane0) {
    const isa::Operand& amount = p.instruction->src[1];
    return lane0 == lanes::Lane0Kind::Sign ||
           (p.instruction->semantic() == S::s_ashr_i32 && amount.kind == isa::OperandKind::Inline &&
            amount.value == 31);
  }

  bool add_number(const Prepared& p, lanes::Lane0Kind lane0, const isa::RegisterSet& written) {
    const bool lanes = lane0 != lanes::Lane0Kind::None;
    const Content from = contents_.of(isa::registers_read(*p.instruction));
    Step step{.piece = &p, .lanes = lanes};
    Content results = from, carries = from;
    if (from == Content::Growing) {
      look_at(p, lane0, written, step);
      const bool linear = step.numbers != 0;
      if (!linear) results = Content::Alike;
      carries = !linear || step.carries ? Content::Alike : Content::Unknown;
    }
    waves_.steps_.push_back(step);
    for (const RegisterRange& r : written) {
      const bool carry = r == kScc || (lanes && r.file == RegisterFile::Scalar);
      contents_.put(r, carry ? carries : results);
    }
    return true;
  }
  /// What has to be seen of an instruction that works on what grows.
  void look_at(const Prepared& p, lanes::Lane0Kind lane0, const isa::RegisterSet& written,
               Step& step) {
    step.sign = is_sign(p, lane0);
    step.pins = !step.sign && !is_linear(p, lane0);
    if (step.sign || step.pins) return;
    step.numbers = step.lanes ? p.dst_dwords : 1;
    waves_.strides_.push_back(step.lanes ? p.stride : 0);
    waves_.strides_.resize(waves_.strides_.size() + step.numbers - 1);
    if (lane0 == lanes::Lane0Kind::Join) {
      step.kind = Step::Kind::Join;
      waves_.joined_strides_.push_back(p.stride);
    } else if (lane0 == lanes::Lane0Kind::Mask) {
      step.kind = Step::Kind::Compare;
      waves_.comparisons_.push_back({{lanes::CompareOp::Le}, p.stride, false});
    }
    // Whether the result of a shift is zero is not linear.
    step.carries =
        p.mask_out >= 0 || (written.overlaps(kScc) && p.instruction->semantic() != S::s_lshl_b32);
  }

  StreamWaves& waves_;
  Contents contents_;
  isa::RegisterSet op_reads_;
  bool computed_ = false, stored_ = false;
};

namespace {

/// What writes EXEC, for waves whose EXEC stays full.
std::vector<Prepared> with_full_exec(std::span<const Prepared> straight) {
  std::vector<Prepared> pieces(straight.begin(), straight.end());
  for (Prepared& p : pieces) {
    const Prepared::Run run = scalar::full_exec_row(*p.instruction);
    if (run != nullptr) p.run = run;
  }
  return pieces;
}

StreamWaves::Compared compared_by(const Prepared& p, const WaveState& wave) {
  if (lanes::lane0_kind(p.run) == lanes::Lane0Kind::Mask) {
    return {lanes::lane0_word(p, wave, 1), 0, lanes::lane0_word(p, wave, 0)};
  }
  const auto compare = lanes::lane0_compare_of(p).value_or(lanes::Lane0Compare{});
  if (!compare.asks.wide) {
    return {lanes::lane0_word(p, wave, compare.number), 0,
            lanes::lane0_word(p, wave, compare.bound)};
  }
  const uint64_t number = lanes::lane0_pair(p, wave, compare.number);
  return {base::lo32(number), base::hi32(number), lanes::lane0_pair(p, wave, compare.bound)};
}

}  // namespace

StreamWaves::StreamWaves(std::span<const Prepared> straight, const OwnRegisters& own)
    : code_(with_full_exec(straight), SteadyCode::Rounds::One) {
  Reader reader(*this, own);
  for (const Prepared& p : code_.body()) {
    if (!reader.add(p)) return;
  }
  if (!reader.whole()) return;
  turn_ = {&group_, 0, 0, 0};
  run_ = lanes::stream_rows(group_.op).rounds;
}

/// Of a scalar instruction.
void StreamWaves::see_sources(const Prepared& p, const WaveState& wave, Seen& seen) {
  for (unsigned s = 0; s < 3; ++s) {
    if (!base::bit(p.scalars, s)) continue;
    const bool pair = p.instruction->src[s].dwords == 2;
    seen.alike.push_back(pair ? lanes::lane0_pair(p, wave, s) : lanes::lane0_word(p, wave, s));
  }
}

void StreamWaves::see_result(const Step& step, const WaveState& wave, Seen& seen) {
  const Prepared& p = *step.piece;
  const uint32_t* const to =
      step.lanes ? Prepared::row(wave, p.dst) : &wave.s.sgpr[p.dst / sizeof(uint32_t)];
  for (unsigned n = 0; n < step.numbers; ++n) seen.numbers.push_back(to[n * kLanes]);
  if (step.sign) seen.alike.push_back(*to);
  if (!step.carries) return;
  seen.alike.push_back(p.mask_out >= 0 ? wave.s.pair(p.instruction->dst[p.mask_out].index & ~1u)
                                       : uint64_t{wave.s.scc});
}

bool StreamWaves::see(WaveState& wave, HostSlice& slice, Seen& seen) const {
  seen = {};
  if (!code_.begin(wave)) return false;
  for (const Step& step : steps_) {
    const Prepared& p = *step.piece;
    switch (step.kind) {
      case Step::Kind::Access:
        seen.addresses.push_back(lanes::steady_address(p, wave));
        continue;
      case Step::Kind::Load: {
        const auto [address, bytes] = memory::scalar_load_of(p, wave);
        seen.scalars.push_back({slice.memory->window(address, bytes, false), address, bytes});
        break;
      }
      case Step::Kind::Compare:
        seen.compared.push_back(compared_by(p, wave));
        seen.alike.push_back(seen.compared.back().high);
        break;
      case Step::Kind::Join:
        seen.joined.push_back(lanes::lane0_join_of(p, wave));
        break;
      case Step::Kind::Number:
        break;
    }
    if (step.pins) see_sources(p, wave, seen);
    if (!p.run(p, wave, slice)) return false;
    see_result(step, wave, seen);
  }
  return true;
}

}  // namespace cuvette::wave
