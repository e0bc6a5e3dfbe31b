// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/lockstep/lockstep_base.h"

#include <algorithm>

namespace cuvette::ip {
namespace {

bool is_timed(const LockstepOptions& options) {
  return options.timing.kind != machine::TimingRule::Kind::Ignore;
}

std::string plural(const std::string& channel) {
  if (channel.ends_with("ss") || channel.ends_with("ch")) return channel + "es";
  return channel.ends_with("data") || channel.ends_with("s") ? channel : channel + "s";
}

}  // namespace

LockstepBase::LockstepBase(const contract::ChannelInfo* infos, std::unique_ptr<PinDevice> device,
                           std::vector<PinChannel> pins, BlockPlace place,
                           const LockstepOptions& options, OnMismatch on_mismatch)
    : infos_(infos),
      adapter_(std::move(device), std::move(pins)),
      place_(std::move(place)),
      options_(options),
      on_mismatch_(std::move(on_mismatch)),
      watch_(options.timing),
      share_(options.share) {
  ports_.resize(this->pins().size());
}

unsigned LockstepBase::pin_of(unsigned channel, unsigned port) const {
  const auto& all = pins();
  const auto found = std::ranges::find_if(
      all, [&](const PinChannel& p) { return p.channel == channel && p.port == port; });
  return static_cast<unsigned>(found - all.begin());
}

ComparedItems LockstepBase::items() const {
  ComparedItems all;
  for (const auto& port : ports_) {
    const PinChannel& pin = pins()[port->pin()];
    if (pin.to_device) continue;
    const auto& c = port->counts();
    all[place_.block + " " + plural(infos_[pin.channel].name)] += c.seen;
    all[place_.block + " values"] += c.values;
    if (is_timed(options_)) all[place_.block + " times"] += c.times;
  }
  for (const auto& [what, count] : counted_) all[place_.block + " " + what] += count;
  if (passed_by_ != 0) all[place_.block + " " + unit_ + "s not in the sample"] += passed_by_;
  if (schedule_ != nullptr && is_timed(options_)) {
    all[place_.block + " times"] += schedule_->compared();
  }
  return all;
}

uint64_t LockstepBase::seen() const {
  uint64_t sum = passed_by_;
  for (const auto& port : ports_) sum += port->counts().seen;
  return sum;
}

uint64_t LockstepBase::compared() const {
  uint64_t sum = 0;
  for (const auto& port : ports_) sum += port->counts().values;
  return sum;
}

std::vector<Transaction> LockstepBase::recent() const {
  std::vector<NumberedTransaction> all;
  for (const auto& port : ports_) port->collect(all);
  std::ranges::sort(all, {}, &NumberedTransaction::number);
  const size_t cut = all.size() - std::min(all.size(), kRememberedTransactions);
  std::vector<Transaction> out;
  for (size_t n = cut; n < all.size(); ++n) out.push_back(std::move(all[n].transaction));
  return out;
}

void LockstepBase::compare(machine::Cycle now) {
  // A beat that breaks the rules of the pins is not compared.
  if (const auto failure = adapter_.failure()) return fail(failure->field, failure->what);
  const bool awaited = answers_due();
  const bool offered = !awaited && !untaken().empty();
  bool answered = false, ready = true;
  for (const auto& port : ports_) {
    answered |= port->settle(now);
    ready &= !port->stalled();
  }
  if (!ready) ++stalls_;
  if (moved_) active_until_ = now + drain_;
  if (mismatch_) return;
  if (schedule_ != nullptr && is_timed(options_)) {
    if (const std::string wrong = schedule_->check(adapter_, now); !wrong.empty()) {
      return fail("time", wrong);
    }
  }
  if (watch_.is_over(awaited || offered, ready, answered || (offered && moved_))) {
    return fail("missing",
                "no message in " + std::to_string(watch_.limit()) + " cycles, " + due_text());
  }
  if (const std::string stands = standstill(ready); !stands.empty()) fail("missing", stands);
}

std::string LockstepBase::standstill(bool ready) {
  constexpr uint64_t kLimits = 10, kLooks = 1024;
  standing_ = moved_ ? 0 : standing_ + (ready ? 1 : 0);
  if (standing_ == 0 || standing_ % kLooks != 0) return {};
  const auto offered = std::ranges::find_if(ports_, [this](const auto& port) {
    const unsigned pin = port->pin();
    return pins()[pin].to_device && adapter_.end(pin).at_pins() && left_.count(pin) == 0;
  });
  if (offered == ports_.end()) standing_ = 0;
  if (standing_ <= kLimits * watch_.limit()) return {};
  return "nothing moves in " + std::to_string(standing_) + " cycles, a message of " +
         pins()[(*offered)->pin()].name + " is not taken";
}

// While messages of a request are to come, nobody can answer it.
bool LockstepBase::answers_due() const {
  return !requests_open() &&
         std::ranges::any_of(ports_, [](const auto& port) { return port->due(); });
}

std::string LockstepBase::untaken() const {
  for (unsigned pin = 0; must_take_ && pin < pins().size(); ++pin) {
    const PinEnd& end = adapter_.end(pin);
    if (pins()[pin].to_device && end.at_pins() && !end.moved()) return pins()[pin].name;
  }
  return {};
}

bool LockstepBase::requests_open() const {
  return std::ranges::any_of(ports_, [](const auto& port) { return port->open(); });
}

std::string LockstepBase::due_text() const {
  for (const auto& port : ports_) {
    if (port->due()) return "the reference has given a " + std::string(info(port->pin()).name);
  }
  const std::string channel = untaken();
  return channel.empty() ? "nothing is due" : "a message of " + channel + " is not taken";
}

void LockstepBase::differ(unsigned pin, const std::vector<contract::Difference>& all,
                          const std::string& detail) {
  const contract::Difference& first = all.front();
  std::string what = pins()[pin].name + ": field " + first.field->name;
  if (first.row >= 0) what += ", row " + std::to_string(first.row);
  if (first.lane >= 0) what += ", lane " + std::to_string(first.lane);
  what += ": expected " + recording::hex(first.expected) + ", the device gives " +
          recording::hex(first.actual);
  if (all.size() > 1) what += " (and " + std::to_string(all.size() - 1) + " more values)";
  difference_ = first;
  fail(first.field->name, what, detail);
}

void LockstepBase::fail(const std::string& field, const std::string& what,
                        const std::string& detail) {
  if (mismatch_) return;
  BlockMismatch m;
  m.time = now_;
  m.compute_unit = place_.compute_unit;
  m.simd = place_.index;
  m.field = field;
  if (difference_) {
    m.row = difference_->row;
    m.lane = difference_->lane;
    m.expected = difference_->expected;
    m.actual = difference_->actual;
  }
  m.transactions = recent();
  m.report = "block " + place_.text + ", cycle " + std::to_string(now_) + ": " + what;
  if (!detail.empty()) m.report += "\n  " + detail;
  m.report += "\n  last transactions:";
  for (const Transaction& t : m.transactions) {
    m.report += "\n  " + std::to_string(t.time) + " " + pins()[t.pin].name + " " + text_of(t);
  }
  mismatch_ = std::move(m);
  if (on_mismatch_) on_mismatch_(*mismatch_);
}

bool LockstepBase::record(Recorder& recorder, recording::Json head) {
  if (!trail_.is_whole()) return false;
  recorder_ = &recorder;
  object_ = recorder.add(std::move(head));
  for (const PinEvent& event : trail_.take()) write(event);
  return true;
}

void LockstepBase::note(PinEvent event) {
  recorder_ != nullptr ? write(event) : trail_.add(std::move(event));
}

void LockstepBase::write(const PinEvent& event) {
  static constexpr const char* kKeys[] = {"offered", "given", "ready"};
  const bool ready = event.kind == PinEvent::Kind::Ready;
  recorder_->write(object_, event.at, pins()[event.pin].name,
                   kKeys[static_cast<size_t>(event.kind)],
                   ready ? recording::Json(event.ready) : ports_[event.pin]->json(event.beats));
}

void LockstepBase::drain(machine::Cycle now) {
  for (const auto& port : ports_) port->drain(now);
}

}  // namespace cuvette::ip
