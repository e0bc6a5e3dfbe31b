// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "engines.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "finalizer/finalize.h"
#include "finalizer_testing.h"
#include "golden/machine.h"
#include "hsa/code_object.h"
#include "hsa/packet.h"
#include "hsa/small_model.h"
#include "hsa/symbol_names.h"
#include "hsail/layout.h"
#include "hsail/machine.h"
#include "hsail/machine_model.h"
#include "small_text.h"

namespace cuvette::engines {

namespace {

/// CUVETTE_MACHINE_MODEL=small: texts of the large machine model run as texts of the small one
/// where they can (small_text.h). At the end it says how many could.
class TextInAskedModel {
 public:
  TextInAskedModel() {
    const char* model = std::getenv("CUVETTE_MACHINE_MODEL");
    if (model == nullptr || std::string(model) != "small") return;
    finalizer_testing::translate_text = [this](const std::string& text) {
      ++texts_;
      // Programs may say what the null value of kernarg addresses is, and it differs.
      if (text.find("nullptr_kernarg") != std::string::npos) return text;
      auto small = small_text::small_text(text);
      if (small) ++small_;
      return small.value_or(text);
    };
  }
  ~TextInAskedModel() {
    if (finalizer_testing::translate_text)
      std::printf("small machine model: %u of %u texts\n", small_, texts_);
  }

 private:
  unsigned small_ = 0;
  unsigned texts_ = 0;
};
const TextInAskedModel asked_model;

bool is_small(const hsail::Module& module) {
  return module.machine_model() == hsail::MachineModel::kSmall;
}

/// Memory of a process of the small machine model.
hsa::DeviceAllocator::Config small_memory() {
  hsa::DeviceAllocator::Config config;
  config.first = hsa::kSmallModelFirst;
  config.end = hsa::kSmallModelEnd;
  return config;
}

/// The kernarg segment for buffers at `addresses`.
Bytes kernarg_bytes(const hsail::KernelLayout& layout, const Launch& launch, bool small,
                    const std::vector<uint64_t>& addresses) {
  Bytes bytes(layout.kernarg.bytes);
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    Bytes value = launch.arguments[i].value;
    const hsail::Place& place = layout.kernarg.places.at(i);
    if (launch.arguments[i].buffer >= 0) {
      value = by_value(addresses.at(static_cast<size_t>(launch.arguments[i].buffer))).value;
      value.resize(place.bytes);  // 4 or 8: an address
    }
    // A translation (small_text.h) may have taken a 64-bit number for a part of an address.
    if (small && value.size() == 8 && place.bytes == 4) value.resize(4);
    if (value.size() != place.bytes) throw std::logic_error("argument of the wrong size");
    std::copy(value.begin(), value.end(), bytes.begin() + static_cast<ptrdiff_t>(place.offset));
  }
  return bytes;
}

/// The objects of the launch's images by buffer, for buffers at `addresses`.
std::vector<std::pair<size_t, Bytes>> image_objects(const Launch& launch,
                                                    const std::vector<uint64_t>& addresses) {
  std::vector<std::pair<size_t, Bytes>> objects;
  for (const ImageBuffer& i : launch.images) {
    hsa::Image image = i.image;
    image.data = addresses.at(i.data) + i.offset;
    const hsa::ImageObject object = hsa::image_object(image);
    Bytes bytes(sizeof object);
    std::memcpy(bytes.data(), object.data(), bytes.size());
    objects.emplace_back(i.buffer, std::move(bytes));
  }
  return objects;
}

/// Buffers at addresses 4 GiB apart, 64 MiB in the small machine model.
class BufferPort : public hsail::MemoryPort {
 public:
  BufferPort(std::vector<Bytes> buffers, bool small)
      : shift_(small ? 26 : 32), buffers_(std::move(buffers)) {}
  uint64_t address(size_t index) const { return (index + 1) << shift_; }
  std::vector<uint64_t> addresses() const {
    std::vector<uint64_t> all;
    for (size_t i = 0; i < buffers_.size(); ++i) all.push_back(address(i));
    return all;
  }
  const std::vector<Bytes>& buffers() const { return buffers_; }

