// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <random>
#include <type_traits>

#include <gtest/gtest.h>
#include <verilated.h>

#include "Vcontract_probe.h"
#include "command_processor/command_processor_messages.h"
#include "compute_unit/compute_unit_messages.h"
#include "gds/gds_messages.h"
#include "ip/lockstep/message_json.h"
#include "isa/row.h"
#include "lds/lds_messages.h"
#include "matrix_core/matrix_core_messages.h"
#include "memory/memory_messages.h"
#include "simd/simd_messages.h"
#include "spi/spi_messages.h"
#include "test_vectors.h"
#include "vrf/vrf_messages.h"

// The views of every contract: messages in C++, on pins, in SystemVerilog (a module that takes them
// apart field by field and puts them together again, gen_probe.py) and as JSON say the same bytes.
namespace cuvette {
namespace {

/// Random values in every field, as wide as it is on pins.
class RandomFields {
 public:
  explicit RandomFields(std::mt19937_64& rng) : rng_(rng) {}
  template <unsigned kWidth, class T>
  void value(const contract::Field&, T& x) {
    fill<kWidth>(x);
  }
  template <unsigned kWidth, class T>
  void lanes(const contract::Field&, T& x) {
    fill<kWidth>(x);
  }
  template <class T>
  void lane_mask(const contract::Field&, T& x) {
    fill<64>(x);
  }
  void beat(const contract::Field&) {}
  template <class T>
  void message(const contract::Field&, T& x) {
    if constexpr (contract::IsMessage<T>::value) {
      contract::Message<T>::visit(x, *this);
    } else {
      for (auto& element : x)
        contract::Message<std::decay_t<decltype(element)>>::visit(element, *this);
    }
  }

 private:
  template <unsigned kWidth, class T>
  void fill(T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      x = static_cast<T>(rng_() >> (64 - kWidth));
    } else {
      for (auto& element : x) fill<kWidth>(element);
    }
  }
  std::mt19937_64& rng_;
};

/// A row of an instruction must exist in C++; on pins it is a number.
template <class T>
void randomise(T& message, std::mt19937_64& rng) {
  contract::Message<T>::visit(message, RandomFields(rng));
  const isa::Row* row = &isa::rows().begin()[rng() % isa::rows().count];
  if constexpr (std::is_same_v<T, isa::Instruction>) message.row = row;
  if constexpr (std::is_same_v<T, simd::Issue>) message.instruction.row = row;
}
template <class T>
T fresh() {
  T message{};
  if constexpr (std::is_same_v<T, isa::Instruction>) message.row = &isa::rows().begin()[0];
  if constexpr (std::is_same_v<T, simd::Issue>) message.instruction.row = &isa::rows().begin()[0];
  return message;
}

/// The fields in their order, the first one lowest; a message inside one is as it is on pins.
template <class T>
contract::Pins<T> fields_of(const T& message, unsigned beat) {
  contract::Pins<T> pins{};
  contract::PinWriter writer(reinterpret_cast<uint8_t*>(pins.data()), beat);
  contract::Message<T>::visit(message, writer);
  writer.finish();
  return pins;
}

template <class T, class Model, class In, class Fields, class Out>
void probe(Model& model, In& in, const Fields& fields, const Out& out) {
  static_assert(sizeof(in) == sizeof(out));
  constexpr size_t kBytes = (contract::Message<T>::kBits + 7) / 8;
  std::mt19937_64 rng(contract::Message<T>::kBits);
  const unsigned messages = test::whole() ? 10'000 : 2'000;
  for (unsigned n = 0; n < messages; ++n) {
    T message = fresh<T>();
    randomise(message, rng);
    T back = fresh<T>();
    for (unsigned beat = 0; beat < contract::Message<T>::kBeats; ++beat) {
      const contract::Pins<T> pins = contract::pack(message, beat);
      ASSERT_EQ(contract::beat_of<T>(reinterpret_cast<const uint8_t*>(pins.data())), beat);
      std::memset(&in, 0, sizeof(in));
      std::memcpy(&in, pins.data(), kBytes);
      model.eval();
      ASSERT_EQ(std::memcmp(&fields, fields_of(message, beat).data(), kBytes), 0) << "fields";
      ASSERT_EQ(std::memcmp(&out, pins.data(), kBytes), 0) << "put together";
      contract::unpack(pins, back);
    }
    // Every beat came back, so that the messages are the same: on pins, in comparison, as JSON.
    contract::Comparison same;
    if constexpr (std::is_invocable_v<
                      decltype(contract::Message<T>::template compare<contract::Comparison&>),
                      const T&, const T&, contract::Comparison&>) {
      contract::Message<T>::compare(message, back, same);
      ASSERT_TRUE(same.differences().empty()) << same.differences()[0].field->name;
    }
    const std::string text = ip::recording::message_json(message).dump();
    ASSERT_EQ(text, ip::recording::message_json(back).dump());
    T read = fresh<T>();
    ip::recording::Line line(std::string("{}"), {"test", 1});
    ip::recording::read_message(line, ip::recording::Json::parse(text), read);
    ASSERT_TRUE(line.ok()) << line.finish().error().what;
    for (unsigned beat = 0; beat < contract::Message<T>::kBeats; ++beat) {
      ASSERT_EQ(contract::pack(read, beat), contract::pack(message, beat)) << "JSON";
    }
  }
}

#define CUVETTE_PROBE(Kind, pin) \
  probe<Kind>(*model, model->pin##_i, model->pin##_fields_o, model->pin##_o);

TEST(ContractViews, CommandProcessor) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_command_processor.inc"
}
TEST(ContractViews, ComputeUnit) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_compute_unit.inc"
}
TEST(ContractViews, Gds) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_gds.inc"
}
TEST(ContractViews, Lds) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_lds.inc"
}
TEST(ContractViews, MatrixCore) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_matrix_core.inc"
}
TEST(ContractViews, Memory) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_memory.inc"
}
TEST(ContractViews, Simd) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_simd.inc"
}
TEST(ContractViews, Spi) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_spi.inc"
}
TEST(ContractViews, Vrf) {
  VerilatedContext context;
  const auto model = std::make_unique<Vcontract_probe>(&context);
#include "contract_probe_vrf.inc"
}

}  // namespace
}  // namespace cuvette
