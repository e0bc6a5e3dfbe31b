// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsa/image.h"

namespace cuvette::hsa {

/// Fills in the words that code reads: T#, V#, flags, store words and fields of an image whose
/// other words are there; S# of a sampler (MI100 ISA 9.1.5, 9.4.2, 9.4.3).
void describe(const Image& image, ImageObject& object);
void describe(const Sampler& sampler, SamplerObject& object);

}  // namespace cuvette::hsa
