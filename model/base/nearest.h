// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cuvette::base {

/// The one of `known` that needs the fewest letters changed, left out or added to be `word`; empty
/// when more than a third of the longer word would have to be; of words of two letters one may be.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace cuvette::base
