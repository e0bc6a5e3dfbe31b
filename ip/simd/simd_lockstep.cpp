// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_lockstep.h"

#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "ip/coverage/coverage_samples.h"

namespace cuvette::ip {
namespace {

using simd::Fill;
using simd::Issue;
using simd::ReadRow;
using simd::Retire;
using simd::RowData;

/// A device that has not given a row after so many cycles gives none.
constexpr unsigned kReadBackCycles = 256;

BlockPlace place_of(const simd::Config& config) {
  const auto &unit = config.valu.compute_unit, &simd = config.valu.simd;
  return {"simd", unit, simd,
          "simd of compute unit " + std::to_string(unit) + " SIMD " + std::to_string(simd), true};
}

bool is_vector(const isa::Operand& operand) {
  return operand.kind == isa::OperandKind::Vgpr || operand.kind == isa::OperandKind::Agpr;
}

}  // namespace

SimdLockstep::SimdLockstep(std::unique_ptr<PinDevice> device, const simd::Config& config,
                           const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : SimdOnPins(config),
      kit_(simd::kChannels, *this, std::make_unique<SimdReference>(config), std::move(device),
           pin_channels(simd::kChannels), place_of(config), options, std::move(on_mismatch)) {
  written_[0].resize(config.registers.rows);
  written_[1].resize(config.registers.acc_rows);
  kit_.keep_clock(0);
  kit_.expect_taking();
  kit_.before_conclusion([this] { conclude(); });
  bind(kit_);
  if (options.timing.kind == machine::TimingRule::Kind::Exact) bind_timing();
  auto& in = kit_.input<Issue>(SimdPin::kIssue);
  in.admit([this](Issue& message) { return admit(message); });
  in.on_taken([this](const Issue& message, machine::Cycle now) { take(message, now); });
  kit_.input<Fill>(SimdPin::kFill).on_taken([this](const Fill& row, machine::Cycle) {
    written(row.row, row.lanes);
  });
  auto& out = kit_.output<Retire>(SimdPin::kRetire);
  out.on_arrived([this](const Retire& beat, machine::Cycle) { check_order(beat); });
  out.on_given([this](const Retire& beat, machine::Cycle) { complete(beat); });
  out.explain([this](const Retire& want, const Retire& got) { return explain(want, got); });
}

void SimdLockstep::bind_timing() {
  auto timing = std::make_unique<SimdTiming>(fill);
  timing_ = timing.get();
  kit_.schedule(std::move(timing));
}

void SimdLockstep::begin_cycle(machine::Cycle now) {
  SimdOnPins::begin_cycle(now);
  if (!exact()) return;
  simd::Schedule::Ports ports;
  ports.issue = issue.front(now);
  ports.fill = fill.front(now) != nullptr;
  ports.read = read.front(now) != nullptr;
  ports.reading = reading();
  ports.retire_ready = retire.can_push(now);
  timing_->begin(ports);
}

void SimdLockstep::tick(machine::Cycle now) {
  if (since_audit_ >= kAuditAfter) audit();
  kit_.tick(now);
}

void SimdLockstep::on_write() {
  if (exact()) timing_->direct_write();
}

void SimdLockstep::take(const Issue& message, machine::Cycle now) {
  if (Coverage* coverage = Coverage::current()) cover_simd_order(*coverage, !under_way_.empty());
  SimdTransaction t;
  t.issue = message;
  t.taken = now;
  for (unsigned s = 0; s < 3; ++s) {
    const isa::Operand operand = simd::indexed(message, message.instruction.src[s], s);
    if (is_vector(operand)) t.sources.push_back(reference().row(simd::physical(message, operand)));
  }
  under_way_.push_back(std::move(t));
}

SimdTransaction* SimdLockstep::find(uint32_t id) {
  const auto found =
      std::ranges::find_if(under_way_, [id](const auto& t) { return t.issue.id == id; });
  return found != under_way_.end() ? &*found : nullptr;
}

/// Instructions of a slot retire in their order, and beats of one follow each other.
void SimdLockstep::check_order(const Retire& beat) {
  const auto wrong = [&](const std::string& what) {
    kit_.fail("order", "retire: a beat of id " + std::to_string(beat.id) + what);
  };
  SimdTransaction* const t = find(beat.id);
  if (t == nullptr) return wrong(", which is not under way");
  if (beat.dwords > beat.data.size()) {
    return kit_.fail("dwords", "retire: a beat of " + std::to_string(beat.dwords) +
                                   " registers, at most " + std::to_string(beat.data.size()) +
                                   " can be written");
  }
  for (const SimdTransaction& other : under_way_) {
    if (&other == t) break;
    if (other.issue.slot != t->issue.slot) continue;
    return wrong(" before those of id " + std::to_string(other.issue.id) + " of the same slot");
  }
  for (const SimdTransaction& other : under_way_) {
    if (&other == t || other.given == 0) continue;
    return wrong(" between those of id " + std::to_string(other.issue.id));
  }
  ++t->given;
  t->flags |= beat.flags;
  for (unsigned n = 0; n < beat.dwords; ++n) {
    vrf::RowAddress row = beat.row;
    row.row = static_cast<uint16_t>(row.row + n);
    written(row, uint64_t{beat.write} << beat.beat * contract::kBeatLanes);
    wrote_ |= beat.write != 0;
  }
}

/// A beat without a difference, the last one of its instruction or not.
void SimdLockstep::complete(const Retire& beat) {
  if (!beat.last) return;
  SimdTransaction* const t = find(beat.id);
  const uint8_t flags = reference().take_flags(beat.id);
  if (t->flags != flags) {
    return kit_.fail("flags",
                     "retire: field flags, the union over the beats: expected " +
                         recording::hex(flags) + ", the device gives " + recording::hex(t->flags),
                     difference_text(*t, beat, beat));
  }
  if (Coverage* coverage = Coverage::current()) {
    cover(*coverage, t->issue, beat.write != 0 ? beat.dwords : 0u);
  }
  kit_.count("instructions");
  ++since_audit_;
  std::erase_if(under_way_, [id = beat.id](const auto& of) { return of.issue.id == id; });
}

std::string SimdLockstep::explain(const Retire& want, const Retire& got) {
  const SimdTransaction* const t = find(want.id);
  return t != nullptr ? difference_text(*t, want, got) : std::string();
}

/// A recorded instruction has no target, and its operands have no types and no directions: the row
/// has them.
std::string SimdLockstep::admit(Issue& message) const {
  isa::Instruction& i = message.instruction;
  if (i.row == nullptr || !implements(*i.row, i.encoding, i.mod)) {
    return "'row' is no instruction of the device";
  }
  i.target = config().target;
  const auto complete = [](isa::Operand& operand, const isa::OperandSpec& of_row) {
    if (operand.kind == isa::OperandKind::None) return;
    operand.type = of_row.type;
    operand.read = of_row.read;
    operand.write = of_row.write;
  };
  for (unsigned n = 0; n < std::size(i.row->dst); ++n) complete(i.dst[n], i.row->dst[n]);
  for (unsigned n = 0; n < std::size(i.row->src); ++n) complete(i.src[n], i.row->src[n]);
  return {};
}

void SimdLockstep::written(vrf::RowAddress row, uint64_t lanes) {
  std::vector<Written>& file = written_[row.acc ? 1 : 0];
  if (lanes == 0 || row.row >= file.size()) return;
  file[row.row].lanes |= lanes;
  file[row.row].unread = true;
}

void SimdLockstep::audit() {
  if (mismatch() || !kit_.idle() || (exact() && !timing_->idle())) return;
  since_audit_ = 0;
  for (const bool acc : {false, true}) {
    std::vector<Written>& file = written_[acc ? 1 : 0];
    for (size_t row = 0; row < file.size() && !mismatch(); ++row) {
      if (file[row].unread) compare_row({acc, static_cast<uint16_t>(row)}, file[row].lanes);
      file[row].unread = false;
    }
  }
  if (const auto failure = kit_.device().failure()) kit_.fail(failure->field, failure->what);
}

void SimdLockstep::compare_row(vrf::RowAddress row, uint64_t lanes) {
  const auto held = read_back(row);
  if (mismatch()) return;
  if (!held) return kit_.fail("register", row_text(row) + ": the device gives no answer");
  kit_.count("registers");
  ++read_back_;
  const wave::LaneRow want = reference().row(row);
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    if (!base::bit(lanes, l) || want[l] == (*held)[l]) continue;
    return kit_.fail("register", row_text(row) + " lane " + std::to_string(l) + ": expected " +
                                     recording::hex(want[l]) + ", the device holds " +
                                     recording::hex((*held)[l]));
  }
}

/// Asks for a row through the pins, in clock cycles of the device alone.
std::optional<wave::LaneRow> SimdLockstep::read_back(vrf::RowAddress row) {
  PinDevice& device = kit_.device();
  machine::Channel<ReadRow> asks{1};
  machine::Channel<RowData> rows{1};
  std::deque<ReadRow> none;
  ToDevice<ReadRow> to(
      SimdPin::kRead, asks, none, [](const ReadRow&, machine::Cycle) {},
      [](const ReadRow&, machine::Cycle) {});
  FromDevice<RowData> from(
      SimdPin::kRowData, rows, [](RowData&, machine::Cycle) { return true; },
      [](bool, machine::Cycle) {});
  contract::Pins<Retire> unwanted{};  // looked at by a monitor around the device
  const ReadRow asked{0, vrf::ReadPort::Backdoor, row};
  asks.push(asked, 0);
  for (machine::Cycle now = 0; now < kReadBackCycles && rows.empty(); ++now) {
    device.drive(SimdPin::kIssue, nullptr);
    device.drive(SimdPin::kFill, nullptr);
    device.accept(SimdPin::kRetire, false);
    to.offer(device, now);
    from.offer(device, now);
    to.look(device);
    from.look(device);
    (void)device.sample(SimdPin::kRetire, reinterpret_cast<uint8_t*>(unwanted.data()));
    device.clock();
    to.move(now);
    from.move(now);
  }
  if (const std::string wrong = from.violation(); !wrong.empty()) {
    kit_.fail("protocol", "row_data: " + wrong);
  }
  if (rows.empty()) return std::nullopt;
  const RowData got = rows.pop(rows.next_event());
  if (got.id != asked.id) {
    kit_.fail("protocol", "row_data: a row of id " + std::to_string(got.id) + ", expected id " +
                              std::to_string(asked.id));
  }
  return got.data;
}

void SimdLockstep::conclude() {
  audit();
  if (mismatch() || !wrote_ || read_back_ != 0) return;
  kit_.fail("register", "no row was read back: whenever it could be, something was under way");
}

}  // namespace cuvette::ip
