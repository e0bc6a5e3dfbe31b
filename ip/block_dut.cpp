// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/block_dut.h"

#include <algorithm>
#include <utility>

#include "ip/dut_instance.h"

namespace cuvette::ip {
namespace {

class MatrixDut final : public MatrixDevice {
 public:
  MatrixDut(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : device_(std::move(library), instance) {
    reset();
  }
  void set_reset(bool active) override { device_.reset(active); }
  void drive(const MatrixOperandsMessage* operands, bool result_ready) override {
    device_.drive(kOperands, operands);
    device_.accept(kResult, result_ready);
    ready_ = device_.ready(kOperands);
    valid_ = device_.sample(kResult, answer_);
  }
  bool operands_ready() const override { return ready_; }
  bool result_valid() const override { return valid_; }
  void result(MatrixResultMessage& out) const override { out = answer_; }
  void clock() override { device_.clock(); }
  bool implements(const isa::Row& row) const override { return device_.implements(row); }
  std::optional<DeviceFailure> failure() const override { return device_.failure(); }
  base::Status trace(const std::string& path) override { return device_.trace(path); }

 private:
  enum Channel : uint32_t { kOperands, kResult };
  DutInstance device_;
  MatrixResultMessage answer_{};
  bool ready_ = false, valid_ = false;
};

class SimdDut final : public SimdDevice {
 public:
  SimdDut(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : device_(std::move(library), instance) {
    reset();
  }
  void set_reset(bool active) override { device_.reset(active); }
  void drive(const SimdInputs& in) override {
    device_.drive(kIssue, in.issue);
    device_.drive(kFill, in.fill);
    device_.drive(kRead, in.read);
    device_.accept(kRetire, in.retire_ready);
    device_.accept(kRowData, in.row_data_ready);
    out_.issue_ready = device_.ready(kIssue);
    out_.fill_ready = device_.ready(kFill);
    out_.read_ready = device_.ready(kRead);
    out_.retire_valid = device_.sample(kRetire, out_.retire);
    out_.row_data_valid = device_.sample(kRowData, out_.row_data);
  }
  void outputs(SimdOutputs& out) const override { out = out_; }
  void clock() override { device_.clock(); }
  bool implements(const isa::Row& row) const override { return device_.implements(row); }
  std::optional<DeviceFailure> failure() const override { return device_.failure(); }
  base::Status trace(const std::string& path) override { return device_.trace(path); }

 private:
  enum Channel : uint32_t { kIssue, kRetire, kFill, kRead, kRowData };
  DutInstance device_;
  SimdOutputs out_;
};

class VrfDut final : public VrfDevice {
 public:
  VrfDut(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : device_(std::move(library), instance) {
    reset();
  }
  void set_reset(bool active) override { device_.reset(active); }
  void drive(const VrfInputs& in) override {
    for (uint32_t p = 0; p < vrf::kReadPorts; ++p) {
      const VrfInputs::Read& r = in.reads[p];
      const auto message = contract::pack(vrf::Read{r.address}, r.beat);
      device_.drive(p, r.valid ? &message : nullptr);
      device_.accept(vrf::kReadPorts + p, r.data_ready);
    }
    for (uint32_t p = 0; p < vrf::kWritePorts; ++p) {
      const VrfInputs::Write& w = in.writes[p];
      vrf::Write whole;
      whole.address = w.address;
      whole.lanes = uint64_t{w.lanes} << w.beat * contract::kBeatLanes;
      std::copy(w.data.begin(), w.data.end(), whole.data.begin() + w.beat * contract::kBeatLanes);
      const auto message = contract::pack(whole, w.beat);
      device_.drive(kFirstWrite + p, w.valid ? &message : nullptr);
    }
    for (uint32_t p = 0; p < vrf::kReadPorts; ++p) {
      VrfOutputs::Read& r = out_.reads[p];
      contract::Pins<vrf::ReadData> message{};
      r.ready = device_.ready(p);
      r.data_valid = device_.sample(vrf::kReadPorts + p, message);
      r.beat = static_cast<uint8_t>(
          contract::beat_of<vrf::ReadData>(reinterpret_cast<const uint8_t*>(message.data())));
      const auto answer = contract::unpacked<vrf::ReadData>(message);
      std::copy_n(answer.data.begin() + r.beat * contract::kBeatLanes, r.data.size(),
                  r.data.begin());
    }
    for (uint32_t p = 0; p < vrf::kWritePorts; ++p) {
      out_.write_ready[p] = device_.ready(kFirstWrite + p);
    }
  }
  void outputs(VrfOutputs& out) const override { out = out_; }
  void clock() override { device_.clock(); }
  std::optional<DeviceFailure> failure() const override { return device_.failure(); }
  base::Status trace(const std::string& path) override { return device_.trace(path); }

 private:
  static constexpr uint32_t kFirstWrite = 2 * vrf::kReadPorts;
  DutInstance device_;
  VrfOutputs out_;
};

}  // namespace

base::Result<std::shared_ptr<const DutLibrary>> load_matrix_dut(const std::string& path) {
  return DutLibrary::load(path, "matrix_core", dut_channels(matrix_core::kChannels));
}

base::Result<std::shared_ptr<const DutLibrary>> load_simd_dut(const std::string& path) {
  return DutLibrary::load(path, "simd", dut_channels(simd::kChannels));
}

base::Result<std::shared_ptr<const DutLibrary>> load_vrf_dut(const std::string& path) {
  return DutLibrary::load(path, "vrf", dut_channels(vrf::kChannels));
}

std::unique_ptr<MatrixDevice> make_matrix_dut(std::shared_ptr<const DutLibrary> library,
                                              isa::Target target, uint64_t seed) {
  return make_dut<MatrixDut>(std::move(library), target, seed);
}
std::unique_ptr<SimdDevice> make_simd_dut(std::shared_ptr<const DutLibrary> library,
                                          isa::Target target, uint64_t seed) {
  return make_dut<SimdDut>(std::move(library), target, seed);
}
std::unique_ptr<VrfDevice> make_vrf_dut(std::shared_ptr<const DutLibrary> library,
                                        isa::Target target, uint64_t seed) {
  return make_dut<VrfDut>(std::move(library), target, seed);
}

}  // namespace cuvette::ip
