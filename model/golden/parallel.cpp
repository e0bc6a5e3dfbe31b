// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/parallel.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

namespace cuvette::golden {
namespace {

/// A work-group is left for another one after so many slices of each of its waves: it may wait for
/// that one.
constexpr unsigned kRounds = 32;
/// Work-groups are handed out in pieces, at most so many at once.
constexpr uint64_t kMostAtOnce = 32;
/// Tries, each with at least one more range whose loads count.
constexpr unsigned kMostTries = 8;

}  // namespace

/// Part of one host thread. Work-groups run one after the other as long as they end soon.
class ParallelRun::Worker {
 public:
  explicit Worker(ParallelRun& run)
      : run_(run),
        program_(run.memory_, run.config_.target),
        port_(run.memory_),
        watch_(run.snapshot_, run.ranges_, run.stop_) {}

  /// Before each try of a dispatch.
  void start() {
    program_.renew();  // a dispatch starts with the instruction caches invalidated
    watch_.start();
    port_.watch(&watch_);
    residents_.clear();  // of a try that has ended early
    next_ = end_ = 0;
    waves_ = 0;
    instructions_ = begun_waves_ = begun_groups_ = 0;
    thrown = nullptr;
    const LaunchPlan& plan = *run_.plan_;
    if (!ended_waves_.empty() && (ended_waves_[0]->state.v.arch_count != plan.vgprs ||
                                  ended_waves_[0]->state.v.acc_count != plan.accvgprs)) {
      ended_waves_.clear();
    }
  }

  void work() {
    try {
      while (!stopped()) {
        auto group = admit();
        if (group == nullptr) {
          if (residents_.empty()) return;
          group = std::move(residents_.front());
          residents_.pop_front();
        }
        if (!turn(*group)) {
          if (!stopped()) run_.stop_ = true;
        } else if (group->group.waves != 0) {
          residents_.push_back(std::move(group));
        } else {
          waves_ -= group->waves.size();
          watch_.end(group->number, *group->group.accesses);
          ended_groups_.push_back(std::move(group));
        }
      }
    } catch (...) {
      thrown = std::current_exception();
      run_.stop_ = true;
    }
  }

  void add_to(Report& report) const {
    report.instructions += instructions_;
    report.waves += begun_waves_;
    report.workgroups += begun_groups_;
    const isa::RowCounts executed = program_.executed();
    report.by_row.insert(report.by_row.end(), executed.begin(), executed.end());
    isa::put_in_order(report.by_row);
  }
  AccessMap& accesses() { return watch_.history(); }

  std::exception_ptr thrown;

 private:
  struct Resident {
    Workgroup group;
    uint64_t number = 0;
    std::vector<std::unique_ptr<Wave>> waves;  // null: has ended
  };

  bool stopped() const {
    return run_.stop_.load(std::memory_order_relaxed) || run_.ranges_.conflict();
  }

  /// The next work-group when there is one and room for it, else null.
  std::unique_ptr<Resident> admit() {
    const uint64_t groups = run_.plan_->workgroups();
    if (next_ == end_) {
      const uint64_t pieces = uint64_t{16} * run_.config_.threads;
      const uint64_t count = std::clamp<uint64_t>(groups / pieces, 1, kMostAtOnce);
      next_ = std::min(run_.next_group_.fetch_add(count), groups);
      end_ = std::min(next_ + count, groups);
    }
    if (next_ == end_) return nullptr;
    const unsigned waves = waves_of_group(*run_.plan_, next_);
    if (waves_ != 0 && waves_ + waves > run_.config_.resident_waves) return nullptr;
    std::unique_ptr<Resident> r;
    if (ended_groups_.empty()) {
      r = std::make_unique<Resident>();
      r->group.accesses = std::make_unique<AccessMap>();
    } else {
      r = std::move(ended_groups_.back());
      ended_groups_.pop_back();
    }
    r->number = next_++;
    r->group.index = static_cast<uint32_t>(r->number);
    r->group.lds.assign(run_.plan_->request.group_bytes, 0);
    r->group.waves = waves;
    r->group.at_barrier = 0;
    r->waves.resize(waves);
    for (unsigned i = 0; i < waves; ++i) {
      std::unique_ptr<Wave> used;
      if (!ended_waves_.empty()) {
        used = std::move(ended_waves_.back());
        ended_waves_.pop_back();
      }
      r->waves[i] = launch_wave(*run_.plan_, run_.config_, r->number, i, std::move(used),
                                program_.accumulates());
      r->waves[i]->group = &r->group;
    }
    waves_ += waves;
    begun_waves_ += waves;
    ++begun_groups_;
    return r;
  }

