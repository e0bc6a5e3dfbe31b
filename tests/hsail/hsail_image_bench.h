// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsa/image.h"
#include "hsail_case.h"

// One image and a kernel that works on it.
namespace cuvette::hsail::testing {

inline constexpr const char* kImageModule =
    "module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n";

inline uint8_t number_of(ImageGeometry g) {
  return static_cast<uint8_t>(g);
}

/// One image with its data, and a kernel that gets the handles in $d1 (image) and $d2 (sampler),
/// input words in $s8 to $s11 and leaves results in $s0 to $s3.
class Bench {
 public:
  TestMemory memory;
  hsa::Image image;
  std::vector<uint8_t> data;

  Bench(ImageGeometry geometry, ChannelOrder order, ChannelType channel, uint32_t width,
        uint32_t height = 1, uint32_t depth = 1, uint32_t array = 1) {
    image = {number_of(geometry),
             static_cast<uint8_t>(order),
             static_cast<uint8_t>(channel),
             width,
             height,
             depth,
             array,
             0,
             0,
             0};
    // Pitches with room behind rows and slices (7.1.7).
    bytes_ = hsa::element_bytes(image.order, image.channel);
    image.row_pitch = uint64_t{width} * bytes_ + bytes_;
    image.slice_pitch = image.row_pitch * (height + 1);
    data.assign(image.slice_pitch * depth * array, 0);
  }
  unsigned element_bytes() const { return bytes_; }
  uint8_t* element(uint32_t x, uint32_t y = 0, uint32_t slice = 0) {
    return data.data() + slice * image.slice_pitch + y * image.row_pitch + uint64_t{x} * bytes_;
  }

  struct Result {
    std::vector<uint32_t> words;
    std::string error;
    size_t undefined = 0;
  };
  /// `types`: of image and sampler arguments.
  Result run(const std::string& body, const std::vector<uint32_t>& in,
             const hsa::Sampler& sampler = {}, const std::string& image_type = "roimg") {
    const std::string text =
        kImageModule + ("prog kernel &k(kernarg_" + image_type +
                        " %i, kernarg_samp %s, kernarg_u64 %in, kernarg_u64 %out)\n{\n"
                        "ld_kernarg_" +
                        image_type +
                        " $d1, [%i];\nld_kernarg_samp $d2, [%s];\n"
                        "ld_kernarg_u64 $d3, [%in];\nld_kernarg_u64 $d4, [%out];\n"
                        "ld_v4_global_u32 ($s8, $s9, $s10, $s11), [$d3];\n" +
                        body + "\nst_v4_global_u32 ($s0, $s1, $s2, $s3), [$d4];\n};\n");
    const auto module = load_text(text, "image.hsail");
    EXPECT_TRUE(module.ok()) << text << (module.ok() ? "" : module.error().str());
    if (!module.ok()) return {};
    image.data = memory.add_values(data);
    const hsa::ImageObject object = hsa::image_object(image);
    const hsa::SamplerObject sampling = hsa::sampler_object(sampler);
    std::vector<uint32_t> words = in;
    words.resize(4);
    const uint64_t out = memory.add(16);
    const Kernarg kernarg =
        Kernarg()
            .add(memory.add_values(std::vector<uint32_t>(object.begin(), object.end())))
            .add(memory.add_values(std::vector<uint32_t>(sampling.begin(), sampling.end())))
            .add(memory.add_values(words))
            .add(out);
    Dispatch d;
    d.kernel = module->find_kernel("&k");
    d.kernarg = kernarg.bytes();
    d.kernarg_address = 0x7000;
    Machine machine(*module, memory, {});
    const auto status = machine.run(d);
    data = memory.values<uint8_t>(image.data);
    return {memory.values<uint32_t>(out), status.ok() ? "" : status.error().str(),
            machine.undefined_uses().size()};
  }

 private:
  unsigned bytes_ = 1;
};

inline float as_float(uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline uint32_t bits_of(float value) {
  return static_cast<uint32_t>(f32(value));
}

inline constexpr const char* kGeometryNames[] = {"1d",  "2d",  "3d",      "1da",
                                                 "2da", "1db", "2ddepth", "2dadepth"};

}  // namespace cuvette::hsail::testing
