// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/bits.h"
#include "golden/difference.h"
#include "golden/launch.h"
#include "golden/record_shadow.h"
#include "golden/retire_log.h"
#include "hsa/code_object.h"
#include "isa/text.h"

namespace cuvette::golden {
namespace {

using wave::RetireRecord;

/// Work-groups at the far ends of the grid may be partial, so that there are two sizes in each
/// dimension.
uint64_t waves_of_grid(const LaunchPlan& plan) {
  uint64_t waves = 0;
  for (unsigned which = 0; which < 8; ++which) {
    uint64_t groups = 1, items = 1;
    for (unsigned d = 0; d < 3; ++d) {
      const uint32_t grid = plan.request.grid[d], size = plan.request.workgroup[d];
      const bool partial = base::bit(which, d);
      groups *= partial ? (grid % size != 0 ? 1 : 0) : grid / size;
      items *= partial ? grid % size : size;
    }
    waves += groups * ((items + wave::kLanes - 1) / wave::kLanes);
  }
  return waves;
}

/// A code object in a memory of its own, at the address it had.
struct Code {
  hsa::DeviceMemory memory;
  hsa::LoadedCode loaded;
  std::unique_ptr<Program> program;

  explicit Code(const hsa::DeviceAllocator::Config& place) : memory(place) {}
};

class Replay {
 public:
  explicit Replay(const std::string& path) : reader_(path) {}

  base::Result<ReplayReport> run() {
    for (;;) {
      auto entry = reader_.next();
      if (!entry) return entry.error();
      base::Status status;
      switch (entry->kind) {
        case LogEntry::Kind::End:
          leave_dispatch();
          return report();
        case LogEntry::Kind::Machine:
          status = machine(entry->machine);
          break;
        case LogEntry::Kind::Code:
          status = code(entry->code);
          break;
        case LogEntry::Kind::Preload:
          preload_ = entry->dispatch.preload;
          break;
        case LogEntry::Kind::Dispatch:
          status = dispatch(entry->dispatch);
          break;
        case LogEntry::Kind::Record:
          status = record(entry->record);
          break;
      }
      if (!status.ok()) return status.error();
      if (!report_.difference.empty()) return read_to_end();
    }
  }

 private:
  /// A log that is damaged differs, too: only its end tells.
  base::Result<ReplayReport> read_to_end() {
    for (;;) {
      auto entry = reader_.next();
      if (!entry) return entry.error();
      if (entry->kind == LogEntry::Kind::End) return report();
    }
  }

  ReplayReport report() const {
    ReplayReport report = report_;
    report.records = counts_.records;
    report.lanes = counts_.lanes;
    report.accesses = counts_.accesses;
    report.loads = counts_.loads;
    report.machine_values = counts_.machine_values;
    return report;
  }

  base::Status machine(const LogMachine& m) {
    auto parsed = hsa::parse_target(m.target);
    if (!parsed) return reader_.error(parsed.error().what);
    const auto target = isa::target_from_name(hsa::facts(parsed->processor).name);
    if (!target) return reader_.error("unknown target '" + m.target + "'");
    target_ = *parsed;
    config_.target = *target;
    config_.sramecc = m.sramecc;
    config_.poison = m.poison;
    config_.shared_aperture = m.shared_aperture;
    config_.private_aperture = m.private_aperture;
    // Engine ca retires out of order: what is sticky or set by a younger instruction is not exact.
    compare_ =
        m.engine == "golden" ? kCompareAll | kCompareStatusRegister : kCompareAll & ~kCompareStatus;
    return {};
  }

  base::Status code(const LogCode& c) {
    if (!target_) return reader_.error("code before the machine");
    hsa::DeviceAllocator::Config place;
    place.first = c.address;
    if (c.address == 0 || c.address % 4096 != 0 || c.address >= place.end) {
      return reader_.error("a code object at an impossible address");
    }
    auto made = std::make_unique<Code>(place);
    auto loaded = hsa::load_code_object(c.bytes, "code object", made->memory, *target_);
    if (!loaded) return reader_.error("code object: " + loaded.error().what);
    if (loaded->base != c.address) return reader_.error("the code object does not lie there");
    made->loaded = std::move(*loaded);
    made->program = std::make_unique<Program>(made->memory, config_.target);
    codes_.push_back(std::move(made));
    return {};
  }

