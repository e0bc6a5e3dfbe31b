// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace cuvette::cli {

/// The file with the results of a sweep's folder, whether it is there or not.
std::filesystem::path results_of(const std::filesystem::path& folder);
/// True if a folder has the results of a sweep.
bool is_sweep(const std::filesystem::path& folder);
/// Goes on as what makes the page of a sweep's folder. Returns only when that does not start.
int report_sweep(const std::string& folder, const std::string& page);

}  // namespace cuvette::cli
