// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_golden.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/launch.h"
#include "golden/machine.h"
#include "gpu/configs.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "run/hazards.h"
#include "run/machine_code.h"
#include "run/retire_logger.h"
#include "wave/execute.h"
#include "wave/status.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;

/// Ends endless kernels: far above what a kernel of the golden engine runs in reasonable time.
constexpr uint64_t kGoldenWatchdog = 4'000'000'000;

class GoldenEngine final : public Engine {
 public:
  GoldenEngine(const hsa::TargetId& target, isa::Target isa_target, const EngineOptions& options,
               const machine::GpuConfig& description)
      : code_(memory_, target), logger_(options, description) {
    config_.target = isa_target;
    config_.sramecc = target.sramecc == hsa::Feature::On;
    config_.shared_aperture = description.shared_aperture;
    config_.private_aperture = description.private_aperture;
    config_.watchdog = options.watchdog != 0 ? options.watchdog : kGoldenWatchdog;
    config_.poison = options.poison;
    config_.threads = options.threads;
    config_.decoded = !options.reference;
    if (options.threads <= 1) config_.stop = options.stop;
    hazards_ = options.hazards;
  }

  hsa::DeviceMemory& memory() override { return memory_; }
  uint64_t last_aperture() const override {
    return std::max(config_.shared_aperture, config_.private_aperture);
  }

  Result<KernelShape> load(const Dispatch& dispatch,
                           const hsa::ExternalVariables& externals) override {
    return code_.load(dispatch, externals);
  }

  Result<uint64_t> function_handle(const std::string& name) const override {
    return code_.function_handle(name);
  }
  std::optional<uint64_t> symbol(const std::string& name) const override {
    return code_.symbol(name);
  }

  Result<std::vector<uint8_t>> kernarg(const Launch& launch,
                                       const ArgumentBytes& arguments) override {
    hsa::HiddenValues hidden;
    if (auto s = need_queue(); !s.ok()) return s.error();
    hidden.queue_ptr = queue_;
    hidden.private_base_hi = static_cast<uint32_t>(config_.private_aperture >> 32);
    hidden.shared_base_hi = static_cast<uint32_t>(config_.shared_aperture >> 32);
    return code_.kernarg(launch, arguments, hidden);
  }

  Status run(const Launch& launch, EngineReport& report) override {
    if (auto s = code_.check(launch); !s.ok()) return s;
    if (auto s = need_queue(); !s.ok()) return s;
    const hsa::KernelInfo& kernel = code_.kernel();
    golden::DispatchRequest request;
    request.kernel = &kernel;
    request.grid = launch.grid;
    request.workgroup = launch.workgroup;
    request.kernarg = launch.kernarg;
    request.group_bytes = kernel.group_bytes + launch.dynamic_group_bytes;
    request.private_bytes = kernel.private_bytes + launch.stack_bytes;
    request.queue_address = queue_;
    request.dispatch_id = next_packet_++;
    auto packet = write_packet(launch, request);
    if (!packet) return packet.error();
    request.packet_address = *packet;

    if (machine_ == nullptr) machine_ = std::make_unique<golden::Machine>(memory_, config_);
    HazardWatch watch(config_.target);
    if (hazards_ != HazardMode::Off || logger_.on()) observe(*machine_, request, watch);
    auto ran = machine_->run(request);
    machine_->observe({});
    if (!ran) return ran.error();
    account(*ran, launch, report);
    if (ran->stands) {
      report.failures.push_back(
          fmt::format("interrupted after {} instructions", ran->instructions));
    }
    if (hazards_ != HazardMode::Off) watch.report(hazards_ == HazardMode::Strict, report);
    if (logger_.on()) {
      if (auto s = logger_.end(); !s.ok()) report.lost_files.push_back(s.error());
    }
    if (ran->failures.empty() && !ran->stands) {
      auto before = hsa::Signal(memory_, launch.completion_signal).update(hsa::AtomicOp::Sub, 1);
      if (!before) return before.error();
    }
    return {};
  }

 private:
  void observe(golden::Machine& machine, const golden::DispatchRequest& request,
               HazardWatch& watch) {
    machine.observe(
        [this, &watch](const wave::RetireRecord& r) {
          if (hazards_ != HazardMode::Off) watch.retire(r);
          if (logger_.on()) logger_.record(r);
        },
        [this, &request](uint64_t scratch_base) {
          if (!logger_.on()) return;
          golden::LogDispatch d;
          d.grid = request.grid;
          d.workgroup = request.workgroup;
          d.kernarg = request.kernarg;
          d.group_bytes = request.group_bytes;
          d.private_bytes = request.private_bytes;
          d.packet_address = request.packet_address;
          d.queue_address = request.queue_address;
          d.dispatch_id = request.dispatch_id;
          d.scratch_base = scratch_base;
          if (scratch_base != 0) d.scratch_descriptor = golden::scratch_descriptor(scratch_base);
          logger_.start(code_, memory_, d);
        });
  }

