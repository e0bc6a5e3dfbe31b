// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_lockstep.h"

#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "ip/common/sampling.h"
#include "ip/coverage/coverage_samples.h"
#include "simd/lane_file.h"

namespace cuvette::ip {

void SimdLockstep::Registers::write(vrf::WritePort port, machine::Cycle now,
                                    vrf::RowAddress address, uint64_t lanes,
                                    const wave::LaneRow& data) {
  std::swap(owner_.fill, owner_.device_->fill);
  owner_.device_->registers().write(port, now, address, lanes, data);
  std::swap(owner_.fill, owner_.device_->fill);
  owner_.reference_.write(port, now, address, lanes, data);
  owner_.written(address, lanes);
  owner_.replaced(address, lanes);
  if (owner_.exact()) owner_.schedule_.direct_write(owner_.fill.size());
}

/// What was sent through `fill` and is not taken yet comes before a row written past the channels.
void SimdLockstep::replaced(vrf::RowAddress address, uint64_t lanes) {
  const size_t rows = address.acc ? config_.registers.acc_rows : config_.registers.rows;
  note_fills();
  for (size_t n = 0; n < fill.size(); ++n) {
    const vrf::RowAddress other = fill.peek(n).row;
    if (other.acc != address.acc || other.row % rows != address.row % rows) continue;
    fill_lanes_[n] &= ~lanes;
  }
}

void SimdLockstep::note_fills() {
  while (fill_lanes_.size() < fill.size()) {
    fill_lanes_.push_back(fill.peek(fill_lanes_.size()).lanes);
  }
}

SimdLockstep::SimdLockstep(std::unique_ptr<simd::Simd> device, const simd::Config& config,
                           Observer on_mismatch, Device probe, const Options& options)
    : config_(config),
      options_(options),
      device_(std::move(device)),
      reference_(config.registers),
      registers_(*this),
      on_mismatch_(std::move(on_mismatch)),
      probe_(std::move(probe)) {
  written_[0].resize(config.registers.rows);
  written_[1].resize(config.registers.acc_rows);
}

machine::Cycle SimdLockstep::next_event() const {
  return std::min(
      {device_->next_event(), issue.next_event(), fill.next_event(), read.next_event()});
}

void SimdLockstep::hand_over(machine::Cycle now) {
  const auto swap = [this] {
    std::swap(issue, device_->issue);
    std::swap(retire, device_->retire);
    std::swap(fill, device_->fill);
    std::swap(read, device_->read);
    std::swap(row_data, device_->row_data);
  };
  swap();
  device_->tick(now);
  swap();
}

void SimdLockstep::tick(machine::Cycle now) {
  now_ = now;
  if (since_audit_ >= kAuditAfter && options_.share == 1) audit();
  if (mismatch_) return hand_over(now);
  const simd::Issue* visible = issue.front(now);
  const bool filling = fill.front(now) != nullptr;
  const bool ready = retire.can_push(now);
  simd::Schedule::Ports ports;
  ports.issue = visible;
  ports.fill = filling;
  ports.read = read.front(now) != nullptr;
  ports.reading = !rows_.empty();
  ports.retire_ready = ready;
  const bool busy =
      !schedule_.idle() || visible != nullptr || filling || ports.read || ports.reading;
  simd::Schedule::Moved due;
  if (exact() && busy) due = schedule_.cycle(ports);

  // What the device may take in this tick, before it does.
  std::optional<simd::Issue> offered;
  if (visible != nullptr) offered = *visible;
  std::deque<simd::Fill> rows;
  for (size_t n = 0; n < fill.size(); ++n) rows.push_back(fill.peek(n));
  std::deque<simd::ReadRow> wanted;
  for (size_t n = 0; n < read.size(); ++n) wanted.push_back(read.peek(n));
  const size_t retired = retire.size(), answered = row_data.size();
  note_fills();
  hand_over(now);

  const size_t fills = rows.size() - fill.size();
  for (size_t n = 0; n < fills; ++n) {
    reference_.write(rows[n].port, now, rows[n].row, fill_lanes_.front(), rows[n].data);
    fill_lanes_.pop_front();
    written(rows[n].row, rows[n].lanes);
  }
  for (size_t n = 0; n < wanted.size() - read.size(); ++n) {
    simd::RowData answer;
    answer.id = wanted[n].id;
    reference_.read(wanted[n].port, now, wanted[n].row, answer.data);
    rows_.push_back(answer);
  }
  const bool taken = offered.has_value() && issue.empty();
  if (taken) take_issue(*offered);
  ask_device();
  if (mismatch_) return;
  const size_t given = retire.size() - retired;
  for (size_t n = retired; n < retire.size() && !mismatch_; ++n) check(retire.peek(n));
  for (size_t n = answered; n < row_data.size() && !mismatch_; ++n) check_row(row_data.peek(n));
  if (mismatch_ || !exact() || !busy) return;
  ++counts_.times;
  const auto judge = [this](bool is, bool expected, const char* what) {
    if (is == expected || mismatch_) return;
    fail("timing", std::string(what) + (is ? " too early" : " too late"),
         under_way_.empty() ? nullptr : &under_way_.front());
  };
  judge(taken, due.issue, "an instruction is taken");
  judge(given != 0, due.retire, "a beat retires");
  judge(fills != 0, due.fill, "a row goes in");
}

void SimdLockstep::take_issue(const simd::Issue& issue_taken) {
  if (under_way_.size() == kMostUnanswered) {
    return fail("order", std::to_string(kMostUnanswered) + " instructions have no result",
                &under_way_.front());
  }
  SimdTransaction t;
  t.issue = issue_taken;
  t.taken = now_;
  for (unsigned s = 0; s < 3; ++s) {
    const isa::Operand operand = simd::indexed(t.issue, t.issue.instruction.src[s], s);
    if (operand.kind != isa::OperandKind::Vgpr && operand.kind != isa::OperandKind::Agpr) continue;
    t.sources.emplace_back();
    reference_.read(vrf::ReadPort::Backdoor, now_, simd::physical(t.issue, operand),
                    t.sources.back());
  }
  remember_rows(t);
  const bool follows = std::any_of(under_way_.begin(), under_way_.end(), [&](const auto& other) {
    return !other.sampled && other.issue.slot == t.issue.slot;
  });
  t.sampled = sampled(taken_++, options_.share) && !follows;
  if (t.sampled) simd::execute_whole(t.issue, config_.target, reference_, now_, t.expected);
  if (Coverage* coverage = Coverage::current()) cover_simd_order(*coverage, !under_way_.empty());
  under_way_.push_back(std::move(t));
}

/// Every row the instruction may read: sources and destinations, indexed or not, and register 0 for
/// those out of range.
void SimdLockstep::remember_rows(SimdTransaction& t) {
  const isa::Instruction& i = t.issue.instruction;
  const auto add = [&](const isa::Operand& operand) {
    const bool acc = operand.kind == isa::OperandKind::Agpr;
    if (!acc && operand.kind != isa::OperandKind::Vgpr) return;
    const unsigned limit = acc ? t.issue.acc_count : t.issue.vgpr_count;
    for (unsigned n = 0; n < operand.dwords && limit != 0; ++n) {
      isa::Operand o = operand;
      const bool in_range = operand.index + n < limit;
      if (!in_range) o.index = 0;
      SimdRow row;
      row.address = simd::physical(t.issue, o, in_range ? n : 0);
      const bool known = std::any_of(t.rows.begin(), t.rows.end(), [&](const SimdRow& other) {
        return other.address.acc == row.address.acc && other.address.row == row.address.row;
      });
      if (known) continue;
      reference_.read(vrf::ReadPort::Backdoor, now_, row.address, row.data);
      t.rows.push_back(row);
    }
  };
  for (unsigned s = 0; s < 4; ++s) {
    add(i.src[s]);
    add(simd::indexed(t.issue, i.src[s], s));
  }
  for (const isa::Operand& o : i.dst) {
    add(o);
    for (const unsigned which : {2u, 3u}) add(simd::indexed(t.issue, o, which));
  }
}

/// What the device made of an instruction that is not compared.
void SimdLockstep::take_over(const simd::Retire& actual) {
  for (unsigned n = 0; n < actual.dwords && n < actual.data.size(); ++n) {
    wave::LaneRow lanes{};
    const unsigned first = actual.beat * valu::kLanes;
    std::copy(actual.data[n].begin(), actual.data[n].end(), lanes.begin() + first);
    vrf::RowAddress address = actual.row;
    address.row = static_cast<uint16_t>(address.row + n);
    reference_.write(vrf::WritePort::Valu, now_, address, uint64_t{actual.write} << first, lanes);
  }
}

void SimdLockstep::check(const simd::Retire& actual) {
  const auto found = std::find_if(under_way_.begin(), under_way_.end(),
                                  [&](const auto& t) { return t.issue.id == actual.id; });
  if (found == under_way_.end()) {
    return fail("order", "a beat of id " + std::to_string(actual.id) + ", which is not under way",
                under_way_.empty() ? nullptr : &under_way_.front());
  }
  for (auto t = under_way_.begin(); t != under_way_.end(); ++t) {
    if (t == found) continue;
    const bool older = t < found && t->issue.slot == found->issue.slot;
    const bool begun = t->given != 0;
    if (older || begun) {
      return fail("order",
                  "a beat of id " + std::to_string(actual.id) + " before the end of id " +
                      std::to_string(t->issue.id),
                  &*found);
    }
  }
  bool complete = actual.last;
  if (found->sampled) {
    check_beat(*found, found->expected[found->given], actual);
    if (mismatch_) return;
    ++counts_.beats;
    complete = found->given + 1 == found->expected.size();
  } else {
    take_over(actual);
  }
  for (uint16_t n = 0; n < actual.dwords; ++n) {
    written({actual.row.acc, static_cast<uint16_t>(actual.row.row + n)},
            uint64_t{actual.write} << actual.beat * valu::kLanes);
    wrote_ = wrote_ || actual.write != 0;
  }
  ++found->given;
  if (complete) finish(static_cast<size_t>(found - under_way_.begin()));
}

void SimdLockstep::check_beat(SimdTransaction& t, const simd::Retire& want,
                              const simd::Retire& got) {
  const auto differs = [&](const char* field, uint64_t expected, uint64_t actual) {
    if (expected == actual || mismatch_) return;
    SimdMismatch m;
    m.field = field;
    m.expected = expected;
    m.actual = actual;
    fail(std::move(m), &t, &want, &got);
  };
  differs("beat", want.beat, got.beat);
  differs("last", want.last, got.last);
  differs("dwords", want.dwords, got.dwords);
  differs("write", want.write, got.write);
  if (want.write != 0) {
    const auto number = [](vrf::RowAddress r) { return uint64_t{r.acc} << 16 | r.row; };
    differs("row", number(want.row), number(got.row));
  }
  differs("has_mask", want.has_mask, got.has_mask);
  differs("mask", want.mask, got.mask);
  differs("has_scalar", want.has_scalar, got.has_scalar);
  if (want.has_scalar) differs("scalar", want.scalar, got.scalar);
  for (unsigned n = 0; n < want.dwords; ++n) {
    for (unsigned l = 0; l < valu::kLanes; ++l) {
      if (!base::bit(want.write, l)) continue;
      ++counts_.lanes;
      if (want.data[n][l] == got.data[n][l] || mismatch_) continue;
      SimdMismatch m;
      m.field = "data";
      m.dword = static_cast<int>(n);
      m.lane = static_cast<int>(want.beat * valu::kLanes + l);
      m.expected = want.data[n][l];
      m.actual = got.data[n][l];
      fail(std::move(m), &t, &want, &got);
    }
  }
  counts_.masks += want.has_mask ? 1 : 0;
  counts_.scalars += want.has_scalar ? 1 : 0;
  t.flags |= got.flags;
  if (!want.last) return;
  ++counts_.flags;
  uint8_t flags = 0;
  for (const simd::Retire& beat : t.expected) flags |= beat.flags;
  differs("flags", flags, t.flags);
}

void SimdLockstep::check_row(const simd::RowData& actual) {
  if (rows_.empty()) return fail("order", "a row nobody asked for");
  const simd::RowData want = rows_.front();
  rows_.pop_front();
  ++counts_.rows;
  if (want.id == actual.id && want.data == actual.data) return;
  SimdMismatch m;
  m.field = "row_data";
  m.expected = want.id;
  m.actual = actual.id;
  for (unsigned l = 0; l < wave::kLanes && want.id == actual.id; ++l) {
    if (want.data[l] == actual.data[l]) continue;
    m.lane = static_cast<int>(l);
    m.expected = want.data[l];
    m.actual = actual.data[l];
    break;
  }
  fail(std::move(m));
}

void SimdLockstep::written(vrf::RowAddress row, uint64_t lanes) {
  std::vector<Row>& file = written_[row.acc ? 1 : 0];
  if (lanes == 0 || row.row >= file.size()) return;
  file[row.row].lanes |= lanes;
  file[row.row].unread = true;
}

void SimdLockstep::audit() {
  if (mismatch_ || !probe_.read_back) return;
  if (exact() && !schedule_.idle()) return;
  if (!under_way_.empty() || !rows_.empty() || !probe_.idle()) return;
  since_audit_ = 0;
  for (const bool acc : {false, true}) {
    std::vector<Row>& file = written_[acc ? 1 : 0];
    for (size_t row = 0; row < file.size() && !mismatch_; ++row) {
      if (file[row].unread) read_back({acc, static_cast<uint16_t>(row)}, file[row].lanes);
      file[row].unread = false;
    }
  }
  if (!mismatch_) ask_device();
}

bool SimdLockstep::read_nothing_back() const {
  return probe_.read_back && !mismatch_ && counts_.registers == 0 && wrote_;
}

/// What the device itself or its pins have against it.
void SimdLockstep::ask_device() {
  if (!probe_.failure) return;
  if (const auto failure = probe_.failure()) {
    fail(failure->field.c_str(), failure->what, under_way_.empty() ? nullptr : &under_way_.front());
  }
}

void SimdLockstep::read_back(vrf::RowAddress address, uint64_t lanes) {
  SimdMismatch m;
  m.field = "register";
  m.row = address;
  const auto held = probe_.read_back(address);
  if (!held) {
    m.what = "the device gives no answer";
    return fail(std::move(m));
  }
  ++counts_.registers;
  wave::LaneRow want{};
  reference_.read(vrf::ReadPort::Backdoor, now_, address, want);
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    if (!base::bit(lanes, l) || want[l] == (*held)[l]) continue;
    m.lane = static_cast<int>(l);
    m.expected = want[l];
    m.actual = (*held)[l];
    return fail(std::move(m));
  }
}

