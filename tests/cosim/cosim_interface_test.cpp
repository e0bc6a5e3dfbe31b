// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The C interface and the DPI functions of libcuvette_cosim, as a simulator calls them.
#include <string>

#include <gtest/gtest.h>

#include "cuvette_cosim.h"

extern "C" {  // as cuvette_cosim_pkg.sv declares them
void* cuvette_dpi_create(const char* target, int compare);
void cuvette_dpi_destroy(void* c);
int cuvette_dpi_load_word(void* c, int64_t address, int value);
void cuvette_dpi_wave(void* c, int64_t id, int64_t pc, int64_t exec, int mode, int vgprs,
                      int accvgprs, int sgprs, int lds_bytes, int workgroup);
void cuvette_dpi_wave_sgpr(void* c, int code, int value);
void cuvette_dpi_wave_vgpr(void* c, int index, int lane, int value);
int cuvette_dpi_start(void* c);
void cuvette_dpi_record(void* c, int64_t wave, int64_t order, int64_t pc, int64_t exec, int length,
                        int word0, int word1, int word2, int word3);
void cuvette_dpi_record_status(void* c, int mode, int trapsts, int flags, int trap);
void cuvette_dpi_record_status_register(void* c, int status);
int cuvette_dpi_retire(void* c);
int cuvette_dpi_passed(void* c);
int cuvette_dpi_observe_store(void* c, int64_t wave, int64_t order, int lane, int64_t serial);
}

