// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Image loads, stores, atomics and resource information. Places of texels are worked out by hand
// from the layout docs/reference/memory_semantics.md states; coordinates follow MI100 ISA table 42.
#include <functional>

#include "golden_images.h"

namespace cuvette::golden::testing {
namespace {

/// 8 x 4 texels of 32 bits, three levels (4, 2 and 1 rows), three layers: 7 rows a layer, of 256
/// bytes.
constexpr unsigned kPitch = 64, kRows = 7;
uint64_t place(unsigned x, unsigned y, unsigned level = 0, unsigned layer = 0) {
  const unsigned first_row[3] = {0, 4, 6};
  return 4 * (uint64_t{layer * kRows + first_row[level] + y} * kPitch + x);
}
Image array_image(const Bench& m) {
  Image i;
  i.base = m.base;
  i.number_format = 4;
  i.height = 4;
  i.depth = 3;
  i.pitch = kRows;
  i.last_level = i.max_mip = 2;
  i.type = 13;
  return i;
}
void fill_words(Bench& m) {
  for (uint32_t w = 0; w < kRows * kPitch * 3; ++w) m.set_word(4 * w, 1000 + w);
}

TEST(GoldenImage, LoadCoordinates) {
  Bench m;
  ASSERT_EQ(m.base % 256, 0u);
  bind(m, array_image(m));
  fill_words(m);
  m.wave.state.s.set_exec(0x1f);
  const uint32_t c[5][4] = {{3, 2, 0, 0}, {7, 3, 2, 0}, {8, 0, 0, 0}, {0, 4, 0, 0}, {0, 0, 3, 0}};
  for (unsigned lane = 0; lane < 5; ++lane) {
    for (unsigned n = 0; n < 4; ++n) m.wave.v[2 + n][lane] = c[lane][n];
  }
  Build b = image("image_load");
  b.i.mem.da = true;
  m.run(b);
  EXPECT_EQ(m.wave.v[20][0], m.word(place(3, 2)));
  EXPECT_EQ(m.wave.v[20][1], m.word(place(7, 3, 0, 2)));
  for (unsigned lane : {2u, 3u, 4u}) EXPECT_EQ(m.wave.v[20][lane], 0u);  // outside
  // Without DA the index of the array is 0.
  b.i.mem.da = false;
  m.run(b);
  EXPECT_EQ(m.wave.v[20][1], m.word(place(7, 3)));
  // 16-bit coordinates: x and y in one register, the layer in the next.
  m.wave.v[2][0] = 5u | 1u << 16;
  m.wave.v[3][0] = 1;
  b.i.mem.da = b.i.mem.a16 = true;
  m.run(b);
  EXPECT_EQ(m.wave.v[20][0], m.word(place(5, 1, 0, 1)));
}

TEST(GoldenImage, MipLevels) {
  Bench m;
  Image i = array_image(m);
  bind(m, i);
  fill_words(m);
  m.wave.state.s.set_exec(0xf);
  const uint32_t c[4][4] = {{3, 1, 1, 1}, {1, 0, 2, 2}, {4, 0, 0, 1}, {0, 0, 0, 3}};
  for (unsigned lane = 0; lane < 4; ++lane) {
    for (unsigned n = 0; n < 4; ++n) m.wave.v[2 + n][lane] = c[lane][n];
  }
  for (const char* row : {"image_load_mip", "image_load_mip_pck", "image_load_mip_pck_sgn"}) {
    Build b = image(row);
    b.i.mem.da = true;
    m.run(b);
    EXPECT_EQ(m.wave.v[20][0], m.word(place(3, 1, 1, 1))) << row;
    EXPECT_EQ(m.wave.v[20][1], m.word(place(1, 0, 2, 2))) << row;
    EXPECT_EQ(m.wave.v[20][2], 0u) << row;  // level 1 is 4 wide
    EXPECT_EQ(m.wave.v[20][3], 0u) << row;  // no level 3
  }
  // A view that begins at level 1 of the resource and layer 1.
  i.base_level = 1;
  i.first_layer = 1;
  bind(m, i);
  Build b = image("image_load");
  b.i.mem.da = true;
  m.run(b);
  EXPECT_EQ(m.wave.v[20][0], m.word(place(3, 1, 1, 2)));
}

TEST(GoldenImage, ComponentsAndMasks) {
  Bench m;
  Image i;
  i.base = m.base;
  i.data_format = 9;  // 2_10_10_10
  i.number_format = 4;
  bind(m, i);
  m.set_word(0, 3u << 30 | 100u << 20 | 200u << 10 | 300u);
  m.wave.state.s.set_exec(1);
  m.wave.v[23][0] = 77;
  m.run(image("image_load", 0xd));
  EXPECT_EQ(m.wave.v[20][0], 300u);
  EXPECT_EQ(m.wave.v[21][0], 100u);
  EXPECT_EQ(m.wave.v[22][0], 3u);
  EXPECT_EQ(m.wave.v[23][0], 77u);
  // D16 packs; a missing component is 0, missing alpha 1.
  Build d16 = image("image_load", 0x7);
  d16.i.mem.d16 = true;
  m.run(d16);
  EXPECT_EQ(m.wave.v[20][0], 300u | 200u << 16);
  EXPECT_EQ(m.wave.v[21][0] & 0xffff, 100u);
  i.data_format = 4;
  i.number_format = 7;
  bind(m, i);
  m.set_word(0, 0x40490fdb);
  Build all = image("image_load", 0xf);
  all.i.mem.tfe = true;
  m.wave.v[24][0] = 99;
  m.run(all);
  EXPECT_EQ(m.wave.v[20][0], 0x40490fdbu);
  EXPECT_EQ(m.wave.v[21][0], 0u);
  EXPECT_EQ(m.wave.v[22][0], 0u);
  EXPECT_EQ(m.wave.v[23][0], 0x3f800000u);
  EXPECT_EQ(m.wave.v[24][0], 0u);  // fail status
}

TEST(GoldenImage, PackedLoadsAndStores) {
  Bench m;
  Image i;
  i.base = m.base;
  i.data_format = 12;  // 64-bit elements
  bind(m, i);
  m.set_word(8, 0x89abcdef);
  m.set_word(12, 0x01234567);
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = 1;
  m.run(image("image_load_pck", 3));
  EXPECT_EQ(m.wave.v[20][0], 0x89abcdefu);
  EXPECT_EQ(m.wave.v[21][0], 0x01234567u);
  m.run(image("image_load_pck", 2));
  EXPECT_EQ(m.wave.v[20][0], 0x01234567u);
  m.wave.v[20][0] = 0x11111111;
  m.wave.v[21][0] = 0x22222222;
  m.wave.v[2][0] = 2;
  m.run(image("image_store_pck", 3));
  EXPECT_EQ(m.word(16), 0x11111111u);
  EXPECT_EQ(m.word(20), 0x22222222u);
  m.run(image("image_store_mip_pck", 3));
  // Bytes and halves are extended.
  i.data_format = 2;
  bind(m, i);
  m.wave.v[2][0] = 4;  // bytes 8 and 9
  m.run(image("image_load_pck"));
  EXPECT_EQ(m.wave.v[20][0], 0xcdefu);
  m.run(image("image_load_pck_sgn"));
  EXPECT_EQ(m.wave.v[20][0], 0xffffcdefu);
}

TEST(GoldenImage, Stores) {
  Bench m;
  bind(m, array_image(m));
  m.wave.state.s.set_exec(7);
  for (unsigned lane = 0; lane < 3; ++lane) {
    m.wave.v[2][lane] = lane;
    m.wave.v[3][lane] = 1;
    m.wave.v[4][lane] = lane;  // layer
    m.wave.v[5][lane] = lane;  // level: 1 has two rows, 2 has one
    m.wave.v[20][lane] = 70 + lane;
  }
  Build b = image("image_store");
  b.i.mem.da = true;
  m.run(b);
  for (unsigned lane = 0; lane < 3; ++lane) {
    EXPECT_EQ(m.word(place(lane, 1, 0, lane)), 70 + lane);
  }
  Build mip = image("image_store_mip");
  mip.i.mem.da = true;
  m.wave.v[20].fill(5);
  m.run(mip);
  EXPECT_EQ(m.word(place(0, 1)), 5u);
  EXPECT_EQ(m.word(place(1, 1, 1, 1)), 5u);
  EXPECT_EQ(m.word(place(2, 1, 0, 2)), 72u);  // (2, 1) is outside level 2
  // The element is written whole: red, no green and blue, and alpha by the mask.
  Image i;
  i.base = m.base;
  i.data_format = 10;
  i.number_format = 0;
  bind(m, i);
  m.set_word(0, 0xffffffff);
  m.wave.state.s.set_exec(1);
  m.wave.v[3][0] = 0;
  m.wave.v[20][0] = bits_of(0.5f);
  m.wave.v[21][0] = bits_of(2.0f);
  m.run(image("image_store", 9));
  EXPECT_EQ(m.word(0), 0xff000080u);    // 127.5 to even
  Build d16 = image("image_store", 9);  // two halves, R and G
  d16.i.mem.d16 = true;
  m.wave.v[20][0] = 0x3c00 | 0x3400u << 16;  // 1, 0.25
  m.run(d16);
  EXPECT_EQ(m.word(0), 0x000040ffu);
}

using TexelChange = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;
TEST(GoldenImage, AtomicRows) {
  struct Row {
    const char* mnemonic;
    TexelChange change;  // memory, data, compare
  };
  const auto less = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  };
  const Row rows[] = {
      {"image_atomic_swap", [](auto, auto d, auto) { return d; }},
      {"image_atomic_cmpswap", [](auto m, auto d, auto c) { return m == c ? d : m; }},
      {"image_atomic_add", [](auto m, auto d, auto) { return m + d; }},
      {"image_atomic_sub", [](auto m, auto d, auto) { return m - d; }},
      {"image_atomic_smin", [&](auto m, auto d, auto) { return less(d, m) ? d : m; }},
      {"image_atomic_umin", [](auto m, auto d, auto) { return d < m ? d : m; }},
      {"image_atomic_smax", [&](auto m, auto d, auto) { return less(m, d) ? d : m; }},
      {"image_atomic_umax", [](auto m, auto d, auto) { return d > m ? d : m; }},
      {"image_atomic_and", [](auto m, auto d, auto) { return m & d; }},
      {"image_atomic_or", [](auto m, auto d, auto) { return m | d; }},
      {"image_atomic_xor", [](auto m, auto d, auto) { return m ^ d; }},
      {"image_atomic_inc", [](auto m, auto d, auto) { return m >= d ? 0 : m + 1; }},
      {"image_atomic_dec", [](auto m, auto d, auto) { return m == 0 || m > d ? d : m - 1; }},
  };
  for (const Row& row : rows) {
    for (bool wide : {false, true}) {
      const bool compare = std::string(row.mnemonic) == "image_atomic_cmpswap";
      for (uint64_t old : {uint64_t{5}, ~uint64_t{6}, uint64_t{9}}) {
        const uint64_t data = 9, compared = 5;
        // 32-bit values, sign-extended so that one comparison does for both widths.
        Bench m;
        Image i;
        i.base = m.base;
        i.data_format = wide ? 11 : 4;
        i.number_format = 4;
        bind(m, i);
        const unsigned bytes = wide ? 8 : 4;
        const uint64_t at = bytes * (16 * 2 + 3);
        m.set_word(at, static_cast<uint32_t>(old));
        if (wide) m.set_word(at + 4, static_cast<uint32_t>(old >> 32));
        m.wave.state.s.set_exec(1);
        m.wave.v[2][0] = 3;
        m.wave.v[3][0] = 2;
        const unsigned n = wide ? 2 : 1;
        m.wave.v[20][0] = data;
        m.wave.v[20 + n][0] = compared;
        if (wide) m.wave.v[21][0] = 0;
        if (wide) m.wave.v[23][0] = 0;
        Build b = image(row.mnemonic, compare ? (wide ? 15 : 3) : (wide ? 3 : 1));
        b.i.mem.glc = true;
        m.run(b);
        const uint64_t want = row.change(old, data, compared);
        EXPECT_EQ(m.word(at), static_cast<uint32_t>(want)) << row.mnemonic << ' ' << old;
        EXPECT_EQ(m.wave.v[20][0], static_cast<uint32_t>(old)) << row.mnemonic;
        if (wide) {
          EXPECT_EQ(m.word(at + 4), static_cast<uint32_t>(want >> 32)) << row.mnemonic;
          EXPECT_EQ(m.wave.v[21][0], static_cast<uint32_t>(old >> 32)) << row.mnemonic;
        }
      }
    }
  }
}

TEST(GoldenImage, ResourceInformation) {
  Bench m;
  Image i = array_image(m);
  i.base_level = 1;
  i.first_layer = 1;
  bind(m, i);
  m.wave.state.s.set_exec(3);
  m.wave.v[2][0] = 0;
  m.wave.v[2][1] = 2;  // the view has two levels
  m.run(image("image_get_resinfo", 0xf));
  const uint32_t want[2][4] = {{4, 2, 2, 2}, {0, 0, 0, 2}};
  for (unsigned lane = 0; lane < 2; ++lane) {
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(m.wave.v[20 + c][lane], want[lane][c]);
  }
  i.type = 10;  // 3D
  i.base_level = i.first_layer = 0;
  i.depth = 6;
  bind(m, i);
  m.wave.v[2][0] = 1;
  m.run(image("image_get_resinfo", 0x4));
  EXPECT_EQ(m.wave.v[20][0], 3u);
}

TEST(GoldenImage, OtherTypes) {
  Bench m;
  for (uint32_t w = 0; w < 4096; ++w) m.set_word(4 * w, w);
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = 3;
  m.wave.v[3][0] = 2;
  m.wave.v[4][0] = 1;
  Image i;
  i.base = m.base;
  i.number_format = 4;
  i.depth = 6;
  i.type = 10;  // 3D: slices of 8 rows
  bind(m, i);
  m.run(image("image_load"));
  EXPECT_EQ(m.wave.v[20][0], (1u * 8 + 2) * 16 + 3);
  i.type = 11;  // cube: a face is a layer
  bind(m, i);
  m.run(image("image_load"));
  EXPECT_EQ(m.wave.v[20][0], (1u * 8 + 2) * 16 + 3);
  i.type = 12;  // 1D array: one row each
  bind(m, i);
  Build b = image("image_load");
  b.i.mem.da = true;
  m.run(b);
  EXPECT_EQ(m.wave.v[20][0], 2u * 16 + 3);
  i.type = 8;
  bind(m, i);
  m.run(image("image_load"));
  EXPECT_EQ(m.wave.v[20][0], 3u);
}

TEST(GoldenImage, UnboundAndRefused) {
  Bench m;
  for (unsigned s = 24; s < 32; ++s) m.wave.sgpr(s) = 0;
  m.wave.v[20].fill(9);
  m.run(image("image_load", 0xf));
  EXPECT_EQ(m.wave.v[20][0], 0u);
  EXPECT_EQ(m.wave.v[23][0], 0u);
  m.run(image("image_store"));
  m.run(image("image_atomic_add"));
  m.run(image("image_get_resinfo"));
  m.run(image("image_sample", 3));
  EXPECT_EQ(m.reply.faulted, 0u);
  const auto refused = [&](Image i, const char* row = "image_load") {
    i.base = m.base;
    bind(m, i);
    return m.refusal(image(row));
  };
  Image i;
  i.swizzle_mode = 12;
  EXPECT_EQ(refused(i), "T# swizzle mode (bits 120:116) is reserved");
  i = {};
  i.type = 14;
  EXPECT_EQ(refused(i), "T# type (bits 127:124) is multisampled: not modelled");
  i.type = 3;
  EXPECT_EQ(refused(i), "T# type (bits 127:124) is not an image");
  i = {};
  i.data_format = 35;
  EXPECT_EQ(refused(i),
            "T# data format (bits 57:52) is reserved, compressed or subsampled: not modelled");
  i = {};
  i.data_format = 10;
  i.number_format = 9;
  EXPECT_EQ(refused(i, "image_store"), "number format srgb cannot be stored");
  i.number_format = 0;
  i.data_format = 12;
  EXPECT_EQ(refused(i, "image_atomic_add"),
            "image atomic on elements of another size than DMASK says");
}

TEST(GoldenImage, WildAddress) {
  Bench m;
  Image i;
  i.base = uint64_t{1} << 40;
  bind(m, i);
  m.wave.state.s.set_exec(4);
  m.run(image("image_load"));
  EXPECT_EQ(m.reply.faulted, 4u);
  EXPECT_EQ(m.port.first_fault().address, uint64_t{1} << 40);
  EXPECT_NE(m.wave.state.s.trapsts & wave::kMemViol, 0u);
}

}  // namespace
}  // namespace cuvette::golden::testing
