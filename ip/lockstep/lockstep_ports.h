// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <any>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ip/common/sampling.h"
#include "ip/lockstep/lockstep_base.h"
#include "ip/lockstep/message_json.h"
#include "ip/lockstep/request_log.h"

namespace cuvette::ip {

/// Trait: true for messages that are answers and carry the id of their request.
template <class M, class = void>
struct IsAnswer : std::false_type {};
template <class M>
struct IsAnswer<M, std::void_t<typename contract::Message<M>::Request>> : std::true_type {};

/// True for messages that say when they are visible: devices drive 0 there.
template <class M, class = void>
struct HasTime : std::false_type {};
template <class M>
struct HasTime<M, std::void_t<decltype(M::time)>> : std::true_type {};

/// Ids from here on are those of injected messages.
inline constexpr uint32_t kFirstInjected = 0xff000000;

template <class M>
recording::Json json_of_beats(const std::vector<uint32_t>& beats) {
  M message{};
  constexpr size_t kWords = std::tuple_size<contract::Pins<M>>::value;
  for (size_t at = 0; at + kWords <= beats.size(); at += kWords) {
    contract::unpack(reinterpret_cast<const uint8_t*>(beats.data() + at), message);
  }
  return recording::message_json(message);
}

/// Channel to the device. A message that the device takes goes to the reference in the same cycle.
template <class M>
class InputPort final : public LockstepPort {
 public:
  /// Called with a message at a point of its way.
  using Watcher = std::function<void(const M&, machine::Cycle)>;
  /// Requests that are kept for their answers: more of a channel without order.
  static constexpr size_t kKeptInOrder = 64, kKept = 4096;

  InputPort(LockstepBase& owner, unsigned pin, machine::Channel<M>& source, std::deque<M>& ahead,
            Watcher to_reference)
      : LockstepPort(owner, pin), source_(source), to_reference_(std::move(to_reference)) {
    if constexpr (HasId<M>::value) {
      log_ = std::make_shared<RequestLog<M>>(owner.info(pin).ordered ? kKeptInOrder : kKept);
    }
    end_ = std::make_unique<ToDevice<M>>(
        pin, source, ahead, [this](const M& m, machine::Cycle now) { offered(m, now); },
        [this](const M& m, machine::Cycle now) { taken(m, now); });
  }

  std::unique_ptr<PinEnd> take_end() { return std::move(end_); }
  /// Watches messages that the device has taken, after the reference has them.
  void on_taken(Watcher watcher) { on_taken_ = std::move(watcher); }
  /// Watches messages when their first beat is at the pins.
  void on_offered(Watcher watcher) { on_offered_ = std::move(watcher); }
  /// Checks messages of a recording, which may hold what no machine sends, and completes them by
  /// what has no pins.
  void admit(std::function<std::string(M&)> check) { admit_ = std::move(check); }
  std::any requests() const override { return log_ != nullptr ? std::any(log_) : std::any(); }

  recording::Json json(const std::vector<uint32_t>& beats) const override {
    return json_of_beats<M>(beats);
  }
  void collect(std::vector<NumberedTransaction>& out) const override {
    history_.collect(pin_, out);
    if (log_ == nullptr) return;
    log_->for_last(kRememberedTransactions, [&](const auto& e) {
      out.push_back({e.number, {pin_, e.taken, beats_of(e.message)}});
    });
  }
  /// The last requests; null where messages have no id.
  const RequestLog<M>* log() const { return log_.get(); }
  bool open() const override { return open_; }
  bool has_room(machine::Cycle now) const override { return source_.can_push(now); }
  void feed(recording::Line& line, const recording::Json& json, machine::Cycle at) override {
    M message{};
    read_message(line, json, message);
    if (!line.ok()) return;
    if (admit_) {
      if (const std::string wrong = admit_(message); !wrong.empty()) return line.fail(wrong);
    }
    source_.push(std::move(message), at);
  }

