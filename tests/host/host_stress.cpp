// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// host_stress --engine E --packets N [--seed S] [--threads T] [--log FILE] [--faults]
//
// Threads put packets of every kind into four queues; barriers wait for signals of packets that
// were put earlier, so no order of the threads can lock up. At the end every signal has come down
// to exactly 0 and every packet has done its work exactly once; agent dispatches look at the rules
// of order while the machine runs. With --faults two of the queues get bad packets and are killed,
// one life after the other, and what each life owes is counted.
#include "host_stress.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

namespace stress {
namespace {

constexpr uint64_t kPatience = 400'000'000;  // cycles
constexpr unsigned kFirstFaulty = 2;         // of the queues, with --faults
constexpr unsigned kLookBack = 12;
constexpr uint64_t kWriteIndex = 56, kReadIndex = 128;

struct Queue {
  gpu_queue hardware{};
  std::vector<std::atomic<uint32_t>> order;  // packet by index; ~0: not yet
  std::mutex life;                           // --faults: one producer at a time
  uint32_t bad = ~0u;                        // packet that will stop it
  uint64_t put = 0;                          // packets of this life
  unsigned lives = 0;
  bool killed = false;
};

class Stress {
 public:
  explicit Stress(const Options& options) : options_(options), packets_(options.packets) {}

