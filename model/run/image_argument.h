// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/yaml.h"
#include "hsa/image.h"

/// `image` and `sampler` arguments of dispatch files (docs/reference/dispatch.md).
namespace cuvette::run {

/// The map of an `image` argument but `data`, which the caller has taken. The image lies in a
/// buffer of `buffer_bytes`, from `offset` (bytes) on. Errors: unknown names, a format that the
/// geometry cannot have, sizes that do not belong to it, pitches too small, data beyond the buffer.
base::Result<hsa::Image> image_of(const base::Yaml& node, uint64_t buffer_bytes, uint64_t& offset);
base::Result<hsa::Sampler> sampler_of(const base::Yaml& node);

}  // namespace cuvette::run
