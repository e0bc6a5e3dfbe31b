// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Symbols of code objects for names of HSAIL: the name without "&", or as it is in code objects of
/// the HSA runtime's finalizer extension. Some names stand for something
/// else there, so that what a program calls by them has a symbol that no name of HSAIL can be.
namespace cuvette::hsa {

/// Before the names of a program that are taken ("&k.kd" is "::k.kd").
constexpr const char* kNameAside = "::";

/// True if a symbol of a program stands aside for one that the object needs under this name.
inline bool is_aside(const std::string& symbol) {
  return symbol.rfind(kNameAside, 0) == 0;
}

/// The HSAIL name of a symbol of program linkage, with "&".
inline std::string hsail_name(const std::string& symbol) {
  const std::string name = is_aside(symbol) ? symbol.substr(2) : symbol;
  return name.rfind('&', 0) == 0 ? name : "&" + name;
}

}  // namespace cuvette::hsa