void SimdLockstep::finish(size_t transaction) {
  ++counts_.instructions;
  ++since_audit_;
  const SimdTransaction& t = under_way_[transaction];
  if (t.sampled) ++counts_.sampled;
  if (Coverage* coverage = Coverage::current(); coverage != nullptr && t.sampled) {
    cover(*coverage, t.issue, t.expected.back().write != 0 ? t.expected.back().dwords : 0u);
  }
  const auto at = under_way_.begin() + static_cast<std::ptrdiff_t>(transaction);
  done_.push_back(std::move(*at));
  under_way_.erase(at);
  if (done_.size() > kHistory) done_.pop_front();
}

std::vector<SimdTransaction> SimdLockstep::recent() const {
  std::vector<SimdTransaction> out(done_.begin(), done_.end());
  out.insert(out.end(), under_way_.begin(), under_way_.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.taken < b.taken; });
  return out;
}

void SimdLockstep::fail(const char* field, const std::string& what, const SimdTransaction* t) {
  SimdMismatch m;
  m.field = field;
  m.what = what;
  fail(std::move(m), t);
}

void SimdLockstep::fail(SimdMismatch m, const SimdTransaction* t, const simd::Retire* expected,
                        const simd::Retire* actual) {
  m.time = now_;
  m.compute_unit = config_.valu.compute_unit;
  m.simd = config_.valu.simd;
  if (t != nullptr) {
    m.id = t->issue.id;
    m.wave = t->issue.wave;
    m.pc = t->issue.pc;
    m.instruction = std::string(t->issue.instruction.row->mnemonic);
  }
  m.transactions = recent();
  write_report(m, t, expected, actual);
  mismatch_ = std::move(m);
  if (on_mismatch_) on_mismatch_(*mismatch_);
}

}  // namespace cuvette::ip
