// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Preloaded into programs that open /dev/kfd themselves to see whether there is a driver: where the
// machine has none, they get /dev/null.
#include <cstdarg>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>

namespace {

using Open = int (*)(const char*, int, ...);

int open_by(const char* name, const char* path, int flags, int mode) {
  const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, name));
  const int file = next(path, flags, mode);
  if (file >= 0 || path == nullptr || std::strcmp(path, "/dev/kfd") != 0) return file;
  return next("/dev/null", flags, mode);
}

}  // namespace

#define CUVETTE_OPEN(name)                      \
  int mode = 0;                                 \
  if ((flags & (O_CREAT | __O_TMPFILE)) != 0) { \
    va_list arguments;                          \
    va_start(arguments, flags);                 \
    mode = va_arg(arguments, int);              \
    va_end(arguments);                          \
  }                                             \
  return open_by(name, path, flags, mode)

extern "C" {
int open(const char* path, int flags, ...) {
  CUVETTE_OPEN("open");
}
int open64(const char* path, int flags, ...) {
  CUVETTE_OPEN("open64");
}
}