 private:
  void offered(const M& message, machine::Cycle now) {
    owner_.note(PinEvent::Kind::Offered, pin_, message, now);
    if (on_offered_) on_offered_(message, now);
  }
  void taken(const M& message, machine::Cycle now) {
    const uint64_t number = owner_.moved();
    open_ = !completes(message);
    if (log_ != nullptr) {
      log_->add(message, now, owner_.stalls(), number);
    } else {
      history_.add(message, now, number);
    }
    to_reference_(message, now);
    if (on_taken_) on_taken_(message, now);
  }

  machine::Channel<M>& source_;  ///< of the shell
  bool open_ = false;
  Watcher to_reference_, on_taken_, on_offered_;
  std::function<std::string(M&)> admit_;
  std::unique_ptr<ToDevice<M>> end_;
  std::shared_ptr<RequestLog<M>> log_;  ///< null: messages without id
  MessageHistory<M> history_;           ///< of messages without id
};

/// Channel from the device, between its pins and the shell: history, recording, back-pressure.
template <class M>
class FromDevicePort : public LockstepPort {
 public:
  std::unique_ptr<PinEnd> take_end() { return std::move(end_); }
  bool stalled() const override { return !gate_->ready(); }
  recording::Json json(const std::vector<uint32_t>& beats) const override {
    return json_of_beats<M>(beats);
  }
  void collect(std::vector<NumberedTransaction>& out) const override {
    history_.collect(pin_, out);
  }
  void set_ready(bool ready) override { gate_->set_open(ready); }
  void drain(machine::Cycle now) override {
    while (to_.front(now) != nullptr) to_.drop(now);
  }

 protected:
  /// `given` is called with every message that the device has given; what it leaves goes to the
  /// shell unless it returns false.
  FromDevicePort(LockstepBase& owner, unsigned pin, machine::Channel<M>& of_shell,
                 std::function<bool(M&, machine::Cycle)> given)
      : LockstepPort(owner, pin), to_(of_shell), given_(std::move(given)) {
    end_ = std::make_unique<FromDevice<M>>(
        pin, to_,
        [this](M& message, machine::Cycle now) {
          owner_.note(PinEvent::Kind::Given, pin_, message, now);
          history_.add(message, now, owner_.moved());
          return given_(message, now);
        },
        [this](bool ready, machine::Cycle now) {
          owner_.note({PinEvent::Kind::Ready, pin_, now, ready, {}});
        });
    gate_ = end_.get();
  }

  machine::Channel<M>& to_;

 private:
  std::function<bool(M&, machine::Cycle)> given_;
  std::unique_ptr<FromDevice<M>> end_;
  FromDevice<M>* gate_ = nullptr;
  MessageHistory<M> history_;
};

/// Channel from the device whose messages are compared with those of the reference before they go
/// to the shell.
template <class M>
class OutputPort final : public FromDevicePort<M> {
 public:
  /// Runs the reference ahead of time until the condition holds or nothing more happens in it.
  using RunAhead = std::function<void(const std::function<bool()>&)>;
  /// Function for a message that may come before the reference has it: the message as far as it is
  /// known, the rest as the device gave it. Nothing: the message must not come yet.
  using Early = std::function<std::optional<M>(const M& actual)>;
  using Watcher = std::function<void(const M&, machine::Cycle)>;
  using Explain = std::function<std::string(const M& want, const M& got)>;

  OutputPort(LockstepBase& owner, unsigned pin, machine::Channel<M>& of_reference,
             machine::Channel<M>& of_shell, RunAhead run_ahead)
      : FromDevicePort<M>(owner, pin, of_shell,
                          [this](M& message, machine::Cycle now) {
                            if (on_arrived_) on_arrived_(message, now);
                            given_.push_back(message);
                            return false;  // after its comparison
                          }),
        from_(of_reference),
        run_ahead_(std::move(run_ahead)),
        ordered_(owner.info(pin).ordered) {}