  /// Slices in the order in which one thread gives them to the waves of a work-group. False when it
  /// cannot go on, or needs more than itself.
  bool turn(Resident& r) {
    watch_.turn(r.number, *r.group.accesses);
    uint64_t done = 0;
    bool good = true;
    for (unsigned round = 0; round < kRounds && r.group.waves != 0 && good; ++round) {
      bool progress = false;
      for (auto& wave : r.waves) {
        if (wave == nullptr || wave->status != WaveStatus::Running) continue;
        done += wave->run(run_.config_.slice, program_, port_, nullptr);
        progress = true;
        if (wave->status == WaveStatus::Ended) {
          --r.group.waves;
          ended_waves_.push_back(std::move(wave));
        } else if (wave->status != WaveStatus::Running && wave->status != WaveStatus::AtBarrier) {
          good = false;
          break;
        }
        release(r);
      }
      good = good && progress && !stopped();
    }
    instructions_ += done;
    const uint64_t all = run_.instructions_.fetch_add(done) + done;
    return good && (run_.config_.watchdog == 0 || all <= run_.config_.watchdog);
  }

  /// The barrier, when all waves that live are there.
  static void release(Resident& r) {
    if (r.group.at_barrier == 0 || r.group.at_barrier != r.group.waves) return;
    for (auto& wave : r.waves) {
      if (wave != nullptr) wave->status = WaveStatus::Running;
    }
    r.group.at_barrier = 0;
  }

  ParallelRun& run_;
  Program program_;
  MemoryPort port_;
  AccessWatch watch_;
  uint64_t next_ = 0, end_ = 0;  // work-groups taken and not begun
  std::deque<std::unique_ptr<Resident>> residents_;
  size_t waves_ = 0;  // of them
  std::vector<std::unique_ptr<Resident>> ended_groups_;
  std::vector<std::unique_ptr<Wave>> ended_waves_;
  uint64_t instructions_ = 0, begun_waves_ = 0, begun_groups_ = 0;
};

ParallelRun::ParallelRun(hsa::DeviceMemory& memory, const Config& config)
    : memory_(memory), config_(config), snapshot_(memory), pool_(config.threads, config.threads) {}

ParallelRun::~ParallelRun() = default;

bool ParallelRun::run(const LaunchPlan& plan, Report& report) {
  plan_ = &plan;
  stop_ = false;
  snapshot_.clear();  // of a dispatch that was left by an exception
  for (unsigned i = 0; i < kMostTries; ++i) {
    if (try_once()) {
      for (size_t n = 0; n < working_; ++n) workers_[n]->add_to(report);
      snapshot_.clear();
      return true;
    }
    snapshot_.restore();
    if (stop_ || !ranges_.conflict()) break;
  }
  return false;
}

bool ParallelRun::try_once() {
  ranges_.start();
  next_group_ = instructions_ = 0;
  working_ = std::min<uint64_t>(config_.threads, plan_->workgroups());
  while (workers_.size() < working_) workers_.push_back(std::make_unique<Worker>(*this));
  for (size_t i = 0; i < working_; ++i) workers_[i]->start();
  std::vector<unsigned> others(working_ - 1);
  std::iota(others.begin(), others.end(), 1u);
  pool_.run({0}, others, [this](unsigned i) { workers_[i]->work(); });
  for (size_t i = 0; i < working_; ++i) {
    if (workers_[i]->thrown) std::rethrow_exception(workers_[i]->thrown);
  }
  bool good = !stop_ && !ranges_.conflict();
  for (size_t i = 1; i < working_ && good; ++i) {
    good = !workers_[0]->accesses().fold(workers_[i]->accesses());
  }
  return good;
}

}  // namespace cuvette::golden
