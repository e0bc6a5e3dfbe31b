// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "simd/beats.h"

#include <algorithm>

#include "base/bits.h"
#include "wave/dpp.h"

namespace cuvette::simd {
namespace {

using isa::Operand;
using isa::OperandKind;

}  // namespace

void Beats::start(const Issue& issue, vrf::Vrf& registers, machine::Cycle now) {
  issue_ = issue;
  d_ = destinations(issue);
  next_ = received_ = 0;
  src_ = {};
  old_ = {};
  for (unsigned s = 0; s < 3; ++s) collect_source(s, registers, now);
  const Operand& dst = issue_.instruction.dst[0];
  if (dst.is_vector() && d_.vector) {
    for (unsigned n = 0; n < dst.dwords; ++n) old_[n] = row_of(d_.operand, n, registers, now);
  }
  total_ = requests_of(issue_.instruction);
  passes_ = total_ / valu::kBeats;
}

unsigned Beats::requests_of(const isa::Instruction& instruction) {
  const Operand& dst = instruction.dst[0];
  return valu::kBeats * (dst.is_vector() && dst.dwords > kDwordsPerPass ? 2 : 1);
}

wave::LaneRow Beats::row_of(const Operand& operand, unsigned dword, vrf::Vrf& registers,
                            machine::Cycle now) const {
  const unsigned registers_there = limit(issue_, operand);
  wave::LaneRow row{};
  if (registers_there == 0) return row;
  // Out of range reads register 0 (MI100 ISA 3.6.1).
  Operand in_range = operand;
  if (unsigned{operand.index} + dword >= registers_there) {
    in_range.index = 0;
    dword = 0;
  }
  registers.read(vrf::ReadPort::Source0, now, physical(issue_, in_range, dword), row);
  return row;
}

void Beats::collect_source(unsigned s, vrf::Vrf& registers, machine::Cycle now) {
  const isa::Instruction& i = issue_.instruction;
  if (i.src[s].kind == OperandKind::None || i.src[s].type == isa::Type::Mask) return;
  const Operand operand = indexed(issue_, i.src[s], s);
  if (!operand.is_vector()) {
    src_[s][0].fill(base::lo32(issue_.scalar[s]));
    if (operand.dwords > 1) src_[s][1].fill(base::hi32(issue_.scalar[s]));
    return;
  }
  const bool dpp = s == 0 && i.encoding == isa::Encoding::Dpp;
  for (unsigned n = 0; n < std::min<unsigned>(operand.dwords, 4); ++n) {
    const wave::LaneRow row = row_of(operand, n, registers, now);
    if (!dpp) {
      src_[s][n] = row;
      continue;
    }
    const wave::DppRouting routing = wave::dpp_route(i.mod, issue_.exec);
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      src_[s][n][lane] = base::bit(routing.zero, lane) ? 0 : row[routing.source[lane]];
    }
  }
}

valu::Request Beats::next(uint32_t id) {
  const unsigned beat = next_ / passes_;
  const unsigned pass = next_ % passes_;
  ++next_;
  const isa::Instruction& i = issue_.instruction;
  valu::Request r;
  r.id = id;
  r.row = static_cast<uint16_t>(isa::index_of(*i.row));
  r.beat = static_cast<uint8_t>(beat);
  r.pass = static_cast<uint8_t>(pass);
  r.mode = issue_.mode;
  r.modifiers = valu::modifiers_of(*i.row, i.encoding, i.mod);
  r.wave = issue_.wave;
  r.pc = issue_.pc;
  r.length = i.length;
  std::copy(std::begin(i.words), std::end(i.words), r.words.begin());
  const unsigned first = valu::kLanes * beat;
  r.exec = static_cast<uint16_t>(d_.work >> first);
  r.mask_in = static_cast<uint16_t>(issue_.mask_in >> first);
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    for (unsigned s = 0; s < 3; ++s) {
      const unsigned d = i.src[s].dwords > kDwordsPerPass ? kDwordsPerPass * pass : 0;
      r.src[s][l] = base::join32(src_[s][d][first + l], src_[s][d + 1][first + l]);
    }
    const unsigned d = kDwordsPerPass * pass;
    r.old[l] = base::join32(old_[d][first + l], old_[d + 1][first + l]);
  }
  return r;
}

const Retire* Beats::accept(const valu::Response& response, vrf::Vrf& registers,
                            machine::Cycle now) {
  ++received_;
  const unsigned first_dword = kDwordsPerPass * response.pass;
  if (response.pass == 0) {
    beat_ = Retire{};
    beat_.id = issue_.id;
    beat_.beat = response.beat;
    beat_.has_mask = response.has_mask && d_.mask && !d_.suppressed;
    const auto stays =
        static_cast<uint16_t>((issue_.mask_in & d_.stays) >> valu::kLanes * response.beat);
    beat_.mask = beat_.has_mask ? static_cast<uint16_t>(response.mask | stays) : uint16_t{0};
  }
  beat_.flags |= response.flags;
  if (d_.vector) {
    const unsigned dwords = d_.operand.dwords;
    beat_.dwords = static_cast<uint8_t>(dwords);
    beat_.row = d_.row;
    const unsigned lane0 = valu::kLanes * response.beat;
    const auto write = static_cast<uint16_t>(response.write & (d_.lanes >> lane0));
    beat_.write = write;
    for (unsigned n = first_dword; n < std::min(first_dword + kDwordsPerPass, dwords); ++n) {
      wave::LaneRow row{};
      for (unsigned l = 0; l < valu::kLanes; ++l) {
        const uint64_t value = response.dst[l];
        const uint32_t dword = n % kDwordsPerPass == 0 ? base::lo32(value) : base::hi32(value);
        row[lane0 + l] = dword;
        beat_.data[n][l] = base::bit(write, l) ? dword : 0;
      }
      registers.write(vrf::WritePort::Valu, now, physical(issue_, d_.operand, n),
                      uint64_t{write} << lane0, row);
    }
  }
  if (response.pass + 1u != passes_) return nullptr;
  beat_.last = complete();
  return &beat_;
}

}  // namespace cuvette::simd
