// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/block_dut.h"

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "ip/bit_field.h"

namespace cuvette::ip {
namespace {

/// An instance of a module's device and what every block asks it alike.
class Instance {
 public:
  Instance(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : library_(std::move(library)), table_(library_->table()), instance_(instance) {}
  ~Instance() { table_.destroy(instance_); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void reset(bool active) { table_.reset(instance_, active ? 1 : 0); }
  template <class Message>
  void drive(uint32_t channel, const Message* message) {
    const auto* bytes =
        message != nullptr ? reinterpret_cast<const uint8_t*>(message->data()) : nullptr;
    table_.drive(instance_, channel, bytes);
  }
  void accept(uint32_t channel, bool ready) { table_.accept(instance_, channel, ready ? 1 : 0); }
  bool ready(uint32_t channel) { return table_.ready(instance_, channel) != 0; }
  template <class Message>
  bool sample(uint32_t channel, Message& message) {
    return table_.sample(instance_, channel, reinterpret_cast<uint8_t*>(message.data())) != 0;
  }
  void clock() { table_.clock(instance_); }

  bool implements(const isa::Row& row) const {
    // Asked for every instruction that is issued; the answer never changes.
    const std::string_view mnemonic = row.mnemonic;
    const auto [entry, fresh] = known_.try_emplace(mnemonic.data(), false);
    if (fresh) entry->second = table_.implements(instance_, std::string(mnemonic).c_str(), 0) != 0;
    return entry->second;
  }
  std::optional<DeviceFailure> failure() const {
    const char* text = table_.failure(instance_);
    if (text == nullptr) return std::nullopt;
    return DeviceFailure{"assertion", text};
  }
  base::Status trace(const std::string& path) {
    if (!std::ofstream(path)) return base::Error("cannot write waveforms", {path});
    if (table_.trace(instance_, path.c_str()) == 0) return {};
    return base::Error("the device module has no waveforms", {path});
  }

 private:
  std::shared_ptr<const DutLibrary> library_;
  const cuvette_dut_table& table_;
  cuvette_dut_instance* instance_;
  /// By the mnemonic of a row, which lives as long as the program. Never iterated.
  mutable std::map<const char*, bool> known_;
};

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
  Instance device_;
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
  Instance device_;
  SimdOutputs out_;
};

// The messages of block vrf (rtl/vrf/vrf_pkg.sv), lowest field first.
constexpr unsigned kReadBits = 19, kWriteBits = 547, kAnswerBits = 514;

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
      std::array<uint8_t, (kReadBits + 7) / 8> message{};
      put_bits(message.data(), 0, 2, r.beat);
      put_bits(message.data(), 2, 16, r.address.row);
      put_bits(message.data(), 18, 1, r.address.acc ? 1 : 0);
      device_.drive(p, r.valid ? &message : nullptr);
      device_.accept(vrf::kReadPorts + p, r.data_ready);
    }
    for (uint32_t p = 0; p < vrf::kWritePorts; ++p) {
      const VrfInputs::Write& w = in.writes[p];
      std::array<uint8_t, (kWriteBits + 7) / 8> message{};
      std::memcpy(message.data(), w.data.data(), 64);  // little endian hosts
      put_bits(message.data(), 512, 16, w.lanes);
      put_bits(message.data(), 528, 2, w.beat);
      put_bits(message.data(), 530, 16, w.address.row);
      put_bits(message.data(), 546, 1, w.address.acc ? 1 : 0);
      device_.drive(kFirstWrite + p, w.valid ? &message : nullptr);
    }
    for (uint32_t p = 0; p < vrf::kReadPorts; ++p) {
      VrfOutputs::Read& r = out_.reads[p];
      std::array<uint8_t, (kAnswerBits + 7) / 8> message{};
      r.ready = device_.ready(p);
      r.data_valid = device_.sample(vrf::kReadPorts + p, message);
      std::memcpy(r.data.data(), message.data(), 64);
      r.beat = static_cast<uint8_t>(get_bits(message.data(), 512, 2));
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
  Instance device_;
  VrfOutputs out_;
};

template <class Dut>
std::unique_ptr<Dut> make(std::shared_ptr<const DutLibrary> library, isa::Target target,
                          uint64_t seed) {
  const std::string name(isa::name_of(target));
  cuvette_dut_instance* instance = library->table().create(name.c_str(), seed);
  if (instance == nullptr) return nullptr;
  return std::make_unique<Dut>(std::move(library), instance);
}

}  // namespace

base::Result<std::shared_ptr<const DutLibrary>> load_matrix_dut(const std::string& path) {
  return DutLibrary::load(path, "matrix_core", {{"operands", 2631, true}, {"result", 1077, false}});
}

base::Result<std::shared_ptr<const DutLibrary>> load_simd_dut(const std::string& path) {
  return DutLibrary::load(path, "simd",
                          {{"issue", 735, true},
                           {"retire", 2176, false},
                           {"fill", 550, true},
                           {"read", 52, true},
                           {"row_data", 546, false}});
}

base::Result<std::shared_ptr<const DutLibrary>> load_vrf_dut(const std::string& path) {
  std::vector<DutChannel> channels(vrf::kReadPorts, {"read", kReadBits, true});
  channels.insert(channels.end(), vrf::kReadPorts, {"read_data", kAnswerBits, false});
  channels.insert(channels.end(), vrf::kWritePorts, {"write", kWriteBits, true});
  return DutLibrary::load(path, "vrf", channels);
}

std::unique_ptr<MatrixDevice> make_matrix_dut(std::shared_ptr<const DutLibrary> library,
                                              isa::Target target, uint64_t seed) {
  return make<MatrixDut>(std::move(library), target, seed);
}
std::unique_ptr<SimdDevice> make_simd_dut(std::shared_ptr<const DutLibrary> library,
                                          isa::Target target, uint64_t seed) {
  return make<SimdDut>(std::move(library), target, seed);
}
std::unique_ptr<VrfDevice> make_vrf_dut(std::shared_ptr<const DutLibrary> library,
                                        isa::Target target, uint64_t seed) {
  return make<VrfDut>(std::move(library), target, seed);
}

}  // namespace cuvette::ip
