// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>

#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include "ip/common/bit_field.h"
#include "ip/dut.h"

/// The plug-in side of every block: a table (ip/dut.h) around a Verilated module. Compiled into the
/// user's shared module by cuvette_add_dut(), never into Cuvette.
namespace cuvette::ip::dut {

/// Channels of a kind, one after the other in a table.
struct ChannelKind {
  cuvette_dut_channel channel;
  uint32_t count;  ///< number of ports
};
template <uint32_t kTotal, size_t kKinds>
constexpr std::array<cuvette_dut_channel, kTotal> channel_table(
    const ChannelKind (&kinds)[kKinds]) {
  std::array<cuvette_dut_channel, kTotal> all{};
  uint32_t at = 0;
  for (const ChannelKind& kind : kinds) {
    for (uint32_t n = 0; n < kind.count; ++n) all[at++] = kind.channel;
  }
  return all;
}

/// Description that the module gives of itself.
struct Facts {
  const char* name;               ///< of the module
  const char* const* operations;  ///< mnemonics, null at the end; empty: all of the block
  uint32_t modifiers;             ///< CUVETTE_DUT_... ored
  const char* const* targets;     ///< names, null at the end; empty: every target
  const char* role = nullptr;     ///< of a block with roles, the one it is for; null: any
};

/// Bytes of the Verilated variable of a port.
constexpr size_t port_bytes(uint32_t bits) {
  return bits <= 8    ? 1
         : bits <= 16 ? 2
         : bits <= 32 ? 4
         : bits <= 64 ? 8
                      : size_t{4} * ((bits + 31) / 32);
}

/// A whole message into a port that is its packed struct.
template <uint32_t kBits, class Port>
void put_message(Port& port, const uint8_t* message) {
  static_assert(sizeof(port) == port_bytes(kBits), "a port has not the width of the contract");
  std::memset(&port, 0, sizeof(port));
  std::memcpy(&port, message, (kBits + 7) / 8);
}
template <uint32_t kBits, class Port>
void take_message(const Port& port, uint8_t* message) {
  static_assert(sizeof(port) == port_bytes(kBits), "a port has not the width of the contract");
  std::memcpy(message, &port, (kBits + 7) / 8);
}

/// Bit `n` of a port that has one per channel.
template <class Port>
bool bit_of(const Port& port, uint32_t n) {
  if constexpr (std::is_integral_v<Port>) {
    return (port >> n & 1) != 0;
  } else {
    return (port[n / 32] >> n % 32 & 1) != 0;
  }
}
template <class Port>
void set_bit(Port& port, uint32_t n, bool value) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((port & ~(Port{1} << n)) | Port{value} << n);
  } else {
    port[n / 32] = (port[n / 32] & ~(uint32_t{1} << n % 32)) | uint32_t{value} << n % 32;
  }
}

/// Bits [at, at + 64) of a message.
inline uint64_t get_word(const uint8_t* message, size_t at) {
  const unsigned shift = at % 8;
  uint64_t word = 0;
  std::memcpy(&word, message + at / 8, sizeof word);
  return shift == 0 ? word : word >> shift | uint64_t{message[at / 8 + 8]} << (64 - shift);
}

/// Copies bits between messages that begin anywhere.
inline void copy_bits(void* to, size_t to_bit, const void* from, size_t from_bit, uint32_t bits) {
  auto* const out = static_cast<uint8_t*>(to);
  const auto* const in = static_cast<const uint8_t*>(from);
  const auto copy = [&](uint32_t done, uint32_t count) {
    if (count != 0) put_bits(out, to_bit + done, count, get_bits(in, from_bit + done, count));
  };
  const auto to_byte = static_cast<uint32_t>((8 - to_bit % 8) % 8);
  uint32_t done = to_byte < bits ? to_byte : bits;
  copy(0, done);
  for (; bits - done >= 64; done += 64) {
    const uint64_t word = get_word(in, from_bit + done);
    std::memcpy(out + (to_bit + done) / 8, &word, sizeof word);
  }
  copy(done, bits - done);
}

/// Channel `n` of `kCount` alike whose messages lie side by side in one port: a message of `kBits`
/// bits, or none (null).
template <uint32_t kBits, uint32_t kCount, class Valid, class Port>
void put_channel(Valid& valid, Port& port, uint32_t n, const uint8_t* message) {
  static_assert(sizeof(port) == port_bytes(kBits * kCount),
                "a port has not the width of the contract");
  set_bit(valid, n, message != nullptr);
  if (message == nullptr) return;
  if constexpr (kCount == 1) {
    put_message<kBits>(port, message);
  } else {
    copy_bits(&port, size_t{n} * kBits, message, 0, kBits);
  }
}
/// The other way; false: not valid.
template <uint32_t kBits, uint32_t kCount, class Valid, class Port>
bool take_channel(const Valid& valid, const Port& port, uint32_t n, uint8_t* message) {
  static_assert(sizeof(port) == port_bytes(kBits * kCount),
                "a port has not the width of the contract");
  if (!bit_of(valid, n)) return false;
  if constexpr (kCount == 1) {
    take_message<kBits>(port, message);
  } else {
    std::memset(message, 0, (kBits + 7) / 8);
    copy_bits(message, 0, &port, size_t{n} * kBits, kBits);
  }
  return true;
}

/// Thrown through the model by a fatal error of the runtime, such as a loop that does not settle.
struct Broken {};

/// Destination of the reason with which the instance under evaluation ends. One thread calls into a
/// module.
inline std::string*& reason_of_end() {
  static std::string* reason = nullptr;
  return reason;
}
/// The device ends itself: its instance fails, and is not evaluated any more. The first reason
/// counts. Called by the functions that stand in for the runtime's own.
inline void end_of_device(const char* what, const char* file, int line) {
  std::string* reason = reason_of_end();
  if (reason == nullptr || !reason->empty()) return;
  *reason = what;
  if (file != nullptr && *file != 0) {
    *reason += std::string(" at ") + file + ":" + std::to_string(line);
  }
}

