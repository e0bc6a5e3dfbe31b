// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace cuvette::base {

/// A folder of the tree, installed or built, that the program or shared library with this code lies
/// in: `relative` to the nearest folder above that has it; where none has, beside the folder of
/// that file, for messages. Empty: the file is not known.
std::filesystem::path find_in_own_tree(const std::filesystem::path& relative);

}  // namespace cuvette::base