  int run() {
    open();
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { produce(i); });
    for (auto& thread : threads) thread.join();
    check(cuvette_run_until_idle(machine_, kPatience), "the queues are not done");
    for (unsigned q = kFirstFaulty; options_.faults && q < kQueues; ++q) end_life(queues_[q]);
    check(cuvette_advance(machine_, 10'000), "time");
    take_interrupts();
    STRESS_EXPECT(interrupts_ == stopped_, "interrupts: " + std::to_string(interrupts_) + " of " +
                                               std::to_string(stopped_) + " stopped queues");
    judge();
    uint64_t cycles = 0;
    check(cuvette_cycle(machine_, &cycles), "cycle");
    check(cuvette_close(machine_), "close");
    std::printf(
        "PASSED: %u packets, %llu dispatches served by the host, %llu looks at order, "
        "%llu lives ended, %llu packets lost with them, %llu cycles\n",
        options_.packets, static_cast<unsigned long long>(served_.load()),
        static_cast<unsigned long long>(looks_.load()),
        static_cast<unsigned long long>(lives_.load()), static_cast<unsigned long long>(lost_),
        static_cast<unsigned long long>(cycles));
    STRESS_EXPECT(looks_ > options_.packets / 50, "agent dispatches looked at too little");
    STRESS_EXPECT(!options_.faults || lives_ > 2, "too few queues stopped");
    return 0;
  }

 private:
  static void check(int status, const char* what) {
    if (status != CUVETTE_OK) give_up(std::string(what) + ": " + cuvette_error_text());
  }

  void open() {
    cuvette_options o{};
    o.size = sizeof o;
    o.engine = options_.engine.c_str();
    o.machine = options_.machine.c_str();
    o.log = options_.log.empty() ? nullptr : options_.log.c_str();
    o.context = this;
    o.on_agent_dispatch = [](void* self, cuvette_machine*, const cuvette_agent_dispatch* packet) {
      return static_cast<Stress*>(self)->serve(*packet);
    };
    check(cuvette_open(&o, &machine_), "open");
    STRESS_EXPECT(gpu_start(&gpu_, machine_, 8, 1) == 0, "start");
    arena_.create(machine_, options_.packets);
    for (unsigned q = 0; q < kQueues; ++q) {
      queues_[q].order = std::vector<std::atomic<uint32_t>>(options_.packets);
      create(q);
    }
  }

  void create(unsigned q) {
    const std::lock_guard lock(registers_);
    Queue& queue = queues_[q];
    STRESS_EXPECT(gpu_queue_create(&gpu_, &queue.hardware, 1 + q / 2, q, q, 10 + q) == 0, "queue");
    for (auto& packet : queue.order) packet = ~0u;
    queue.bad = ~0u;
    queue.put = 0;
    queue.killed = false;
    ++queue.lives;
  }

  // ---- producers ----

  /// Each thread has its share of packet and group numbers, and puts them in order.
  void produce(unsigned thread) {
    std::mt19937 random(options_.seed * 1000 + thread);
    const auto below = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const uint32_t first =
        static_cast<uint32_t>(uint64_t{options_.packets} * thread / options_.threads);
    const uint32_t end =
        static_cast<uint32_t>(uint64_t{options_.packets} * (thread + 1) / options_.threads);
    for (uint32_t number = first; number < end;) {
      const bool faulty = options_.faults && below(2) != 0;
      const uint32_t count = faulty ? 1 : std::min(end - number, 1 + below(4));
      const uint32_t group = number;
      set_signal(group, count);
      for (uint32_t i = 0; i < count; ++i, ++number) {
        Packet& p = packets_[number];
        p.group = group;
        p.barrier = below(4) == 0;
        p.queue = options_.faults ? below(2) + (faulty ? kFirstFaulty : 0) : below(kQueues);
        pick(p, below);
        faulty ? put_or_perish(number, below) : put(number);
      }
      if (!faulty) {
        const std::lock_guard lock(published_mutex_);
        published_.push_back(group);
      }
    }
  }

  void set_signal(uint32_t group, uint32_t count) {
    uint8_t bytes[64] = {1};
    bytes[8] = static_cast<uint8_t>(count);
    check(cuvette_memory_write(machine_, arena_.signal(group), bytes, sizeof bytes), "signal");
  }

  template <class Below>
  void pick(Packet& p, Below& below) {
    static constexpr Kind kKinds[] = {Kind::Dispatch,   Kind::Dispatch,     Kind::Dispatch,
                                      Kind::BarrierAnd, Kind::BarrierOr,    Kind::Agent,
                                      Kind::Agent,      Kind::BarrierValue, Kind::Pm4};
    p.kind = kKinds[below(std::size(kKinds))];
    if (p.kind != Kind::BarrierAnd && p.kind != Kind::BarrierOr && p.kind != Kind::BarrierValue) {
      return;
    }
    const std::lock_guard lock(published_mutex_);
    if (published_.empty()) return;
    const auto size = static_cast<uint32_t>(published_.size());
    const uint32_t count = p.kind == Kind::BarrierValue ? 1 : below(6);
    for (uint32_t i = 0; i < count; ++i) {
      // Mostly young ones, which are not done yet.
      const uint32_t back = below(8) == 0 ? below(size) : below(std::min(size, 24u));
      p.waits[i] = arena_.signal(published_[size - 1 - back]);
    }
  }

  /// Waits for room, hands the packet over, rings.
  void put(uint32_t number) {
    Packet& p = packets_[number];
    Queue& q = queues_[p.queue];
    check(cuvette_memory_atomic(machine_, CUVETTE_ATOMIC_ADD, 8,
                                q.hardware.descriptor + kWriteIndex, 1, 0, &p.index),
          "write index");
    for (uint64_t waited = 0; !room(q, p.index); waited += 500) {
      STRESS_EXPECT(waited < kPatience, "a queue stands still");
      check(cuvette_advance(machine_, 500), "time");
    }
    hand_over(q, number);
  }
  bool room(const Queue& q, uint64_t index) const {
    return index < read64(machine_, q.hardware.descriptor + kReadIndex) + GPU_QUEUE_PACKETS;
  }
  void hand_over(Queue& q, uint32_t number) {
    const Packet& p = packets_[number];
    uint8_t bytes[GPU_PACKET_BYTES];
    encode(p, number, arena_, bytes);
    q.order[p.index] = number;
    const uint64_t slot = q.hardware.ring + p.index % GPU_QUEUE_PACKETS * GPU_PACKET_BYTES;
    check(cuvette_memory_write(machine_, slot + 4, bytes + 4, sizeof bytes - 4), "packet");
    check(cuvette_memory_write(machine_, slot, bytes, 4), "header");
    check(cuvette_doorbell(machine_, q.hardware.doorbell, p.index), "doorbell");
  }

  // ---- queues that stop ----

  template <class Below>
  void put_or_perish(uint32_t number, Below& below) {
    Packet& p = packets_[number];
    Queue& q = queues_[p.queue];
    const std::lock_guard lock(q.life);
    // A bad packet now and then, and some good ones behind it.
    const bool worn = q.put >= GPU_QUEUE_PACKETS / 2 + below(GPU_QUEUE_PACKETS / 2);
    if ((q.bad != ~0u && q.put - packets_[q.bad].index > below(8)) || worn) {
      q.killed = q.bad == ~0u;
      end_life(q);
      create(p.queue);
    }
    if (q.bad == ~0u && below(12) == 0) {
      p.kind = Kind::Bad;
      p.fault = static_cast<uint8_t>(below(std::size(kFaults)));
      p.waits = {};
      q.bad = number;
    }
    p.index = q.put++;  // one life never fills the ring
    hand_over(q, number);
    const uint64_t next = q.put;
    check(cuvette_memory_write(machine_, q.hardware.descriptor + kWriteIndex, &next, sizeof next),
          "write index");
    if (below(4) == 0) check(cuvette_advance(machine_, 1 + below(2000)), "time");
  }

  /// The queue stops by its bad packet or is taken out as it stands; then what it owes is counted.
  void end_life(Queue& q) {
    const Packet* bad = q.bad == ~0u ? nullptr : &packets_[q.bad];
    if (bad != nullptr) {
      uint64_t error = 0;
      for (uint64_t waited = 0; error == 0; waited += 1000) {
        STRESS_EXPECT(waited < kPatience,
                      std::string("a queue goes on after ") + kFaults[bad->fault].name);
        check(cuvette_advance(machine_, 1000), "time");
        STRESS_EXPECT(gpu_queue_error(&gpu_, &q.hardware, &error) == 0, "inactive signal");
      }
      STRESS_EXPECT(error == kFaults[bad->fault].error,
                    std::string(kFaults[bad->fault].name) + ": error " + std::to_string(error));
    }
    {
      const std::lock_guard lock(registers_);
      STRESS_EXPECT(gpu_queue_destroy(&gpu_, &q.hardware) == 0, "dequeue");
      take_interrupts();
    }
    ++lives_;
    if (bad != nullptr) ++stopped_;
    bool taken = true;
    for (uint64_t i = 0; i < q.put; ++i) {
      const uint32_t number = q.order[i];
      const Packet& p = packets_[number];
      const uint64_t left = read64(machine_, arena_.signal(p.group) + 8);
      const uint64_t cell = read64(machine_, arena_.cell(number));
      const bool whole = left == 0 && cell == Arena::done(p, number);
      const bool untouched = left == 1 && cell == 0;
      const std::string text = "packet " + std::to_string(i) + " of " + std::to_string(q.put);
      STRESS_EXPECT(whole || untouched, text + " is half done");
      if (bad != nullptr && i < bad->index) STRESS_EXPECT(whole, text + ", before the bad one");
      if (bad != nullptr && i == bad->index) STRESS_EXPECT(left == 1, text + ", the bad one");
      if (bad != nullptr && i > bad->index && !kFaults[bad->fault].when_it_runs) {
        STRESS_EXPECT(untouched, text + std::string(", behind: ") + kFaults[bad->fault].name);
      }
      if (q.killed) {  // taken in order
        STRESS_EXPECT(taken || !whole, text + " was taken after one that was not");
        taken = whole;
      }
      const std::lock_guard lock(lost_mutex_);
      if (!whole) ++lost_;
    }
  }

  /// One for each queue that stopped by itself. Under registers_.
  void take_interrupts() {
    gpu_event event;
    while (gpu_next_event(&gpu_, 0, &event) == 0) {
      const bool fault = event.client == GPU_CLIENT_UTCL2 && event.source == GPU_SOURCE_FAULT;
      const bool packet = event.client == GPU_CLIENT_CP && event.source == GPU_SOURCE_BAD_PACKET;
      STRESS_EXPECT(fault || packet, "an interrupt of another kind");
      ++interrupts_;
    }
  }

  // ---- in the machine's thread ----

  /// An agent dispatch with the barrier bit comes after everything before it; a packet behind a
  /// barrier packet comes after what that waits for.
  int serve(const cuvette_agent_dispatch& packet) {
    if (packet.type != 5 || packet.arg[0] >= packets_.size()) return 0;
    const auto number = static_cast<uint32_t>(packet.arg[0]);
    const Packet& p = packets_[number];
    const Queue& q = queues_[p.queue];
    const uint64_t first = p.index < kLookBack ? 0 : p.index - kLookBack;
    for (uint64_t i = first; i < p.index; ++i) {
      const uint32_t other = q.order[i];
      STRESS_EXPECT(other != ~0u, "a packet was taken before one that was not there");
      const Packet& before = packets_[other];
      if (p.barrier) {
        ++looks_;
        STRESS_EXPECT(read64(machine_, arena_.cell(other)) == Arena::done(before, other),
                      "a packet is not done before the barrier bit of a later one");
      }
      look_at_waits(before);
    }
    uint64_t old = 0;
    check(cuvette_memory_atomic(machine_, CUVETTE_ATOMIC_ADD, 8, arena_.cell(number), 1, 0, &old),
          "cell");
    STRESS_EXPECT(old == 0, "a packet was served twice");
    ++served_;
    return 1;
  }
  void look_at_waits(const Packet& before) {
    unsigned waits = 0, met = 0;
    for (const uint64_t signal : before.waits) {
      if (signal == 0) continue;
      ++waits;
      if (read64(machine_, signal + 8) == 0) ++met;
    }
    if (waits == 0) return;
    ++looks_;
    STRESS_EXPECT(before.kind == Kind::BarrierOr ? met != 0 : met == waits,
                  "a barrier let go too early");
  }

  // ---- the end ----

  void judge() {
    for (uint32_t number = 0; number < options_.packets; ++number) {
      const Packet& p = packets_[number];
      if (options_.faults && p.queue >= kFirstFaulty) continue;  // counted with their queues
      const std::string text = "packet " + std::to_string(number);
      const uint64_t left = read64(machine_, arena_.signal(p.group) + 8);
      STRESS_EXPECT(left == 0, text + ": its signal is " + std::to_string(left));
      const uint64_t cell = read64(machine_, arena_.cell(number));
      STRESS_EXPECT(cell == Arena::done(p, number), text + ": its cell is " + std::to_string(cell));
    }
    for (unsigned q = 0; q < (options_.faults ? kFirstFaulty : kQueues); ++q) {
      const gpu_queue& h = queues_[q].hardware;
      uint64_t error = 0;
      STRESS_EXPECT(gpu_queue_error(&gpu_, &h, &error) == 0 && error == 0, "a queue stopped");
      STRESS_EXPECT(read64(machine_, h.descriptor + kReadIndex) ==
                        read64(machine_, h.descriptor + kWriteIndex),
                    "a queue has packets left");
    }
  }

  Options options_;
  cuvette_machine* machine_ = nullptr;
  gpu_driver gpu_{};
  Arena arena_;
  std::array<Queue, kQueues> queues_;
  std::vector<Packet> packets_;
  std::mutex registers_;  // GRBM_GFX_CNTL selects for everybody
  std::mutex published_mutex_, lost_mutex_;
  std::vector<uint32_t> published_;  // groups whose packets are all in their rings
  std::atomic<uint64_t> served_{0}, looks_{0}, lives_{0}, stopped_{0};
  uint64_t lost_ = 0, interrupts_ = 0;
};

}  // namespace

void give_up(const std::string& what) {
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  std::fflush(nullptr);
  std::_Exit(1);  // other threads are in the middle of calls
}

uint64_t read64(cuvette_machine* machine, uint64_t address) {
  uint64_t value = 0;
  STRESS_EXPECT(cuvette_memory_read(machine, address, &value, sizeof value) == CUVETTE_OK,
                cuvette_error_text());
  return value;
}

}  // namespace stress

int main(int count, char** words) {
  stress::Options o;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--faults") {
      o.faults = true;
      continue;
    }
    if (++i >= count) stress::give_up("usage: host_stress --engine E --packets N ...");
    const std::string value = words[i];
    if (word == "--engine") o.engine = value;
    if (word == "--machine") o.machine = value;
    if (word == "--log") o.log = value;
    if (word == "--packets") o.packets = static_cast<uint32_t>(std::stoul(value));
    if (word == "--seed") o.seed = static_cast<uint32_t>(std::stoul(value));
    if (word == "--threads") o.threads = static_cast<unsigned>(std::stoul(value));
  }
  return std::make_unique<stress::Stress>(o)->run();
}