  bool read(uint64_t at, void* out, size_t bytes) override {
    const uint8_t* host = find(at, bytes);
    if (host != nullptr) std::memcpy(out, host, bytes);
    return host != nullptr;
  }
  bool write(uint64_t at, const void* data, size_t bytes) override {
    uint8_t* host = find(at, bytes);
    if (host != nullptr) std::memcpy(host, data, bytes);
    return host != nullptr;
  }
  bool update(uint64_t at, unsigned bytes, const std::function<uint64_t(uint64_t)>& function,
              uint64_t* old) override {
    uint8_t* host = find(at, bytes);
    if (host == nullptr) return false;
    uint64_t before = 0;
    std::memcpy(&before, host, bytes);
    const uint64_t after = function(before);
    std::memcpy(host, &after, bytes);
    if (old != nullptr) *old = before;
    return true;
  }

 private:
  uint8_t* find(uint64_t at, size_t bytes) {
    const uint64_t index = (at >> shift_) - 1;
    const uint64_t offset = at & ((uint64_t{1} << shift_) - 1);
    if (index >= buffers_.size() || offset > buffers_[index].size() ||
        bytes > buffers_[index].size() - offset)
      return nullptr;
    return buffers_[index].data() + offset;
  }
  unsigned shift_;
  std::vector<Bytes> buffers_;
};

/// Device memory with the launch's buffers, kernarg segment and packet.
base::Status run_on_device(const Launch& launch, bool small, const hsail::KernelLayout& layout,
                           const Bytes& object, const std::string& target, Outcome& outcome) {
  const auto parsed = hsa::parse_target(target);
  const auto isa_target = isa::target_from_name(target);
  if (!parsed || !isa_target) return base::Error("unknown target " + target);
  const hsa::TargetId machine_target = hsa::default_machine(parsed->processor);
  hsa::DeviceMemory memory(small ? small_memory() : hsa::DeviceAllocator::Config{});
  auto code = hsa::load_code_object(object, "kernel.co", memory, machine_target);
  if (!code) return code.error();
  auto kernel = code->find(launch.kernel);
  if (!kernel) return kernel.error();

  std::vector<uint64_t> addresses;
  std::vector<Bytes> buffers = launch.buffers;
  for (const FunctionHandle& h : launch.handles)
    for (const hsa::LoadedSymbol& symbol : code->symbols)
      if (hsa::hsail_name(symbol.name) == h.function)
        std::memcpy(buffers.at(h.buffer).data() + h.offset, &symbol.address, small ? 4 : 8);
  for (const Bytes& contents : buffers) {
    auto address = memory.allocate(std::max<size_t>(1, contents.size()));
    if (!address) return address.error();
    if (!memory.write(*address, contents.data(), contents.size()))
      return base::Error("a buffer cannot be written");
    addresses.push_back(*address);
  }
  for (const auto& [index, contents] : image_objects(launch, addresses))
    if (!memory.write(addresses.at(index), contents.data(), contents.size()))
      return base::Error("an image object cannot be written");
  const Bytes kernarg = kernarg_bytes(layout, launch, small, addresses);
  auto kernarg_address = memory.allocate(std::max<size_t>(16, kernarg.size()));
  auto packet_address = memory.allocate(sizeof(hsa::KernelDispatchPacket));
  if (!kernarg_address || !packet_address) return base::Error("no memory for the packet");

  golden::DispatchRequest request;
  request.kernel = *kernel;
  request.grid = launch.grid;
  request.workgroup = launch.workgroup;
  request.kernarg = *kernarg_address;
  request.group_bytes = (*kernel)->group_bytes + launch.dynamic_group_bytes;
  constexpr uint32_t kStackBytes = 16384;  // as a dispatch file's default
  request.private_bytes = (*kernel)->private_bytes + ((*kernel)->dynamic_stack ? kStackBytes : 0);
  request.dispatch_id = launch.packet_id;
  request.packet_address = *packet_address;
  hsa::KernelDispatchPacket packet;
  packet.setup = 3;
  packet.workgroup_size_x = launch.workgroup[0];
  packet.workgroup_size_y = launch.workgroup[1];
  packet.workgroup_size_z = launch.workgroup[2];
  packet.grid_size_x = launch.grid[0];
  packet.grid_size_y = launch.grid[1];
  packet.grid_size_z = launch.grid[2];
  packet.private_segment_size = request.private_bytes;
  packet.group_segment_size = request.group_bytes;
  packet.kernel_object = (*kernel)->descriptor;
  packet.kernarg_address = request.kernarg;
  packet.completion_signal = launch.completion_signal;
  if (!memory.write(*kernarg_address, kernarg.data(), kernarg.size()) ||
      !memory.write_value(*packet_address, packet))
    return base::Error("the packet cannot be written");

  golden::Config config;
  config.target = *isa_target;
  config.sramecc = machine_target.sramecc == hsa::Feature::On;
  config.watchdog = 100'000'000;
  golden::Machine machine(memory, config);
  auto report = machine.run(request);
  if (!report) return report.error();
  if (!report->failures.empty()) return base::Error(report->failures.front().message);
  for (size_t i = 0; i < addresses.size(); ++i)
    if (!memory.read(addresses[i], outcome.buffers[i].data(), outcome.buffers[i].size()))
      return base::Error("a buffer cannot be read");
  for (const ImageBuffer& i : launch.images) outcome.buffers[i.buffer] = launch.buffers[i.buffer];
  return {};
}

}  // namespace

