// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/kept_halves.h"

#include <algorithm>

#include "base/bits.h"
#include "isa/operands.h"
#include "wave/operand.h"

namespace cuvette::golden {
namespace {

using Checker = wave::WaitChecker;
using isa::RegisterRange;

constexpr uint32_t kLow = 0xffff, kHigh = 0xffff0000;

isa::RegisterFile file_of(isa::OperandKind kind) {
  return kind == isa::OperandKind::Agpr ? isa::RegisterFile::Agpr : isa::RegisterFile::Vgpr;
}

/// Loads that keep a half of their last register; the status of TFE stands behind the data.
bool keeps_half(const isa::Instruction& in, RegisterRange& kept) {
  if (!in.row->has(isa::kLoad)) return false;
  const isa::Operand& dst = in.dst[0];
  const unsigned data = dst.dwords - (in.mem.tfe ? 1u : 0u);
  if (!dst.is_vector() || data == 0 || data > dst.dwords) return false;
  kept = {file_of(dst.kind), 1, static_cast<uint16_t>(dst.index + data - 1)};
  return isa::registers_read(in).overlaps(kept) && !isa::registers_fetched(in).overlaps(kept);
}

/// The write of a register in a record; null when there is none.
template <class Writes>
auto* write_of(Writes& writes, isa::OperandKind file, uint16_t index) {
  const auto found = std::find_if(writes.begin(), writes.end(), [&](const auto& w) {
    return w.kind == file && w.index == index;
  });
  return found == writes.end() ? nullptr : &*found;
}

}  // namespace

/// Results of one type are in order; FLAT is two.
bool KeptHalves::may_pass(Kind a, Kind b) {
  return a != b || a == Kind::Flat;
}

bool KeptHalves::Load::done() const {
  for (unsigned n = 0; n < Checker::kCounts; ++n) {
    if (Checker::raises(kind, static_cast<Checker::Count>(n)) && !over[n]) return false;
  }
  return true;
}

void KeptHalves::before(const wave::WaveState& state, const isa::Instruction& next) {
  kept_ = false;
  RegisterRange kept;
  if (state.sramecc || !keeps_half(next, kept)) return;
  const bool acc = kept.file == isa::RegisterFile::Agpr;
  if (!wave::vector_in_range(state, next.dst[0].kind, kept.first, 1)) return;
  kept_ = true;
  next_ = Load{};
  next_.kind = Checker::kind_of(next);
  next_.file = next.dst[0].kind;
  next_.index = kept.first;
  next_.loaded = next.row->has(isa::kD16High) ? kHigh : kLow;
  next_.before = (acc ? state.v.acc : state.v.arch)[kept.first];
}

/// True if an older load that had not come back explains the half that was found.
bool KeptHalves::explained(const Load& load, unsigned lane, uint32_t found) const {
  return std::any_of(loads_.begin(), loads_.end(), [&](const Load& older) {
    return older.file == load.file && older.index == load.index && older.loaded == ~load.loaded &&
           may_pass(older.kind, load.kind) && base::bit(older.lanes, lane) &&
           ((older.before[lane] ^ found) & ~load.loaded) == 0;
  });
}

/// Removes the open lanes of older loads that a younger one explains, which came back before them.
void KeptHalves::explain(const Load& younger, const wave::VectorWrite& golden) {
  for (Load& older : loads_) {
    if (older.file != younger.file || older.index != younger.index ||
        older.loaded != ~younger.loaded || !may_pass(older.kind, younger.kind)) {
      continue;
    }
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if (!base::bit(older.open & golden.lanes, lane)) continue;
      if (((golden.data[lane] ^ older.found[lane]) & ~older.loaded) == 0) {
        older.open &= ~(uint64_t{1} << lane);
      }
    }
  }
}

wave::RetireRecord KeptHalves::check(const wave::RetireRecord& golden,
                                     const wave::RetireRecord* device, const std::string& text) {
  wave::RetireRecord told = device != nullptr ? *device : golden;
  if (!kept_) {
    follow(golden.instruction);
    return told;
  }
  Load load = next_;
  kept_ = false;
  follow(golden.instruction);
  const wave::VectorWrite* right = write_of(golden.vector_writes, load.file, load.index);
  wave::VectorWrite* given = write_of(told.vector_writes, load.file, load.index);
  if (right == nullptr || given == nullptr || given->lanes != right->lanes) return told;
  load.lanes = right->lanes;
  wave::LaneRow& data = given->data;
  for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
    const uint32_t differs = data[lane] ^ right->data[lane];
    if (!base::bit(load.lanes, lane) || differs == 0 || (differs & load.loaded) != 0) continue;
    if (!explained(load, lane, data[lane])) {
      load.open |= uint64_t{1} << lane;
      load.found[lane] = data[lane];
    }
    data[lane] = right->data[lane];
  }
  if (load.open != 0) load.text = text;
  explain(load, *right);
  loads_.push_back(std::move(load));
  return told;
}

void KeptHalves::close(const Load& load) {
  if (load.open != 0 && wrong_.empty()) wrong_ = load.text;
}

/// True if an instruction proves that a load before it is over: by S_WAITCNT, because something
/// else uses its register, or by the end of the program.
bool KeptHalves::ends(Load& load, const isa::Instruction& in) const {
  const Kind kind = Checker::kind_of(in);
  if (kind == load.kind) ++load.behind;
  if (in.row->has(isa::kEndsProgram)) return true;
  if (in.row->semantic == isa::SemanticId::s_waitcnt) {
    const auto most = Checker::awaited(in);
    for (unsigned n = 0; n < Checker::kCounts; ++n) {
      // Were it under way, so would be all younger ones of its type.
      const bool in_order = load.kind != Kind::Flat && load.behind >= most[n];
      load.over[n] = load.over[n] || most[n] == 0 || in_order;
    }
    return load.done();
  }
  const RegisterRange own{file_of(load.file), 1, load.index};
  RegisterRange kept;
  if (!keeps_half(in, kept)) {
    return isa::registers_read(in).overlaps(own) || isa::registers_written(in).overlaps(own);
  }
  return isa::registers_fetched(in).overlaps(own) ||
         (isa::registers_written(in).overlaps(own) && !(kept == own));
}

void KeptHalves::follow(const isa::Instruction& in) {
  const auto over = [&](Load& load) {
    const bool gone = ends(load, in);
    if (gone) close(load);
    return gone;
  };
  loads_.erase(std::remove_if(loads_.begin(), loads_.end(), over), loads_.end());
}

void KeptHalves::end() {
  for (const Load& load : loads_) close(load);
  loads_.clear();
}

bool KeptHalves::settled() const {
  return std::all_of(loads_.begin(), loads_.end(), [](const Load& load) { return load.open == 0; });
}

}  // namespace cuvette::golden