  void early(Early early) { early_ = std::move(early); }
  /// Watches messages that the device has given and in which nothing is wrong as far as is known.
  void on_given(Watcher watcher) { on_given_ = std::move(watcher); }
  /// Watches messages that the device has given, before their comparison.
  void on_arrived(Watcher watcher) { on_arrived_ = std::move(watcher); }
  /// Lines of the report of a difference, in place of the messages as JSON.
  void explain(Explain explain) { explain_ = std::move(explain); }
  void answer(const std::any& requests) override {
    if constexpr (IsAnswer<M>::value) {
      if (const auto* log = std::any_cast<decltype(log_)>(&requests)) log_ = *log;
    }
  }

  bool settle(machine::Cycle now) override {
    settle_early();
    const bool any = !given_.empty();
    for (M& message : given_) {
      if (owner_.mismatch()) break;
      if constexpr (HasTime<M>::value) message.time = now + 1;
      ++counts_.seen;
      if (!check(message, now)) break;
      if (on_given_) on_given_(message, now);
      if (!is_injected(message)) to_.push(message, now + 1);
    }
    given_.clear();
    return any;
  }
  bool due() const override { return !from_.empty() || !drained_.empty() || !waiting_.empty(); }

 private:
  using FromDevicePort<M>::counts_, FromDevicePort<M>::owner_, FromDevicePort<M>::pin_,
      FromDevicePort<M>::to_;
  using Expected = std::pair<M, machine::Cycle>;  ///< when it is visible at the reference
  /// A message of the reference where it lies, and when it is visible there; null: there is none.
  struct Place {
    const M* message = nullptr;
    machine::Cycle due_at = 0;
    typename std::deque<Expected>::iterator at;  ///< of a channel without order
  };

  static bool is_injected([[maybe_unused]] const M& message) {
    if constexpr (IsAnswer<M>::value && HasId<M>::value) {
      return sizeof message.id == 4 && message.id >= kFirstInjected;  // longer ids are others'
    }
    return false;
  }
  /// False: it differs.
  bool check(const M& actual, machine::Cycle now) {
    if (waiting_.empty()) {
      if (const Place there = place_of(actual); there.message != nullptr) {
        const bool right = compare(*there.message, actual) && check_time(actual, there.due_at, now);
        take(there);
        return right;
      }
    }
    if (early_) {
      if (const auto known = early_(actual)) {
        waiting_.push_back(actual);
        return agree(*known, actual).has_value();
      }
    }
    owner_.fail("order", name() + ": a message that the reference does not give",
                recording::brief(recording::message_json(actual)));
    return false;
  }
  /// Messages that came before the reference had them.
  void settle_early() {
    while (!waiting_.empty() && !owner_.mismatch()) {
      const Place there = place_of(waiting_.front());
      if (there.message == nullptr) return;
      compare(*there.message, waiting_.front());
      take(there);
      waiting_.pop_front();
    }
  }
  bool compare(const M& want, const M& actual) {
    if (!sampled(number_++, owner_.share())) return true;
    const auto values = agree(want, actual);
    counts_.values += values.value_or(0);
    return values.has_value();
  }
  /// Number of values compared; nothing when one differs, which is reported.
  std::optional<uint64_t> agree(const M& want, const M& actual) {
    contract::Comparison comparison;
    if constexpr (IsAnswer<M>::value) {
      using Request = typename contract::Message<M>::Request;
      static const Request kNone{};
      const auto* asked = request_of(actual);
      contract::Message<M>::compare(want, actual, asked != nullptr ? asked->message : kNone,
                                    comparison);
    } else {
      contract::Message<M>::compare(want, actual, comparison);
    }
    if (comparison.differences().empty()) return comparison.compared();
    owner_.differ(pin_, comparison.differences(), detail(want, actual));
    return std::nullopt;
  }
  std::string detail(const M& want, const M& actual) const {
    if (explain_) return explain_(want, actual);
    const std::string asked = asked_text(actual);
    return (asked.empty() ? "" : "asked    " + asked + "\n  ") + "expected " +
           recording::brief(recording::message_json(want)) + "\n  actual   " +
           recording::brief(recording::message_json(actual));
  }
  /// Null where messages have no id, or the request is forgotten.
  auto request_of([[maybe_unused]] const M& answer) const {
    if constexpr (!IsAnswer<M>::value) {
      return static_cast<const void*>(nullptr);
    } else if constexpr (HasId<M>::value) {
      return log_ != nullptr ? log_->find(answer.id) : nullptr;
    } else {
      using Request = typename contract::Message<M>::Request;
      return static_cast<const typename RequestLog<Request>::Entry*>(nullptr);
    }
  }
  std::string asked_text(const M& answer) const {
    if constexpr (IsAnswer<M>::value) {
      if (const auto* asked = request_of(answer)) {
        return recording::brief(recording::message_json(asked->message));
      }
    }
    return {};
  }
  bool check_time(const M& actual, machine::Cycle due_at, machine::Cycle now) {
    using Kind = machine::TimingRule::Kind;
    const machine::TimingRule& rule = owner_.options().timing;
    if (rule.kind == Kind::Ignore || owner_.has_schedule()) return true;
    machine::Cycle low = due_at, high = due_at, at = now + 1;
    if (rule.kind == Kind::Bounded) {
      if constexpr (!IsAnswer<M>::value) {
        return true;
      } else {
        const auto* asked = request_of(actual);
        if (asked == nullptr) return true;
        low = rule.min_cycles, high = rule.max_cycles;
        at = now - asked->taken - (owner_.stalls() - asked->stalls);
      }
    }
    ++counts_.times;
    if (at >= low && at <= high) return true;
    owner_.fail("time",
                name() + ": in cycle " + std::to_string(at) + ", expected " +
                    (low == high ? std::to_string(low)
                                 : std::to_string(low) + " to " + std::to_string(high)),
                recording::brief(recording::message_json(actual)));
    return false;
  }
  const std::string& name() const { return owner_.pins()[pin_].name; }