  base::Status dispatch(const LogDispatch& d) {
    leave_dispatch();
    code_ = nullptr;
    for (const auto& c : codes_) {
      for (const hsa::KernelInfo& kernel : c->loaded.kernels) {
        if (kernel.descriptor != d.descriptor || kernel.name != d.kernel) continue;
        code_ = c.get();
        request_.kernel = &kernel;
      }
    }
    if (code_ == nullptr) {
      return reader_.error(fmt::format("no code object of the log has kernel '{}' at {:#x}",
                                       d.kernel, d.descriptor));
    }
    code_->program->refresh();
    request_.grid = d.grid;
    request_.workgroup = d.workgroup;
    request_.kernarg = d.kernarg;
    request_.group_bytes = d.group_bytes;
    request_.private_bytes = d.private_bytes;
    request_.packet_address = d.packet_address;
    request_.queue_address = d.queue_address;
    request_.dispatch_id = d.dispatch_id;
    const std::vector<uint32_t> preload = std::exchange(preload_, {});
    if (preload.size() != request_.kernel->kernarg_preload_dwords) {
      return reader_.error(fmt::format("{} preloaded dwords of kernel arguments, expected {}",
                                       preload.size(), request_.kernel->kernarg_preload_dwords));
    }
    request_.preload = {};
    std::copy(preload.begin(), preload.end(), request_.preload.begin());
    auto plan = plan_launch(request_, config_);
    if (!plan) return reader_.error(plan.error().what);
    plan_ = std::move(*plan);
    place_scratch(plan_, d.scratch_base, d.scratch_descriptor);
    ++report_.dispatches;
    return {};
  }

  void leave_dispatch() {
    if (code_ == nullptr) return;
    report_.unstarted_waves += waves_of_grid(plan_) - waves_.size();
    for (const auto& [id, shadow] : waves_) {
      if (!shadow->has_ended()) ++report_.unfinished_waves;
      const std::string wrong = shadow->end();
      if (report_.difference.empty() && !wrong.empty()) differ(shadow->wave(), wrong);
    }
    waves_.clear();
  }

  /// The shadow of the wave of a record, launched when it is the first. Null: no such wave in the
  /// grid.
  RecordShadow* shadow_of(const RetireRecord& r) {
    auto& shadow = waves_[r.wave];
    if (shadow == nullptr) {
      const uint64_t group = r.wave / 16;
      std::unique_ptr<Wave> w;
      if (group < plan_.workgroups()) {
        w = launch_wave(plan_, config_, group, static_cast<unsigned>(r.wave % 16));
      }
      if (w == nullptr) return nullptr;
      shadow = std::make_unique<RecordShadow>(std::move(w), compare_);
      ++report_.waves;
    }
    return shadow.get();
  }

  base::Status record(const RetireRecord& logged) {
    if (code_ == nullptr) return reader_.error("a record before any dispatch");
    RecordShadow* shadow = shadow_of(logged);
    if (shadow == nullptr) {
      return reader_.error(fmt::format("wave {} is not in the grid", logged.wave));
    }
    const std::string wrong = shadow->retire(logged, *code_->program, sync_, counts_);
    if (!wrong.empty()) {
      differ(shadow->wave(), wrong);
    } else {
      change_code(logged);
    }
    return {};
  }

  /// Stores to the code object, which S_ICACHE_INV and the next dispatch show.
  void change_code(const RetireRecord& logged) {
    const uint64_t begin = code_->loaded.base, end = begin + code_->loaded.bytes;
    for (const wave::MemoryAccess& a : logged.accesses) {
      const bool memory =
          a.space == wave::MemorySpace::Global || a.space == wave::MemorySpace::Scalar;
      if (!memory || a.kind != wave::MemoryKind::Store || a.fault) continue;
      if (a.address < begin || a.address >= end || end - a.address < a.size) continue;
      (void)code_->memory.poke(a.address, a.bytes, a.size).ok();  // data beside segments
    }
  }

  void differ(const Wave& w, const std::string& text) {
    report_.difference = reader_
                             .error(fmt::format("instruction {} of its wave: {}",
                                                w.order == 0 ? 0 : w.order - 1, text))
                             .str();
  }

  LogReader reader_;
  ReplayReport report_;
  std::optional<hsa::TargetId> target_;
  Config config_;
  wave::GlobalSync sync_;
  uint32_t compare_ = kCompareAll;
  std::vector<std::unique_ptr<Code>> codes_;
  Code* code_ = nullptr;
  DispatchRequest request_;
  std::vector<uint32_t> preload_;  // for the next dispatch
  LaunchPlan plan_;
  std::map<uint64_t, std::unique_ptr<RecordShadow>> waves_;
  RecordShadow::Counts counts_;
};

}  // namespace

base::Result<ReplayReport> replay_log(const std::string& path) {
  return Replay(path).run();
}

}  // namespace cuvette::golden
