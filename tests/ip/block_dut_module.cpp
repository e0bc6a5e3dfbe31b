// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A module of a user's device (docs/howto/bring_your_rtl.md) around a build of our own RTL.
#include CUVETTE_DUT_MODEL_HEADER
#include CUVETTE_DUT_BLOCK_HEADER

namespace {
constexpr const char* kOperations[] = {nullptr};
constexpr const char* kTargets[] = {"gfx908", nullptr};
constexpr cuvette::ip::dut::Facts kFacts{"ours", kOperations, 0, kTargets};
}  // namespace

extern "C" __attribute__((visibility("default"))) const cuvette_dut_table* cuvette_dut(void) {
  return cuvette::ip::dut::CUVETTE_DUT_TABLE<CUVETTE_DUT_MODEL, kFacts>();
}
