// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace cuvette::thunk {

/// Names of kernels by the address of their object in memory. The runtime lists the code objects it
/// has loaded for debuggers, as a dynamic linker does (r_debug); their symbol tables have the
/// names. Everything is read as another process would, so that a list that changes meanwhile can
/// only give no name.
class KernelNames {
 public:
  /// The runtime's r_debug; null: nobody knows any name.
  void list(const void* r_debug) { r_debug_ = r_debug; }
  /// The name in source form, or the address.
  std::string of(uint64_t kernel_object);

 private:
  void look();
  void add(uint64_t base, const std::string& uri);

  const void* r_debug_ = nullptr;
  std::set<std::string> seen_;  // objects, by base and place
  std::map<uint64_t, std::string> names_;
};

/// URI of an object: "file:///path#offset=1&size=2" or "memory://pid#offset=1&size=2".
struct ObjectPlace {
  bool in_memory = false;
  std::string path;
  uint64_t offset = 0, size = 0;  ///< size 0: to the end of the file
};
/// False for another form.
bool parse_object_uri(const std::string& uri, ObjectPlace& place);

}  // namespace cuvette::thunk
