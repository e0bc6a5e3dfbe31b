// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hsail/inst_table.h"

/// The instructions of the vendor extension "amd:mipmap", which access the mip levels of images
/// (hsail_mipmap.md). Names and opcodes are in hsail/vendor_instructions.h; their rows belong to
/// the table of inst_table.h: inst_rows(opcode) and match_row know them.
namespace cuvette::hsail {

constexpr std::string_view kMipmapExtension = "amd:mipmap";

constexpr bool is_mipmap(Opcode opcode) {
  return opcode >= Opcode::kMipmapRdImageLod && opcode <= Opcode::kMipmapQueryImage;
}

/// True if it reads an image through a sampler.
constexpr bool samples_image(Opcode opcode) {
  return opcode == Opcode::kRdImage || opcode == Opcode::kMipmapRdImageLod ||
         opcode == Opcode::kMipmapRdImageGrad;
}

/// Rows of an instruction of the extension.
InstRows mipmap_rows(Opcode opcode);
/// All of them, by opcode.
InstRows mipmap_rows();

}  // namespace cuvette::hsail
