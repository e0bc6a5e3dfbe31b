// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ip/common/answer_watch.h"
#include "ip/common/sampling.h"
#include "ip/lockstep/message_json.h"
#include "ip/lockstep/mismatch.h"
#include "ip/lockstep/pin_adapter.h"

namespace cuvette::ip {

/// Lockstep checker of one block: the device is in the loop, its answers and times are used, and a
/// reference, which takes every message when the device takes it, says what they must be. Generic
/// over the contract: `Core` is the class of the block, whose channels and messages come from the
/// description.
///
/// The owner is a Core itself (the shell): its channels are bound to the pins. The reference is
/// another Core of any implementation; messages that it gives later than the device are waited for
/// by running it ahead of time. Messages of a port are compared in their order, or by id where the
/// contract says so.
template <class Core>
class Lockstep final : public LockstepView {
 public:
  using OnMismatch = std::function<void(const BlockMismatch&)>;

  template <size_t kChannels>
  Lockstep(const contract::ChannelInfo (&channels)[kChannels], Core& shell,
           std::unique_ptr<Core> reference, std::unique_ptr<PinDevice> device,
           std::vector<PinChannel> pins, BlockPlace place, const LockstepOptions& options,
           OnMismatch on_mismatch)
      : infos_(channels),
        reference_(std::move(reference)),
        adapter_(std::move(device), std::move(pins)),
        place_(std::move(place)),
        options_(options),
        on_mismatch_(std::move(on_mismatch)),
        watch_(options.timing) {
    visit_channels(*reference_, Collect{*this});
    visit_channels(shell, Bind{*this});
  }

  void tick(machine::Cycle now) {
    if (mismatch_ || (is_quiet() && adapter_.next_event() > now)) return;
    now_ = now;
    moved_ = false;
    adapter_.tick(now);
    if (reference_now_ < now) reference_->tick(reference_now_ = now);
    // What moved against the rules of the pins is not worth a comparison.
    if (const auto failure = adapter_.failure()) return fail(failure->field, failure->what);
    const bool awaited = answers_due();
    bool answered = false;
    for (const auto& out : outputs_) answered |= out->settle(now);
    if (moved_) active_until_ = now + kDrain;
    if (mismatch_) return;
    if (watch_.is_over(awaited, true, answered)) {
      fail("missing", "no message in " + std::to_string(watch_.limit()) + " cycles, " + due_text());
    }
  }
  machine::Cycle next_event() const {
    return is_quiet() ? std::max(adapter_.next_event(), now_ + 1) : now_ + 1;
  }

  void conclude() override {
    if (!mismatch_ && answers_due()) fail("missing", "at the end, " + due_text());
  }

  /// Sends a message to the device before those of the shell's channel, and its answers to nobody:
  /// what the model does past its channels. `id` of the message is chosen here.
  template <class M>
  void inject(unsigned channel, M message) {
    message.id = kFirstInjected | (injected_++ & 0xffffff);
    ahead_of<M>(channel).push_back(std::move(message));
  }
  /// Messages that were injected and have not been taken.
  template <class M>
  const std::deque<M>& injected(unsigned channel) {
    return ahead_of<M>(channel);
  }

  Core& reference() { return *reference_; }
  const std::vector<PinChannel>& pins() const { return adapter_.channels(); }
  const std::optional<BlockMismatch>& mismatch() const override { return mismatch_; }
  const LockstepOptions& options() const override { return options_; }
  const BlockPlace& place() const override { return place_; }
  std::vector<Transaction> recent() const { return {history_.begin(), history_.end()}; }
  ComparedItems items() const override {
    ComparedItems all;
    for (const auto& out : outputs_) {
      all[place_.block + " " + out->name + "s"] += out->seen;
      all[place_.block + " values"] += out->values;
      if (options_.timing.kind != machine::TimingRule::Kind::Ignore)
        all[place_.block + " times"] += out->times;
    }
    return all;
  }
  uint64_t seen() const override {
    return total([](const Output& o) { return o.seen; });
  }
  uint64_t compared() const override {
    return total([](const Output& o) { return o.values; });
  }

  /// A message of the history as JSON.
  std::string text_of(const Transaction& t) const { return texts_[t.pin](t); }
  void fail(const std::string& field, const std::string& what) { fail(field, what, {}); }

 private:
  /// Cycles in which the clock of the device goes on after the last message has moved.
  static constexpr machine::Cycle kDrain = 64;
  /// Cycles that the reference is run ahead for a message that the device has given already.
  static constexpr machine::Cycle kAhead = 100'000;
  /// Requests that are kept for the comparison of their answers.
  static constexpr size_t kKept = 4096;