  /// Place of the message of the reference that answers to this one, until take().
  Place place_of(const M& actual) {
    if (!has(actual)) run_ahead_([this, &actual] { return has(actual); });
    if (ordered_) return {from_.front(from_.next_event()), from_.next_event(), {}};
    const auto found = find(actual);
    if (found == drained_.end()) return {};
    return {&found->first, found->second, found};
  }
  void take(const Place& there) {
    ordered_ ? from_.drop(there.due_at) : static_cast<void>(drained_.erase(there.at));
  }
  bool has(const M& actual) {
    if (ordered_) return !from_.empty();
    while (!from_.empty()) {
      const machine::Cycle due_at = from_.next_event();
      drained_.emplace_back(from_.pop(due_at), due_at);
    }
    return find(actual) != drained_.end();
  }
  auto find(const M& actual) {
    return std::find_if(drained_.begin(), drained_.end(), [&actual](const Expected& d) {
      return is_answered_alike(d.first, actual);
    });
  }
  static bool is_answered_alike([[maybe_unused]] const M& a, [[maybe_unused]] const M& b) {
    if constexpr (IsAnswer<M>::value && HasId<M>::value) return a.id == b.id;
    return true;
  }

  machine::Channel<M>& from_;
  RunAhead run_ahead_;
  bool ordered_;
  Early early_;
  Watcher on_given_, on_arrived_;
  Explain explain_;
  std::vector<M> given_;
  std::deque<M> waiting_;         ///< came before the reference could have them
  std::deque<Expected> drained_;  ///< of a channel without order
  uint64_t number_ = 0;
  template <class T, class = void>
  struct LogOf {
    using Type = std::nullptr_t;
  };
  template <class T>
  struct LogOf<T, std::void_t<typename contract::Message<T>::Request>> {
    using Type = std::shared_ptr<RequestLog<typename contract::Message<T>::Request>>;
  };
  typename LogOf<M>::Type log_ = nullptr;
};

}  // namespace cuvette::ip
