// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// suite_reference KERNEL FOLDER NAME=VALUE...: writes the inputs and the expected results of a
// kernel at the sizes given.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "case.h"

namespace suite {
namespace {

using Make = void (*)(const Case&);

std::map<std::string, Make>& known() {
  static std::map<std::string, Make> makes;
  return makes;
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "suite_reference: error: %s\n", what.c_str());
  std::exit(2);
}

}  // namespace

Registration::Registration(const char* name, Make make) {
  known()[name] = make;
}

uint64_t Case::operator[](const std::string& name) const {
  const auto found = sizes_.find(name);
  if (found == sizes_.end()) fail("no size '" + name + "' is given");
  return found->second;
}

void Case::write_bytes(const std::string& name, const void* data, size_t size) const {
  const std::string path = folder_ + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail(path + " cannot be written");
  const bool whole = size == 0 || std::fwrite(data, 1, size, file) == size;
  if (std::fclose(file) != 0 || !whole) fail(path + " cannot be written");
}

}  // namespace suite

int main(int argc, char** argv) {
  using namespace suite;
  if (argc < 3) fail("expected KERNEL FOLDER NAME=VALUE...");
  const auto found = known().find(argv[1]);
  if (found == known().end()) fail(std::string("no kernel '") + argv[1] + "'");
  std::map<std::string, uint64_t> sizes;
  for (int i = 3; i < argc; ++i) {
    const char* equals = std::strchr(argv[i], '=');
    if (equals == nullptr) fail(std::string("expected NAME=VALUE, found ") + argv[i]);
    const std::string name(argv[i], static_cast<size_t>(equals - argv[i]));
    sizes[name] = std::strtoull(equals + 1, nullptr, 10);
  }
  found->second(Case(argv[2], sizes));
  return 0;
}