  /// Ids from here on are those of injected messages.
  static constexpr uint32_t kFirstInjected = 0xff000000;

  /// Requests of one port, by id.
  template <class M>
  struct Requests {
    std::unordered_map<uint64_t, std::pair<M, machine::Cycle>> by_id;
    std::deque<uint64_t> order;
    void add(const M& message, machine::Cycle now) {
      by_id[message.id] = {message, now};
      order.push_back(message.id);
      if (order.size() <= kKept) return;
      by_id.erase(order.front());
      order.pop_front();
    }
  };
  /// A channel from the device: what it has given, and what the reference says.
  struct Output {
    virtual ~Output() = default;
    /// Compares what was given in this cycle and hands it on; whether there was anything.
    virtual bool settle(machine::Cycle now) = 0;
    virtual bool due() const = 0;
    std::string name;
    uint64_t seen = 0, values = 0, times = 0;
  };

  template <class M, class = void>
  struct IsAnswer : std::false_type {};
  template <class M>
  struct IsAnswer<M, std::void_t<typename contract::Message<M>::Request>> : std::true_type {};

  template <class M>
  struct OutputOf final : Output {
    OutputOf(Lockstep& lockstep, unsigned number, machine::Channel<M>& of_reference,
             machine::Channel<M>& of_shell)
        : owner(lockstep),
          pin(number),
          from(of_reference),
          to(of_shell),
          ordered(lockstep.info(number).ordered) {
      this->name = owner.infos_[owner.pins()[pin].channel].name;
    }
    bool due() const override { return !from.empty() || !drained.empty(); }
    bool settle(machine::Cycle now) override {
      for (M& message : given) {
        ++this->seen;
        owner.remember(pin, message, now);
        if (!check(message, now)) break;
        if (!is_injected(message)) to.push(message, now + 1);
      }
      const bool any = !given.empty();
      given.clear();
      return any;
    }

    static bool is_injected(const M& message) {
      if constexpr (IsAnswer<M>::value) return message.id >= kFirstInjected;
      return false;
    }
    /// False: it differs.
    bool check(const M& actual, machine::Cycle now) {
      const auto found = expected_of(actual);
      if (!found) {
        owner.fail("order", owner.pins()[pin].name + ": a message that the reference does not give",
                   recording::message_json(actual).dump());
        return false;
      }
      const auto& [want, due_at] = *found;
      if (sampled(this->seen - 1, owner.options_.share)) {
        contract::Comparison comparison;
        compare(want, actual, comparison);
        this->values += comparison.compared();
        if (!comparison.differences().empty()) {
          owner.differ(pin, comparison.differences(), recording::message_json(want).dump(),
                       recording::message_json(actual).dump(), asked_text(actual));
          return false;
        }
      }
      return check_time(actual, due_at, now);
    }
    void compare(const M& want, const M& got, contract::Comparison& comparison) {
      if constexpr (IsAnswer<M>::value) {
        using Request = typename contract::Message<M>::Request;
        static const Request kNone{};
        const auto* found = request_of(got);
        contract::Message<M>::compare(want, got, found != nullptr ? found->first : kNone,
                                      comparison);
      } else {
        contract::Message<M>::compare(want, got, comparison);
      }
    }
    auto request_of(const M& answer) const {
      using Request = typename contract::Message<M>::Request;
      const auto* requests = static_cast<const Requests<Request>*>(asked.get());
      const std::pair<Request, machine::Cycle>* none = nullptr;
      if (requests == nullptr) return none;
      const auto found = requests->by_id.find(answer.id);
      return found == requests->by_id.end() ? none : &found->second;
    }
    std::string asked_text(const M& answer) const {
      if constexpr (IsAnswer<M>::value) {
        const auto* asked_for = request_of(answer);
        if (asked_for != nullptr) return recording::message_json(asked_for->first).dump();
      }
      return {};
    }
    bool check_time(const M& actual, machine::Cycle due_at, machine::Cycle now) {
      using Kind = machine::TimingRule::Kind;
      const machine::TimingRule& rule = owner.options_.timing;
      if (rule.kind == Kind::Ignore) return true;
      machine::Cycle low = due_at, high = due_at, at = now + 1;
      if (rule.kind == Kind::Bounded) {
        if constexpr (!IsAnswer<M>::value) {
          return true;
        } else {
          const auto* asked_for = request_of(actual);
          if (asked_for == nullptr) return true;
          low = rule.min_cycles, high = rule.max_cycles, at = now - asked_for->second;
        }
      }
      ++this->times;
      if (at >= low && at <= high) return true;
      owner.fail("time",
                 owner.pins()[pin].name + ": in cycle " + std::to_string(at) + ", expected " +
                     (low == high ? std::to_string(low)
                                  : std::to_string(low) + " to " + std::to_string(high)),
                 recording::message_json(actual).dump());
      return false;
    }
    /// The message of the reference that answers to this one, and when it is visible there.
    std::optional<std::pair<M, machine::Cycle>> expected_of(const M& actual) {
      owner.run_ahead([this, &actual] { return has(actual); });
      if (!has(actual)) return std::nullopt;
      if (ordered) {
        const machine::Cycle due_at = from.next_event();
        return std::pair{from.pop(due_at), due_at};
      }
      const auto found = find(actual);
      auto result = *found;
      drained.erase(found);
      return result;
    }
    bool has(const M& actual) {
      if (ordered) return !from.empty();
      while (!from.empty()) {
        const machine::Cycle due_at = from.next_event();
        drained.emplace_back(from.pop(due_at), due_at);
      }
      return find(actual) != drained.end();
    }
    auto find(const M& actual) {
      return std::find_if(drained.begin(), drained.end(), [&actual](const auto& d) {
        if constexpr (IsAnswer<M>::value) {
          return d.first.id == actual.id;
        } else {
          return true;
        }
      });
    }