Outcome run_interpreter(const hsail::Module& module, const Launch& launch,
                        const std::string& target) {
  Outcome outcome;
  std::vector<Bytes> buffers = launch.buffers;
  for (const FunctionHandle& h : launch.handles)
    for (hsail::CodeRef ref = 1; ref < module.code.size(); ++ref)
      if (module.code[ref].kind == hsail::Kind::kIndirectFunction &&
          module.code[ref].as<hsail::Executable>().name == h.function) {
        const uint64_t handle = hsail::function_handle(ref, module.machine_model());
        std::memcpy(buffers.at(h.buffer).data() + h.offset, &handle, is_small(module) ? 4 : 8);
      }
  BufferPort port(buffers, is_small(module));
  for (const auto& [index, contents] : image_objects(launch, port.addresses()))
    port.write(port.address(index), contents.data(), contents.size());
  hsail::Dispatch dispatch;
  dispatch.kernel = module.find_kernel(launch.kernel);
  auto layout = hsail::kernel_layout(module, dispatch.kernel);
  if (!layout) {
    outcome.error = layout.error().str();
    return outcome;
  }
  dispatch.grid = launch.grid;
  dispatch.workgroup = {launch.workgroup[0], launch.workgroup[1], launch.workgroup[2]};
  dispatch.dimensions = 3;
  dispatch.dynamic_group_bytes = launch.dynamic_group_bytes;
  dispatch.completion_signal = launch.completion_signal;
  dispatch.packet_id = launch.packet_id;
  dispatch.kernarg = kernarg_bytes(*layout, launch, is_small(module), port.addresses());
  hsail::Machine::Options options;
  options.on_undefined = hsail::OnUndefined::kGoOn;
  options.target = target;
  hsail::Machine machine(module, port, {}, options);
  const auto status = machine.run(dispatch);
  if (!status) outcome.error = status.error().str();
  outcome.undefined = !machine.undefined_uses().empty();
  outcome.buffers = port.buffers();
  for (const ImageBuffer& i : launch.images) outcome.buffers[i.buffer] = launch.buffers[i.buffer];
  return outcome;
}

Outcome run_golden_object(const hsail::Module& module, const Bytes& object, const Launch& launch,
                          const std::string& target) {
  Outcome outcome;
  outcome.buffers = launch.buffers;
  auto layout = hsail::kernel_layout(module, module.find_kernel(launch.kernel));
  if (!layout) {
    outcome.error = layout.error().str();
    return outcome;
  }
  const auto status = run_on_device(launch, is_small(module), *layout, object, target, outcome);
  if (!status) outcome.error = status.error().str();
  return outcome;
}

Outcome run_golden(const hsail::Module& module, const Launch& launch, const std::string& target) {
  auto object = finalizer::finalize(module, finalizer::Options{target, 4});
  if (!object) return {object.error().str(), {}, false};
  return run_golden_object(module, *object, launch, target);
}

}  // namespace cuvette::engines
