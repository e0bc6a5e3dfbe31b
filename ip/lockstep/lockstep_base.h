// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ip/common/answer_watch.h"
#include "ip/lockstep/message_history.h"
#include "ip/lockstep/mismatch.h"
#include "ip/lockstep/pin_adapter.h"
#include "ip/lockstep/schedule.h"
#include "ip/lockstep/trail.h"

namespace cuvette::ip {

class LockstepBase;

/// A channel of a block in lockstep, between the pins of the device, the shell and the reference.
class LockstepPort {
 public:
  LockstepPort(LockstepBase& owner, unsigned pin) : owner_(owner), pin_(pin) {}
  virtual ~LockstepPort() = default;
  LockstepPort(const LockstepPort&) = delete;
  LockstepPort& operator=(const LockstepPort&) = delete;

  /// Compares what the device gave in this cycle and hands it on; whether there was anything.
  virtual bool settle(machine::Cycle) { return false; }
  /// The reference has given what the device has not, or the other way round.
  virtual bool due() const { return false; }
  /// Messages of a request are to come.
  virtual bool open() const { return false; }
  /// The device has to wait: the receiver has no room.
  virtual bool stalled() const { return false; }

  /// The log of what is asked here, for the port that answers: a shared_ptr<RequestLog<M>>.
  virtual std::any requests() const { return {}; }
  virtual void answer(const std::any&) {}

  virtual recording::Json json(const std::vector<uint32_t>& beats) const = 0;
  virtual void collect(std::vector<NumberedTransaction>& out) const = 0;

  // For a rerun; see LockstepView.
  virtual bool has_room(machine::Cycle) const { return true; }
  virtual void feed(recording::Line& line, const recording::Json&, machine::Cycle) {
    line.fail("messages of this channel come from the device");
  }
  virtual void set_ready(bool) {}
  virtual void drain(machine::Cycle) {}

  /// Counters of a channel from the device: messages, values compared in them, messages whose time
  /// was.
  struct Counts {
    uint64_t seen = 0, values = 0, times = 0;
  };
  const Counts& counts() const { return counts_; }
  unsigned pin() const { return pin_; }

 protected:
  LockstepBase& owner_;
  unsigned pin_;
  Counts counts_;
};

/// Lockstep of a block but for the types of its messages: the device on its pins, the first
/// difference and its report, counts, recording and rerun.
class LockstepBase : public LockstepView {
 public:
  using OnMismatch = std::function<void(const BlockMismatch&)>;

  LockstepBase(const contract::ChannelInfo* infos, std::unique_ptr<PinDevice> device,
               std::vector<PinChannel> pins, BlockPlace place, const LockstepOptions& options,
               OnMismatch on_mismatch);

  const std::vector<PinChannel>& pins() const override { return adapter_.channels(); }
  const contract::ChannelInfo& info(unsigned pin) const { return infos_[pins()[pin].channel]; }
  /// The pins of a port of a channel.
  unsigned pin_of(unsigned channel, unsigned port) const;
  PinDevice& device() { return adapter_.device(); }
  const PinDevice& device() const { return adapter_.device(); }
  machine::Cycle now() const { return now_; }
  /// The channel at the pins, in the cycle that ended last.
  const PinEnd& end(unsigned pin) const { return adapter_.end(pin); }
  PinEnd& end(unsigned pin) { return adapter_.end(pin); }

  const std::optional<BlockMismatch>& mismatch() const override { return mismatch_; }
  const LockstepOptions& options() const override { return options_; }
  const BlockPlace& place() const override { return place_; }
  ComparedItems items() const override;
  uint64_t seen() const override;
  uint64_t compared() const override;
  /// The last messages that moved, the oldest first.
  std::vector<Transaction> recent() const;
  /// A message of the history, long lists cut.
  std::string text_of(const Transaction& t) const {
    return recording::brief(ports_[t.pin]->json(t.beats));
  }