    Lockstep& owner;
    unsigned pin;
    machine::Channel<M>& from;  ///< of the reference
    machine::Channel<M>& to;    ///< of the shell
    bool ordered;
    std::vector<M> given;
    std::deque<std::pair<M, machine::Cycle>> drained;
    std::shared_ptr<void> asked;  ///< Requests<Request> of the channel that is answered
  };

  /// Channels of the reference in the order of visit_channels().
  struct Collect {
    Lockstep& owner;
    template <class M>
    void in(unsigned, unsigned, machine::Channel<M>& channel) {
      owner.objects_.push_back(&channel);
    }
    template <class M>
    void out(unsigned, unsigned, machine::Channel<M>& channel) {
      owner.objects_.push_back(&channel);
    }
  };
  /// Binds the channels of the shell to the pins.
  struct Bind {
    Lockstep& owner;
    size_t number = 0;

    template <class M>
    void in(unsigned channel, unsigned port, machine::Channel<M>& source) {
      auto* reference = static_cast<machine::Channel<M>*>(owner.objects_[number++]);
      const unsigned pin = owner.pin_of(channel, port);
      auto requests = std::make_shared<Requests<M>>();
      if constexpr (HasId<M>::value) owner.requests_[{channel, port}] = requests;
      owner.texts_[pin] = &text<M>;
      owner.ends_[pin] = std::make_unique<ToDevice<M>>(
          pin, source, owner.template ahead_of<M>(channel),
          [&o = owner, reference, requests, pin](const M& message, machine::Cycle now) {
            o.moved_ = true;
            o.remember(pin, message, now);
            if constexpr (HasId<M>::value) requests->add(message, now);
            reference->push(message, std::max(now, o.reference_now_));
          });
    }
    template <class M>
    void out(unsigned channel, unsigned port, machine::Channel<M>& sink) {
      auto* reference = static_cast<machine::Channel<M>*>(owner.objects_[number++]);
      const unsigned pin = owner.pin_of(channel, port);
      auto output = std::make_unique<OutputOf<M>>(owner, pin, *reference, sink);
      owner.texts_[pin] = &text<M>;
      owner.waiting_.push_back({output.get(), &output->asked, channel, port});
      owner.ends_[pin] = std::make_unique<FromDevice<M>>(
          pin, sink, [&o = owner, out = output.get()](M& message, machine::Cycle) {
            o.moved_ = true;
            out->given.push_back(message);
            return false;  // after its comparison
          });
      owner.outputs_.push_back(std::move(output));
    }
    ~Bind() {
      if (owner.texts_.empty()) return;
      owner.bound();
    }
  };
  template <class M, class = void>
  struct HasId : std::false_type {};
  template <class M>
  struct HasId<M, std::void_t<decltype(M::id)>> : std::true_type {};

  template <class M>
  static std::string text(const Transaction& t) {
    M message{};
    constexpr size_t kWords = std::tuple_size<contract::Pins<M>>::value;
    for (size_t at = 0; at + kWords <= t.beats.size(); at += kWords) {
      contract::unpack(reinterpret_cast<const uint8_t*>(t.beats.data() + at), message);
    }
    return recording::message_json(message).dump();
  }

  struct Waiting {
    Output* output;
    std::shared_ptr<void>* asked;
    unsigned channel, port;
  };
  struct PairHash {
    size_t operator()(const std::pair<unsigned, unsigned>& p) const {
      return p.first * 4099u + p.second;
    }
  };