/// A clocked instance. `Ports` knows the channels and the names of the pins:
///   kBlock, kChannels, kChannelCount;
///   drive(model, channel, message or null), accept(model, channel, ready);
///   ready(model, channel), sample(model, channel, message).
template <class Model, class Ports>
class Device {
 public:
  explicit Device(uint64_t seed) {
#if VM_TRACE_FST
    context_.traceEverOn(true);
#endif
    context_.randReset(2);
    // Seed 0 would make the runtime draw one from the clock.
    context_.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    context_.fatalOnError(false);  // a failed assertion is told, the process goes on
    enter();
    model_ = std::make_unique<Model>(&context_);
  }
  ~Device() {
    enter();
    trace(nullptr);
    if (ended_.empty()) guarded([this] { model_->final(); });
    model_.reset();
    Verilated::threadContextp(nullptr);
    reason_of_end() = nullptr;
  }

  void reset(bool active) {
    changed_ = true;
    model_->clk_i = 0;
    model_->rst_ni = !active;
  }
  void drive(uint32_t channel, const uint8_t* message) {
    changed_ = true;
    model_->clk_i = 0;
    Ports::drive(*model_, channel, message);
  }
  void accept(uint32_t channel, bool ready) {
    changed_ = true;
    model_->clk_i = 0;
    Ports::accept(*model_, channel, ready);
  }
  bool ready(uint32_t channel) {
    settle();
    return Ports::ready(*model_, channel);
  }
  bool sample(uint32_t channel, uint8_t* message) {
    settle();
    return Ports::sample(*model_, channel, message);
  }
  void clock() {
    settle();
    enter();
    if (model_->clk_i != 0) {  // nothing was driven since the last edge
      model_->clk_i = 0;
      eval();
    }
    model_->clk_i = 1;
    eval();
    dump();
  }
  const char* failure() const {
    if (!ended_.empty()) return ended_.c_str();
    return context_.gotError() ? "an assertion of the device failed" : nullptr;
  }
  int trace(const char* file) {
#if VM_TRACE_FST
    enter();
    if (waves_ != nullptr) waves_->close();
    waves_.reset();
    if (file == nullptr) return 0;
    waves_ = std::make_unique<VerilatedFstC>();
    model_->trace(waves_.get(), 99);
    waves_->open(file);
    return waves_->isOpen() ? 0 : -1;
#else
    return file == nullptr ? 0 : -1;
#endif
  }

 private:
  /// The runtime takes the context of errors and of destruction from the thread, not from the
  /// model.
  void enter() {
    Verilated::threadContextp(&context_);
    reason_of_end() = &ended_;
  }
  template <class Call>
  static void guarded(Call&& call) {
    try {
      call();
    } catch (const Broken&) {
      end_of_device("the device ended", nullptr, 0);  // has told why, most often
    }
  }
  void eval() {
    if (ended_.empty()) guarded([this] { model_->eval(); });
  }
  void settle() {
    if (!changed_) return;
    changed_ = false;
    enter();
    eval();
    dump();
  }
  void dump() {
#if VM_TRACE_FST
    if (waves_ != nullptr) waves_->dump(context_.time());
#endif
    context_.timeInc(1);  // half cycles
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves_;
#endif
  bool changed_ = true;
  std::string ended_;  ///< reason why the device ended itself; empty: it has not
};

/// The table around it. One per module.
template <class Model, class Ports, const Facts& kFacts>
const cuvette_dut_table* table() {
  using Of = Device<Model, Ports>;
  struct As {
    static Of& device(cuvette_dut_instance* i) { return *reinterpret_cast<Of*>(i); }
    static int implements(cuvette_dut_instance*, const char* mnemonic, uint32_t modifiers) {
      if ((modifiers & ~kFacts.modifiers) != 0) return 0;
      const char* const* o = kFacts.operations;
      if (*o == nullptr) return 1;
      while (*o != nullptr && std::strcmp(*o, mnemonic) != 0) ++o;
      return *o != nullptr;
    }
  };
  static const cuvette_dut_table made = {
      CUVETTE_DUT_VERSION,
      sizeof(cuvette_dut_table),
      kFacts.role != nullptr ? kFacts.role : Ports::kBlock,
      kFacts.name,
      Ports::kChannelCount,
      std::data(Ports::kChannels),
      [](const char*, uint64_t seed) {
        return reinterpret_cast<cuvette_dut_instance*>(new Of(seed));
      },
      [](cuvette_dut_instance* i) { delete &As::device(i); },
      [](cuvette_dut_instance* i, int active) { As::device(i).reset(active != 0); },
      &As::implements,
      [](cuvette_dut_instance* i, uint32_t c, const uint8_t* data) {
        As::device(i).drive(c, data);
      },
      [](cuvette_dut_instance* i, uint32_t c, int ready) { As::device(i).accept(c, ready != 0); },
      [](cuvette_dut_instance* i, uint32_t c) { return As::device(i).ready(c) ? 1 : 0; },
      [](cuvette_dut_instance* i, uint32_t c, uint8_t* data) {
        return As::device(i).sample(c, data) ? 1 : 0;
      },
      [](cuvette_dut_instance* i) { As::device(i).clock(); },
      [](cuvette_dut_instance* i) { return As::device(i).failure(); },
      [](cuvette_dut_instance* i, const char* file) { return As::device(i).trace(file); },
      kFacts.operations,
      kFacts.targets,
  };
  return &made;
}

}  // namespace cuvette::ip::dut
