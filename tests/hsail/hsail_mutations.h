// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cuvette::hsail::testing {

/// A module of HSAIL 1:0 made from a right one by one change of one statement.
struct Mutation {
  std::string statement;  ///< after the change
  std::string module;
};

/// Always the same list. All of it under CUVETTE_WHOLE=1, otherwise each 16th one and those that
/// are made for a kind of difference.
const std::vector<Mutation>& mutations();

}  // namespace cuvette::hsail::testing