  /// Ends the comparison. `detail`: further lines.
  void fail(const std::string& field, const std::string& what, const std::string& detail = {});
  /// A message differs; `detail` as of fail().
  void differ(unsigned pin, const std::vector<contract::Difference>& all,
              const std::string& detail);
  /// Times are compared with a schedule in place of the reference's. Before the first tick.
  void schedule(std::unique_ptr<Schedule> schedule) { schedule_ = std::move(schedule); }
  /// Lets the clock of the device go on for `cycles` after the last message has moved: as many as
  /// it may need for a message that nobody waits for.
  void keep_clock(machine::Cycle cycles) { drain_ = cycles; }
  /// The device waits for nobody but the receivers of its answers: it has to take every message
  /// within the limit of AnswerWatch.
  void expect_taking() { must_take_ = true; }
  /// The device may leave messages of the channel at the pins for as long as it likes.
  void may_leave(unsigned pin) { left_.insert(pin); }
  /// Every message is compared, whatever the share: who feeds the block has chosen the sample.
  void compare_all() { share_ = 1; }
  uint32_t share() const { return share_; }
  /// Units of work that the device does not see ("instruction"), for the counts.
  void pass_by(const char* unit, uint64_t count) {
    unit_ = unit;
    passed_by_ += count;
  }
  bool has_schedule() const { return schedule_ != nullptr; }
  /// Further items for items(): "instructions".
  void count(const std::string& what, uint64_t count = 1) { counted_[what] += count; }
  using Watcher = std::function<void(machine::Cycle)>;
  /// Called around each clock cycle of the device: before it, and when it has been compared.
  void on_cycle(Watcher before, Watcher after) {
    before_cycle_ = std::move(before);
    after_cycle_ = std::move(after);
  }
  /// Called first at the end of a run.
  void before_conclusion(std::function<void()> check) { before_conclusion_ = std::move(check); }

  bool record(Recorder& recorder, recording::Json head) override;
  base::Status trace(const std::string& path) override { return adapter_.device().trace(path); }
  bool has_room(unsigned pin, machine::Cycle now) const override {
    return ports_[pin]->has_room(now);
  }
  void feed(unsigned pin, recording::Line& line, const recording::Json& message,
            machine::Cycle at) override {
    ports_[pin]->feed(line, message, at);
  }
  void set_ready(unsigned pin, bool ready) override { ports_[pin]->set_ready(ready); }
  void drain(machine::Cycle now) override;

  // For the ports.
  /// Something moved; the number of the message among all.
  uint64_t moved() {
    moved_ = true;
    return numbers_++;
  }
  template <class M>
  void note(PinEvent::Kind kind, unsigned pin, const M& message, machine::Cycle now) {
    if (recorder_ == nullptr && !trail_.is_whole()) return;
    note({kind, pin, now, true, beats_of(message)});
  }
  void note(PinEvent event);
  /// Cycles so far in which a channel from the device had to wait.
  uint64_t stalls() const { return stalls_; }

 protected:
  bool answers_due() const;
  /// The name of a channel with a message that the device has to take; empty: there is none.
  std::string untaken() const;
  bool requests_open() const;
  std::string due_text() const;
  /// One cycle, in which the receivers were ready or not. Text when nothing has moved at the pins
  /// for ten times the limit of AnswerWatch although a message is offered: who depends on the block
  /// waits for ever then, and what the device waits for is not at the pins.
  std::string standstill(bool ready);
  /// After the edge and the tick of the reference: the comparison of this cycle.
  void compare(machine::Cycle now);
  void write(const PinEvent& event);

  const contract::ChannelInfo* infos_;
  PinAdapter adapter_;
  BlockPlace place_;
  LockstepOptions options_;
  OnMismatch on_mismatch_;
  AnswerWatch watch_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::unique_ptr<LockstepPort>> ports_;  ///< as pins() counts
  Trail trail_;
  Recorder* recorder_ = nullptr;
  unsigned object_ = 0;
  std::optional<contract::Difference> difference_;  ///< the one that ended the comparison
  std::optional<BlockMismatch> mismatch_;
  machine::Cycle now_ = 0, active_until_ = 0, drain_ = 64;
  uint64_t passed_by_ = 0;
  const char* unit_ = "";
  ComparedItems counted_;  ///< by what was counted, without the block
  std::function<void()> before_conclusion_;
  Watcher before_cycle_, after_cycle_;
  uint32_t share_;
  uint64_t numbers_ = 0, stalls_ = 0;
  std::set<unsigned> left_;  ///< pins, by may_leave()
  uint64_t standing_ = 0;    ///< cycles, by standstill()
  bool moved_ = false, must_take_ = false;
};

}  // namespace cuvette::ip