  Status need_queue() {
    if (queue_ != 0) return {};
    hsa::Queue::Config config;
    config.group_segment_aperture_base_hi = static_cast<uint32_t>(config_.shared_aperture >> 32);
    config.private_segment_aperture_base_hi = static_cast<uint32_t>(config_.private_aperture >> 32);
    auto queue = hsa::Queue::create(memory_, config);
    if (!queue) return queue.error();
    queue_ = queue->address();
    ring_ = queue->ring();
    return {};
  }

  /// Kernels read their dispatch packet, so it has to be in memory although no queue is processed.
  Result<uint64_t> write_packet(const Launch& launch, const golden::DispatchRequest& request) {
    hsa::KernelDispatchPacket packet;
    hsa::PacketHeader header;
    header.type = hsa::PacketType::KernelDispatch;
    packet.header = hsa::encode(header);
    packet.setup = static_cast<uint16_t>(launch.dimensions);
    packet.workgroup_size_x = launch.workgroup[0];
    packet.workgroup_size_y = launch.workgroup[1];
    packet.workgroup_size_z = launch.workgroup[2];
    packet.grid_size_x = launch.grid[0];
    packet.grid_size_y = launch.grid[1];
    packet.grid_size_z = launch.grid[2];
    packet.private_segment_size = request.private_bytes;
    packet.group_segment_size = request.group_bytes;
    packet.kernel_object = request.kernel->descriptor;
    packet.kernarg_address = launch.kernarg;
    packet.completion_signal = launch.completion_signal;
    if (!memory_.write_value(ring_, packet).ok()) {
      return base::Error("the dispatch packet cannot be written");
    }
    return ring_;
  }

  void account(golden::Report& ran, const Launch& launch, EngineReport& report) const {
    DispatchStatistics d;
    d.kernel = code_.kernel().name;
    d.grid = launch.grid;
    d.workgroup = launch.workgroup;
    d.workgroups = ran.workgroups;
    d.waves = ran.waves;
    tally(std::move(ran.by_row), config_.target, d, report);
    report.instructions += ran.instructions;
    report.waves += ran.waves;
    report.target = code_.target().str();
    report.dispatches.push_back(std::move(d));
    if (!ran.restarted.empty()) ++report.restarts[ran.restarted];
    report.race_bytes += ran.race_bytes;
    report.races.insert(report.races.end(), ran.races.begin(), ran.races.end());
    std::vector<uint64_t> faults;
    for (const auto& failure : ran.failures) {
      report.failures.push_back(failure.message);
      if (failure.kind == golden::Failure::Kind::WildAccess) faults.push_back(failure.address);
    }
    if (auto hint = code_.hint_about(faults); !hint.empty()) {
      report.failures.push_back(std::move(hint));
    }
  }

  hsa::DeviceMemory memory_;
  MachineCode code_;
  RetireLogger logger_;
  golden::Config config_;
  HazardMode hazards_ = HazardMode::Off;
  std::unique_ptr<golden::Machine> machine_;
  uint64_t queue_ = 0, ring_ = 0;
  uint64_t next_packet_ = 0;  ///< as in a queue that holds the dispatches of the file
};

}  // namespace

Result<std::unique_ptr<Engine>> make_golden_engine(const EngineOptions& options,
                                                   const machine::GpuConfig& description) {
  const auto described = gpu::machine_target(description);
  if (!described) return described.error();
  hsa::TargetId target = *described;
  if (!options.target.empty()) {
    const auto named = hsa::parse_target(options.target);
    if (!named) return named.error();
    // The description says nothing about another target.
    if (named->processor != target.processor) target = hsa::default_machine(named->processor);
    if (named->sramecc != hsa::Feature::Any) target.sramecc = named->sramecc;
    if (named->xnack != hsa::Feature::Any) target.xnack = named->xnack;
  }
  const auto isa_target = isa::target_from_name(hsa::facts(target.processor).name);
  if (!isa_target) return base::Error(fmt::format("unknown target '{}'", target.str()));
  return std::unique_ptr<Engine>(
      std::make_unique<GoldenEngine>(target, *isa_target, options, description));
}

}  // namespace cuvette::run
