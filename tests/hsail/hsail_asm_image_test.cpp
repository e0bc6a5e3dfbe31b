// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_asm_oracle.h"
#include "image_oracle.h"

// Image instructions and constants against HSAILasm.
namespace cuvette::hsail {
namespace {

using namespace testing;

class AsmImages : public AsmOracle {
 protected:
  /// Compares one text: whether it is accepted, its BRIG, and its way through HSAILasm.
  bool compare(const std::string& module, const std::string& what) {
    const bool ours = we_accept(module);
    const auto brig = assembled(module);
    EXPECT_EQ(ours, !brig.empty()) << what << "\n" << log() << all_messages(module);
    if (!ours || brig.empty()) return false;
    EXPECT_TRUE(same_brig(module, brig)) << what;
    const auto mine = parse_text(module, "ours");
    const auto back = parse_text(disassembled(brig), "theirs");
    EXPECT_TRUE(back.ok() && same_module(mine.module, back.module)) << what;
    const auto printed = parse_text(print(mine.module), "printed");
    EXPECT_TRUE(printed.ok() && same_module(mine.module, printed.module)) << print(mine.module);
    return true;
  }
};

const char* const kImageHeader = "module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n";

std::string kernel_with(const std::string& body) {
  return kImageHeader + std::string("prog kernel &k()\n{\n\t") + body + "\n};\n";
}

const char* const kGeometries[] = {"1d", "2d", "3d", "1da", "2da", "1db", "2ddepth", "2dadepth"};

std::string list(const std::string& letter, unsigned first, unsigned count) {
  std::string text = "(";
  for (unsigned i = 0; i < count; ++i) {
    text += (i == 0 ? "$" : ", $") + letter + std::to_string(first + i);
  }
  return count == 1 ? text.substr(1) : text + ")";
}

TEST_F(AsmImages, Accesses) {
  const unsigned coordinates[] = {1, 2, 3, 2, 3, 1, 2, 3};
  std::set<std::string> bodies;
  for (const std::string op : {"rdimage", "ldimage", "stimage"}) {
    for (unsigned g = 0; g < 8; ++g) {
      const bool depth = g >= 6;
      for (const bool four : {false, true}) {
        const auto text = [&](const std::string& type, const std::string& image,
                              const std::string& coord, unsigned count,
                              const std::string& equiv = "") {
          return op + (four ? "_v4_" : "_") + kGeometries[g] + equiv + "_" + type + "_" + image +
                 "_" + coord + " " + list("s", 0, four ? 4 : 1) + ", $d1" +
                 (op == "rdimage" ? ", $d2, " : ", ") + list("s", 8, count) + ";";
        };
        const std::string image = op == "stimage" ? "rwimg" : "roimg";
        const std::string coord = op == "rdimage" ? "f32" : "u32";
        if (four == depth) {  // the wrong number of components
          bodies.insert(text("f32", image, coord, coordinates[g]));
          continue;
        }
        for (const char* type : {"u32", "s32", "f16", "f32", "f64", "u64", "b32"}) {
          bodies.insert(text(type, image, coord, coordinates[g]));
        }
        for (const char* other : {"roimg", "woimg", "rwimg", "samp"}) {
          bodies.insert(text("f32", other, coord, coordinates[g]));
        }
        for (const char* other : {"u32", "s32", "f32", "f16"}) {
          bodies.insert(text("s32", image, other, coordinates[g]));
        }
        bodies.insert(text("f32", image, coord, coordinates[g] % 3 + 1));
        bodies.insert(text("f32", image, coord, coordinates[g], "_equiv(12)"));
      }
    }
  }
  size_t accepted = 0;
  for (const std::string& body : bodies) accepted += compare(kernel_with(body), body) ? 1 : 0;
  std::cout << "image accesses compared with HSAILasm: " << bodies.size() << ", both accept "
            << accepted << "\n";
  EXPECT_GT(accepted, 130u);
  compared_opcodes().insert({Opcode::kRdImage, Opcode::kLdImage, Opcode::kStImage});
}

TEST_F(AsmImages, QueriesAndFences) {
  std::vector<std::string> bodies = {"imagefence;",
                                     "querysampler_addressing_u32 $s0, $d4;",
                                     "querysampler_coord_u32 $s0, $d4;",
                                     "querysampler_filter_u32 $s0, $d4;",
                                     "querysampler_filter_s32 $s0, $d4;",
                                     "querysampler_width_u32 $s0, $d4;",
                                     "stimage_v4_1d_f32_woimg_u32 ($s1, $s2, $s3, $s4), $d1, 5;",
                                     "ldimage_v4_2d_f32_rwimg_u32 ($s1, $s2, $s3, $s4), $d1, (1, "
                                     "$s6);",
                                     "ldimage_v4_2d_f32_rwimg_u32 ($s1, $s2, $s3, $s4), $s1, (1, "
                                     "$s6);",
                                     "ldimage_v4_4d_f32_rwimg_u32 ($s1, $s2, $s3, $s4), $d1, $s6;",
                                     "ld_global_roimg $d1, [$d0];",
                                     "mov_roimg $d1, $d2;",
                                     "mov_samp $d1, $d2;"};
  for (const char* g : kGeometries) {
    for (const char* property :
         {"width", "height", "depth", "array", "channelorder", "channeltype"}) {
      bodies.push_back(std::string("queryimage_") + g + "_" + property + "_u32_rwimg $s1, $d1;");
    }
  }
  size_t accepted = 0;
  for (const std::string& body : bodies) accepted += compare(kernel_with(body), body) ? 1 : 0;
  EXPECT_GT(accepted, 35u);
  EXPECT_FALSE(we_accept(module_with("imagefence;"))) << "without the extension";
  compared_opcodes().insert({Opcode::kQueryImage, Opcode::kQuerySampler, Opcode::kImageFence});
}

TEST_F(AsmImages, Constants) {
  const char* const orders[] = {"a",    "r",     "rx",    "rg",    "rgx",       "ra",
                                "rgb",  "rgbx",  "rgba",  "bgra",  "argb",      "abgr",
                                "srgb", "srgbx", "srgba", "sbgra", "intensity", "luminance"};
  std::vector<std::string> variables;
  for (const char* order : orders) {
    const std::string o(order);
    const std::string channel =
        o.rfind("rgb", 0) == 0 && o != "rgba" ? "unorm_short_565" : "unorm_int8";
    variables.push_back(
        "alloc(agent) global_roimg &x = roimg(geometry = 3d, width = 5, height = 4, "
        "depth = 6, channel_type = " +
        channel + ", channel_order = " + o + ");");
  }
  for (const char* channel : {"snorm_int8", "snorm_int16", "unorm_int8", "unorm_int16",
                              "signed_int8", "signed_int16", "signed_int32", "unsigned_int8",
                              "unsigned_int16", "unsigned_int32", "half_float", "float"}) {
    variables.push_back(std::string("alloc(agent) global_woimg &x = woimg(channel_order = rgba, "
                                    "channel_type = ") +
                        channel + ", array = 3, width = 9, geometry = 1da);");
  }
  for (const char* text :
       {"alloc(agent) global_rwimg &x = rwimg(geometry = 2ddepth, width = 5, height = 4, "
        "channel_type = unorm_int24, channel_order = depth);",
        "alloc(agent) global_rwimg &x = rwimg(geometry = 2dadepth, width = 5, height = 4, array = "
        "2, channel_type = float, channel_order = depth_stencil);",
        "readonly_rwimg &x = rwimg(geometry = 1db, width = 5, channel_type = unorm_int_101010, "
        "channel_order = rgbx);",
        "readonly_rwimg &x[2] = rwimg[](rwimg(geometry = 1d, width = 5, channel_type = "
        "unorm_short_555, channel_order = rgb), rwimg(geometry = 2da, width = 5, height = 1, array "
        "= 4, channel_type = float, channel_order = r));",
        "readonly_samp &x = samp(coord = normalized, filter = nearest, addressing = "
        "clamp_to_edge);",
        "const readonly_samp &x = samp(addressing = undefined, coord = unnormalized, filter = "
        "nearest);",
        "alloc(agent) global_samp &x[2] = samp[](samp(coord = unnormalized, filter = nearest, "
        "addressing = clamp_to_border), samp(coord = normalized, filter = linear, addressing = "
        "mirrored_repeat));",
        "readonly_samp &x = samp(coord = normalized, filter = linear, addressing = repeat);",
        "alloc(agent) global_b8 &x[16] = {u32(4), align(8), samp(coord = unnormalized, filter = "
        "nearest, addressing = clamp_to_border)};",
        "alloc(agent) global_b8 &x[16] = {u32(4), align(8), rwimg(geometry = 2d, width = 5, height "
        "= 4, channel_type = unorm_short_555, channel_order = rgb)};",
        "decl prog global_roimg &x[10];", "decl prog global_samp &x;",
        // Refused.
        "readonly_samp &x = samp(coord = normalized, filter = linear);",
        "readonly_samp &x = samp(coord = normalized, coord = normalized, filter = linear, "
        "addressing = repeat);",
        "readonly_samp &x = samp(coord = unnormalized, filter = nearest, addressing = repeat);",
        "readonly_rwimg &x = rwimg(geometry = 1d, height = 4, width = 5, channel_type = float, "
        "channel_order = r);",
        "readonly_rwimg &x = rwimg(geometry = 2d, width = 5, channel_type = float, channel_order = "
        "r);",
        "readonly_rwimg &x = rwimg(geometry = 2d, width = 5, height = 0, channel_type = float, "
        "channel_order = r);",
        "readonly_rwimg &x = roimg(geometry = 1d, width = 5, channel_type = float, channel_order = "
        "r);",
        "readonly_rwimg &x = 0;",
        "global_samp &x = samp(coord = normalized, filter = nearest, addressing = "
        "clamp_to_edge);"}) {
    variables.push_back(text);
  }
  size_t accepted = 0;
  for (const std::string& text : variables) {
    accepted += compare(kImageHeader + text + "\n", text) ? 1 : 0;
  }
  EXPECT_GT(accepted, 35u);
  if (!HasFailure()) {
    Ledger::cover(
        "HL-127 HL-230 HL-231 HL-385 HL-386 HL-387 HL-388 HL-389 HL-390 HL-391 HL-392 "
        "HL-393 HL-394 HL-402 HL-403");
  }
}

/// Every geometry, channel order and channel type: HSAILasm knows of depth images and their orders
/// only. Formats that table 7-4 does not have, which image_oracle.h has once more, are a warning of
/// the language and an error of machines.
TEST_F(AsmImages, EveryFormat) {
  const char* const sizes[] = {
      "", "height = 4, ", "height = 4, depth = 6, ", "array = 3, ", "height = 4, array = 3, ",
      "", "height = 4, ", "height = 4, array = 3, "};
  size_t both = 0;
  size_t in_table = 0;
  for (unsigned g = 0; g < std::size(kGeometries); ++g) {
    const bool depth = is_depth_image(static_cast<ImageGeometry>(g));
    std::set<std::pair<unsigned, unsigned>> table;
    for (const auto& format : image_oracle::formats(depth))
      table.insert({static_cast<unsigned>(format.order), static_cast<unsigned>(format.channel)});
    for (unsigned order = 0; order < 20; ++order) {
      std::string text = kImageHeader;
      std::set<unsigned> outside;  // lines
      for (unsigned channel = 0; channel < 16; ++channel) {
        text += "readonly_roimg &x" + std::to_string(channel) +
                " = roimg(geometry = " + kGeometries[g] + ", width = 5, " + sizes[g] +
                "channel_type = " + std::string(name(static_cast<ChannelType>(channel))) +
                ", channel_order = " + std::string(name(static_cast<ChannelOrder>(order))) + ");\n";
        if (table.count({order, channel}) == 0) outside.insert(channel + 3);
      }
      const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
      const auto lines = [](const std::vector<base::Error>& messages) {
        std::set<unsigned> all;
        for (const base::Error& e : messages) {
          EXPECT_EQ(e.id, "image-constant");
          all.insert(e.where.line);
        }
        return all;
      };
      const Outcome language = parse_module(bytes, text.size(), "t", Rules::kLanguage);
      const Outcome machine = parse_module(bytes, text.size(), "t", Rules::kMachine);
      const auto brig = assembled(text);
      EXPECT_EQ(language.ok(), !brig.empty()) << text << log();
      EXPECT_EQ(language.ok(), (order >= 18) == depth) << text;
      EXPECT_EQ(lines(machine.errors), outside) << text;
      if (!language.ok()) continue;
      EXPECT_EQ(lines(language.warnings), outside) << text;
      const auto ours = write_brig(language.module);
      EXPECT_TRUE(ours.ok() && *ours == brig) << text;
      both += 16;
      in_table += 16 - outside.size();
    }
  }
  std::cout << "image constants that HSAILasm and we take: " << both
            << ", in table 7-4: " << in_table << "\n";
  EXPECT_EQ(both, (6 * 18 + 2 * 2) * 16u);
}

}  // namespace
}  // namespace cuvette::hsail
