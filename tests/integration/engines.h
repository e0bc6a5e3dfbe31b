// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "hsa/image.h"
#include "hsail/module.h"

/// Runs one HSAIL kernel on the interpreter of layer hsail and, finalized, on the golden machine.
namespace cuvette::engines {

using Bytes = std::vector<uint8_t>;

/// An argument: a value, or the address of a buffer.
struct Argument {
  Bytes value;
  int buffer = -1;
};

template <class T>
Argument by_value(T v) {
  Argument argument;
  argument.value.resize(sizeof v);
  std::memcpy(argument.value.data(), &v, sizeof v);
  return argument;
}
inline Argument buffer(int index) {
  return {{}, index};
}

/// A place in a buffer that holds the code handle of an indirect function.
struct FunctionHandle {
  size_t buffer = 0;
  size_t offset = 0;
  std::string function;  ///< "&name"
};

/// A buffer that holds an image object: its data lies in another buffer, from `offset` on. It comes
/// back as it was in Launch, because it holds an address.
struct ImageBuffer {
  size_t buffer = 0;
  size_t data = 0;
  uint64_t offset = 0;
  hsa::Image image;
};

struct Launch {
  std::string kernel;  ///< "&name"
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint16_t, 3> workgroup{1, 1, 1};
  std::vector<Argument> arguments;
  std::vector<Bytes> buffers;  ///< contents before
  uint32_t dynamic_group_bytes = 0;
  std::vector<FunctionHandle> handles{};
  std::vector<ImageBuffer> images{};
  uint64_t completion_signal = 0;
  uint64_t packet_id = 0;
};

struct Outcome {
  std::string error;           ///< empty when the run ended well
  std::vector<Bytes> buffers;  ///< contents after
  bool undefined = false;      ///< interpreter only: it met values the HSAIL PRM leaves undefined
};

/// `target`: whose matrix instructions there are.
Outcome run_interpreter(const hsail::Module& module, const Launch& launch,
                        const std::string& target = "gfx908");
/// `target` as in finalizer::Options.
Outcome run_golden(const hsail::Module& module, const Launch& launch, const std::string& target);
/// The same for a module finalized before.
Outcome run_golden_object(const hsail::Module& module, const Bytes& object, const Launch& launch,
                          const std::string& target);

}  // namespace cuvette::engines
