// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the first byte picks the target, the rest are words. Decoding never crashes,
// what is accepted prints, and what is legal encodes back to itself.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/operands.h"
#include "isa/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace isa = cuvette::isa;
  if (size < 5) return 0;
  const isa::Target target = isa::kAllTargets[data[0] % isa::kTargets];
  uint32_t words[4] = {};
  const size_t count = std::min<size_t>((size - 1) / 4, 4);
  std::memcpy(words, data + 1, count * 4);

  const isa::Decoded out = isa::decode(target, words, count);
  const bool accepted =
      out.status == isa::DecodeStatus::Legal || out.status == isa::DecodeStatus::Reserved;
  if (!accepted) {
    if (out.reason[0] == '\0') std::abort();
    return 0;
  }
  if (out.length == 0 || out.length > count) std::abort();
  if (isa::text(out.instruction).empty()) std::abort();
  isa::registers_read(out.instruction);
  isa::registers_written(out.instruction);
  if (out.status == isa::DecodeStatus::Legal) {
    isa::Instruction copy = out.instruction;
    if (!isa::encode(copy).ok()) std::abort();
    if (std::memcmp(copy.words, words, out.length * 4u) != 0) std::abort();
  }
  return 0;
}