namespace {

struct Owned {
  cuvette_cosim* c = nullptr;
  explicit Owned(uint32_t compare = CUVETTE_COSIM_ALL) {
    cuvette_cosim_options options{};
    options.size = sizeof options;
    options.target = "gfx908";
    options.compare = compare;
    c = cuvette_cosim_create(&options);
  }
  ~Owned() { cuvette_cosim_destroy(c); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
};

TEST(CosimInterface, ArraysThatAreNotThereAreErrors) {
  const Owned owned;
  cuvette_cosim* const c = owned.c;
  ASSERT_NE(c, nullptr);
  const auto refused = [&](int result) {
    return result == 0 &&
           std::string(cuvette_cosim_text(c)).find("null pointer to elements") != std::string::npos;
  };
  EXPECT_TRUE(refused(cuvette_cosim_load(c, 0x1000, nullptr, 4)));
  EXPECT_TRUE(refused(cuvette_cosim_load_code_object(c, 0x1000, nullptr, 64, nullptr)));
  EXPECT_TRUE(refused(cuvette_cosim_observe_load(c, 1, 0, 1, nullptr, 4)));
  cuvette_cosim_wave w{};
  w.size = sizeof w;
  w.vgprs = 4;
  w.sgpr_count = 1;
  EXPECT_TRUE(refused(cuvette_cosim_start(c, &w)));
  w.sgpr_count = 0;
  w.vgpr_count = 1;
  EXPECT_TRUE(refused(cuvette_cosim_start(c, &w)));
  cuvette_cosim_record r{};
  r.size = sizeof r;
  for (uint32_t* count : {&r.vector_write_count, &r.scalar_write_count, &r.access_count}) {
    *count = 1;
    EXPECT_EQ(cuvette_cosim_retire(c, &r), 0);
    EXPECT_STREQ(cuvette_cosim_text(c), "a record with counts or sizes that cannot be");
    *count = 0;
  }
  EXPECT_EQ(cuvette_cosim_failed(c), 0) << "a wrong call is no mismatch";
  EXPECT_EQ(cuvette_cosim_load(c, 0x1000, nullptr, 0), 1) << "nothing is an array of nothing";
}

/// v_mov_b32 v1, 7 twice, then the end; golden alone executes the first.
const cuvette_cosim_record* first_record(cuvette_cosim* c) {
  const uint32_t code[] = {0x7e020287, 0x7e020287, 0xbf810000, 0, 0, 0};
  EXPECT_EQ(cuvette_cosim_load(c, 0x1000, code, sizeof code), 1);
  cuvette_cosim_wave w{};
  w.size = sizeof w;
  w.pc = 0x1000;
  w.exec = 1;
  w.mode = 0x3f0;
  w.vgprs = 4;
  w.sgprs = 16;
  EXPECT_EQ(cuvette_cosim_start(c, &w), 1);
  const cuvette_cosim_record* record = nullptr;
  EXPECT_EQ(cuvette_cosim_step(c, 0, &record), 1);
  return record;
}

TEST(CosimInterface, StatusIsComparedWhenAskedFor) {
  for (const uint32_t compare : {CUVETTE_COSIM_ALL + 0u, CUVETTE_COSIM_STATUS_REGISTER + 0u}) {
    const Owned owned(compare);
    cuvette_cosim_record device = *first_record(owned.c);
    EXPECT_EQ(device.status, 0x10400u) << "VALID and VCCZ";
    device.order = 1;
    device.pc = 0x1004;
    device.status = 0;
    const bool all = compare == CUVETTE_COSIM_ALL;
    EXPECT_EQ(cuvette_cosim_retire(owned.c, &device), all ? 1 : 0);
    const std::string text = cuvette_cosim_text(owned.c);
    EXPECT_EQ(text.find("status: expected 0x10400, found 0x0") != std::string::npos, !all) << text;
  }
}

TEST(CosimInterface, NothingComparedIsNotPassed) {
  const Owned owned;
  EXPECT_EQ(cuvette_cosim_passed(owned.c), 0);
  cuvette_cosim_record device = *first_record(owned.c);
  EXPECT_EQ(cuvette_cosim_passed(owned.c), 0) << "golden alone";
  EXPECT_EQ(cuvette_dpi_passed(owned.c), 0);
  device.order = 1;
  device.pc = 0x1004;
  EXPECT_EQ(cuvette_cosim_retire(owned.c, &device), 1) << cuvette_cosim_text(owned.c);
  EXPECT_EQ(cuvette_cosim_passed(owned.c), 1);
  device.order = 2;
  EXPECT_EQ(cuvette_cosim_retire(owned.c, &device), 0);
  EXPECT_EQ(cuvette_cosim_passed(owned.c), 0);
  EXPECT_EQ(cuvette_cosim_passed(nullptr), 0);
}

TEST(CosimInterface, AfterAMismatchOnlyQuestionsAreAnswered) {
  const Owned owned;
  cuvette_cosim* const c = owned.c;
  cuvette_cosim_record device = *first_record(c);
  device.order = 1;
  device.pc = 0x1004;
  device.length = 2;
  EXPECT_EQ(cuvette_cosim_retire(c, &device), 0);
  EXPECT_EQ(cuvette_cosim_failed(c), 1);
  const std::string text = cuvette_cosim_text(c);
  EXPECT_NE(text.find("number of words"), std::string::npos) << text;
  EXPECT_EQ(cuvette_cosim_load(c, 0x5000, "abcd", 4), 0);
  cuvette_cosim_wave w{};
  w.size = sizeof w;
  w.id = 5;
  EXPECT_EQ(cuvette_cosim_start(c, &w), 0);
  cuvette_cosim_counts counts{};
  counts.size = sizeof counts;
  EXPECT_EQ(cuvette_cosim_get_counts(c, &counts), 1);
  EXPECT_EQ(text, cuvette_cosim_text(c));
}

TEST(CosimInterface, LanesOfDpiAreNotCutOff) {
  const Owned owned;
  (void)first_record(owned.c);
  EXPECT_EQ(cuvette_dpi_observe_store(owned.c, 0, 1, 256, 1), 0);
  EXPECT_EQ(cuvette_cosim_failed(owned.c), 1);
}

TEST(CosimInterface, StatusThroughDpi) {
  for (const int status : {0x10400, 0x10000}) {
    for (const int compare : {CUVETTE_COSIM_ALL + 0, CUVETTE_COSIM_STATUS_REGISTER + 0}) {
      void* const dpi = cuvette_dpi_create("gfx908", compare);
      ASSERT_NE(dpi, nullptr);
      for (int n = 0; n < 8; ++n) {
        ASSERT_EQ(cuvette_dpi_load_word(dpi, 0x1000 + 4 * n, static_cast<int>(0xbf800000)), 1);
      }
      cuvette_dpi_wave(dpi, 1, 0x1000, 1, 0x3f0, 4, 0, 16, 0, 0);
      ASSERT_EQ(cuvette_dpi_start(dpi), 1);
      cuvette_dpi_record(dpi, 1, 0, 0x1000, 1, 1, static_cast<int>(0xbf800000), 0, 0, 0);
      cuvette_dpi_record_status(dpi, 0x3f0, 0, 0, 0);
      cuvette_dpi_record_status_register(dpi, status);
      const bool right = status == 0x10400 || compare == CUVETTE_COSIM_ALL;
      EXPECT_EQ(cuvette_dpi_retire(dpi), right ? 1 : 0)
          << cuvette_cosim_text(static_cast<cuvette_cosim*>(dpi));
      cuvette_dpi_destroy(dpi);
    }
  }
}

/// D16 loads keep the other half where memory has no ECC (decisions.md D16).
TEST(CosimInterface, EccOfATargetThroughDpi) {
  struct Case {
    const char* target;
    uint32_t loaded;
  };
  for (const Case& c : {Case{"gfx900", 0x1234abcd},
                        {"gfx906", 0x1234abcd},
                        {"gfx908", 0xabcd},
                        {"gfx90a", 0xabcd},
                        {"gfx942", 0xabcd}}) {
    SCOPED_TRACE(c.target);
    void* const dpi = cuvette_dpi_create(c.target, CUVETTE_COSIM_ALL);
    ASSERT_NE(dpi, nullptr);
    // global_load_short_d16 v1, v0, s[0:1]
    const int program[] = {
        static_cast<int>(0xdc908000), 0x01000000, static_cast<int>(0xbf810000), 0, 0, 0};
    for (int n = 0; n < 6; ++n) {
      ASSERT_EQ(cuvette_dpi_load_word(dpi, 0x2000 + 4 * n, program[n]), 1);
    }
    ASSERT_EQ(cuvette_dpi_load_word(dpi, 0x1000, 0xabcd), 1);
    cuvette_dpi_wave(dpi, 1, 0x2000, 1, 0x3f0, 4, 0, 16, 0, 0);
    cuvette_dpi_wave_sgpr(dpi, 0, 0x1000);
    cuvette_dpi_wave_vgpr(dpi, 1, 0, 0x12345678);
    ASSERT_EQ(cuvette_dpi_start(dpi), 1);
    const cuvette_cosim_record* record = nullptr;
    auto* const cosim = static_cast<cuvette_cosim*>(dpi);
    ASSERT_EQ(cuvette_cosim_step(cosim, 1, &record), 1) << cuvette_cosim_text(cosim);
    ASSERT_EQ(record->vector_write_count, 1u);
    EXPECT_EQ(record->vector_writes[0].data[0], c.loaded);
    cuvette_dpi_destroy(dpi);
  }
}

}  // namespace