  template <class M>
  std::deque<M>& ahead_of(unsigned channel) {
    std::shared_ptr<void>& held = ahead_[channel];
    if (held == nullptr) held = std::make_shared<std::deque<M>>();
    return *static_cast<std::deque<M>*>(held.get());
  }
  const contract::ChannelInfo& info(unsigned pin) const { return infos_[pins()[pin].channel]; }
  unsigned pin_of(unsigned channel, unsigned port) {
    const auto& all = adapter_.channels();
    if (ends_.empty()) {
      ends_.resize(all.size());
      texts_.resize(all.size());
    }
    for (unsigned n = 0; n < all.size(); ++n) {
      if (all[n].channel == channel && all[n].port == port) return n;
    }
    return 0;
  }
  /// All ends are there: the adapter gets them in order, answers find their requests.
  void bound() {
    for (const Waiting& w : waiting_) {
      const std::string answered = infos_[w.channel].answers;
      for (unsigned c = 0; !answered.empty(); ++c) {
        if (infos_[c].name != answered) continue;
        const auto found = requests_.find({c, w.port});
        if (found != requests_.end()) *w.asked = found->second;
        break;
      }
    }
    for (auto& end : ends_) {
      if (end != nullptr) adapter_.add(std::move(end));
    }
  }

  template <class M>
  void remember(unsigned pin, const M& message, machine::Cycle now) {
    Transaction t{pin, now, {}};
    for (unsigned beat = 0; beat < contract::Message<M>::kBeats; ++beat) {
      const auto pins = contract::pack(message, beat);
      t.beats.insert(t.beats.end(), pins.begin(), pins.end());
    }
    history_.push_back(std::move(t));
    if (history_.size() > kRememberedTransactions) history_.pop_front();
  }
  /// Runs the reference ahead of time until `there` or nothing more happens in it.
  template <class There>
  void run_ahead(There&& there) {
    const machine::Cycle limit = now_ + kAhead;
    while (!there() && reference_->next_event() != machine::kNever && reference_now_ < limit) {
      reference_now_ = std::max(reference_now_ + 1, reference_->next_event());
      reference_->tick(reference_now_);
    }
  }
  bool answers_due() const {
    return std::any_of(outputs_.begin(), outputs_.end(), [](const auto& o) { return o->due(); });
  }
  std::string due_text() const {
    for (const auto& out : outputs_) {
      if (out->due()) return "the reference has given a " + out->name;
    }
    return "nothing is due";
  }
  bool is_quiet() const {
    return adapter_.idle() && now_ >= active_until_ &&
           reference_->next_event() == machine::kNever && !answers_due();
  }
  template <class Of>
  uint64_t total(Of&& of) const {
    uint64_t sum = 0;
    for (const auto& out : outputs_) sum += of(*out);
    return sum;
  }

  void differ(unsigned pin, const std::vector<contract::Difference>& all, const std::string& want,
              const std::string& got, const std::string& asked) {
    const contract::Difference& first = all.front();
    std::string what = pins()[pin].name + ": field " + first.field->name;
    if (first.row >= 0) what += ", row " + std::to_string(first.row);
    if (first.lane >= 0) what += ", lane " + std::to_string(first.lane);
    what += ": expected " + recording::hex(first.expected) + ", the device gives " +
            recording::hex(first.actual);
    if (all.size() > 1) what += " (and " + std::to_string(all.size() - 1) + " more values)";
    std::string detail = "expected " + want + "\n  actual   " + got;
    if (!asked.empty()) detail = "asked    " + asked + "\n  " + detail;
    fail(first.field->name, what, detail);
  }
  void fail(const std::string& field, const std::string& what, const std::string& detail) {
    if (mismatch_) return;
    BlockMismatch m;
    m.time = now_;
    m.compute_unit = place_.compute_unit;
    m.simd = place_.index;
    m.field = field;
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

  const contract::ChannelInfo* infos_;
  std::unique_ptr<Core> reference_;
  PinAdapter adapter_;
  BlockPlace place_;
  LockstepOptions options_;
  OnMismatch on_mismatch_;
  AnswerWatch watch_;
  std::vector<void*> objects_;
  std::vector<std::unique_ptr<PinEnd>> ends_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::string (*)(const Transaction&)> texts_;
  std::vector<Waiting> waiting_;
  std::unordered_map<std::pair<unsigned, unsigned>, std::shared_ptr<void>, PairHash> requests_;
  std::unordered_map<unsigned, std::shared_ptr<void>> ahead_;  ///< by channel: injected messages
  uint32_t injected_ = 0;
  std::deque<Transaction> history_;
  std::optional<BlockMismatch> mismatch_;
  machine::Cycle now_ = 0, reference_now_ = 0, active_until_ = 0;
  bool moved_ = false;
};

}  // namespace cuvette::ip
