// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/rtl_module.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"

// Modules of our RTL: where they are looked for, and what is wrong with a file that is none.
namespace cuvette {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// CUVETTE_RTL_DIR for the time of an object.
class Folder {
 public:
  explicit Folder(const std::string& path) { setenv("CUVETTE_RTL_DIR", path.c_str(), 1); }
  ~Folder() { unsetenv("CUVETTE_RTL_DIR"); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

std::string error_of(const std::string& block) {
  const auto module = ip::load_rtl(block);
  return module.ok() ? "none" : module.error().str();
}

TEST(RtlModule, OfTheBuildTreeIsFound) {
  for (const char* module : {"cache", "crossbar", "gds", "lds", "matrix_core", "matrix_core_gfx90a",
                             "matrix_core_gfx942", "memory", "simd", "spi", "valu", "valu_gfx900",
                             "valu_gfx906", "valu_gfx90a", "valu_gfx942", "vrf"}) {
    EXPECT_EQ(error_of(module), "none") << module;
  }
}

TEST(RtlModule, ChecksBlocksByTheirNamesInMachines) {
  for (const char* block : {"l2", "vector_l1", "scalar_cache", "instruction_cache", "cache", "spi",
                            "compute_unit", "command_processor"}) {
    EXPECT_TRUE(ip::check_rtl(block).ok()) << block;
  }
}

TEST(RtlModule, LanesAndMatrixCoreHaveOneForEachTarget) {
  using isa::Target;
  EXPECT_EQ(ip::rtl_module_of("valu", Target::Gfx908), "valu");
  EXPECT_EQ(ip::rtl_module_of("valu", Target::Gfx900), "valu_gfx900");
  EXPECT_EQ(ip::rtl_module_of("matrix_core", Target::Gfx942), "matrix_core_gfx942");
  EXPECT_EQ(ip::rtl_module_of("matrix_core", Target::Gfx906), "matrix_core") << "has no circuit";
  EXPECT_EQ(ip::rtl_module_of("l2", Target::Gfx942), "cache");
  EXPECT_EQ(ip::rtl_module_of("compute_unit", Target::Gfx942), "");
}

TEST(RtlModule, ErrorsNameTheFile) {
  const base::TemporaryDirectory made("rtl");
  ASSERT_TRUE(made.ok());
  const std::filesystem::path folder = made.file("modules");
  std::filesystem::create_directory(folder);
  const Folder named(folder.string());
  EXPECT_THAT(error_of("absent"),
              AllOf(HasSubstr((folder / "absent.so").string()),
                    HasSubstr("no such file, expected a module of Verilated RTL"),
                    HasSubstr("target cuvette_rtl_absent"), HasSubstr("CUVETTE_RTL_DIR")));
  std::ofstream(folder / "text.so") << "no module";
  EXPECT_THAT(error_of("text"), HasSubstr("not a shared module that can be loaded"));
  std::filesystem::create_directory(folder / "directory.so");
  EXPECT_THAT(error_of("directory"), HasSubstr("not a shared module that can be loaded"));
}

TEST(RtlModule, OfAnotherKindIsRefused) {
  const Folder named(std::filesystem::path(CUVETTE_OTHER_VERSION).parent_path().string());
  EXPECT_THAT(error_of("other_version"),
              HasSubstr("RTL of version 0.0.0, expected that of the program, "));
  EXPECT_THAT(error_of("no_function"), HasSubstr("the module has no function cuvette_rtl"));
}

TEST(RtlModule, BuildsAndStrapsHaveNames) {
  contract::PortCounts ports;
  EXPECT_THROW(ip::simulate_rtl("vrf", {"vrf_slow"}, ports), std::runtime_error);
  const ip::RtlRequest request{"vrf_fast", 1, {{"size_i", 4}}};
  const auto device = ip::simulate_rtl("vrf", request, ports);
  EXPECT_THROW(device->set_reset(true), std::logic_error) << "an input that the block has not";
}

TEST(RtlModule, BlocksUseTheFirstPortsOfABuild) {
  contract::PortCounts ports;
  EXPECT_NE(ip::simulate_rtl("spi", {"spi_fast"}, ports), nullptr);
  contract::ChannelInfo waves{};
  waves.parameter = 1;
  EXPECT_EQ(ports.of(waves), 4U);
}

}  // namespace
}  // namespace cuvette
