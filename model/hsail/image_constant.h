// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hsa/image.h"
#include "hsail/module.h"
#include "hsail/rules.h"

// Image and sampler constants (HSAIL PRM 7.1.7, 7.1.8).
namespace cuvette::hsail {

/// True if the format exists and the geometry can have it (Table 7-4).
bool is_image_format(ImageGeometry geometry, ChannelOrder order, ChannelType channel);

/// Error in a constant of kind kOperandConstantImage or kOperandConstantSampler.
Problem opaque_constant_problem(const Operand& op);
/// Part of a valid image constant that no machine here has: its format (Table 7-4), its size.
/// Empty when all is well.
std::string unsupported_image(const ImageConstant& image);

/// The image or sampler that a constant describes; an image without data, sizes that its geometry
/// lacks 1.
hsa::Image image_of(const ImageConstant& constant);
hsa::Sampler sampler_of(const SamplerConstant& constant);

/// "roimg(geometry = 2d, width = 5, ...)".
std::string opaque_constant_text(const Operand& op);

}  // namespace cuvette::hsail
