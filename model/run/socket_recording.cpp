// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/socket_recording.h"

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/cycle_time.h"
#include "ip/tlm/transaction_recorder.h"
#include "run/trace/filter.h"

namespace cuvette::run {
namespace {

constexpr std::string_view kUnit = "compute_unit_";

}  // namespace

struct SocketRecording::Impl {
  Impl(std::string file, const sc_core::sc_time& first, const sc_core::sc_time& last,
       TraceFilter chosen)
      : path(std::move(file)), filter(std::move(chosen)), transactions(path, first, last) {}

  std::string path;
  TraceFilter filter;
  ip::TransactionFile transactions;
  std::vector<std::unique_ptr<ip::TransactionRecorder>> recorders;
};

SocketRecording::SocketRecording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SocketRecording::~SocketRecording() = default;

base::Result<std::unique_ptr<SocketRecording>> SocketRecording::make(
    const EngineOptions& options, const machine::GpuConfig& description) {
  auto filter = TraceFilter::parse(options.trace.filters);
  if (!filter) return filter.error();
  if (!filter->whole_units()) {
    return base::Error(
        "--transactions: sockets know compute units alone, expected --trace-filter cu=N,...");
  }
  if (auto s = filter->check(description.compute_units); !s.ok()) return s.error();
  const sc_core::sc_time period = gpu::period_of(description.clock_mhz);
  const sc_core::sc_time first = gpu::time_of(period, options.files.first);
  sc_core::sc_time last = sc_core::sc_max_time();
  if (options.files.last != machine::kNever) {
    last = gpu::time_of(period, options.files.last + 1) - sc_core::sc_get_time_resolution();
  }
  auto impl = std::make_unique<Impl>(options.transactions, first, last, std::move(*filter));
  if (!impl->transactions.is_open()) {
    return base::Error("cannot be written: " + impl->transactions.close(),
                       {.file = options.transactions});
  }
  return std::unique_ptr<SocketRecording>(new SocketRecording(std::move(impl)));
}

void SocketRecording::bind(const std::string& name, tlm::tlm_base_initiator_socket_b<64>& from,
                           tlm::tlm_base_target_socket_b<64>& to) {
  ip::TransactionRecording::Options options;
  options.dmi = false;
  // One that the filter leaves out refuses DMI as well: the choice changes no access.
  options.record = !name.starts_with(kUnit) ||
                   impl_->filter.has_unit(std::strtoull(name.c_str() + kUnit.size(), nullptr, 10));
  impl_->recorders.push_back(std::make_unique<ip::TransactionRecorder>(
      fmt::format("record_{}", name).c_str(), impl_->transactions, options, name));
  impl_->recorders.back()->target.bind(from);
  impl_->recorders.back()->initiator.bind(to);
}

void SocketRecording::finish(EngineReport& report) {
  for (auto& recorder : impl_->recorders) recorder->finish();
  const uint64_t count = impl_->transactions.transactions();
  if (const std::string failure = impl_->transactions.close(); !failure.empty()) {
    report.lost_files.emplace_back("cannot be written: " + failure,
                                   base::Location{.file = impl_->path});
  } else {
    report.files.push_back(fmt::format("{}: {} transactions", impl_->path, count));
  }
}

}  // namespace cuvette::run
