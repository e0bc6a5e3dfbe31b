/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A loader of code objects: ELF64, little-endian, position-independent. Segments go to one block of
 * memory at the offsets they ask for; the kernel is the first symbol that ends in ".kd". */
#include <stdio.h>
#include <string.h>

#include "gpu_driver.h"

enum { EM_AMDGPU = 224, PT_LOAD = 1, SHT_RELA = 4, SHT_DYNSYM = 11 };

typedef struct object {
  const uint8_t* bytes;
  size_t count;
} object;

static int broken(const char* what) {
  fprintf(stderr, "code object: %s\n", what);
  return -1;
}

static uint64_t field(const object* o, uint64_t at, unsigned count) {
  uint64_t value = 0;
  unsigned i;
  for (i = 0; i < count; ++i) {
    /* Bytes beyond the end are 0, and no size that is 0 is used. */
    if (at + i < o->count) value |= (uint64_t)o->bytes[at + i] << 8 * i;
  }
  return value;
}

static int inside(const object* o, uint64_t at, uint64_t count) {
  return at <= o->count && count <= o->count - at;
}

/* Bytes of memory from the first to the last byte of all segments. */
static uint64_t span(const object* o) {
  const uint64_t table = field(o, 32, 8);
  const unsigned size = (unsigned)field(o, 54, 2), count = (unsigned)field(o, 56, 2);
  uint64_t end = 0;
  unsigned i;
  for (i = 0; i < count; ++i) {
    const uint64_t at = table + (uint64_t)i * size;
    const uint64_t last = field(o, at + 16, 8) + field(o, at + 40, 8);
    if (field(o, at, 4) == PT_LOAD && last > end) end = last;
  }
  return end;
}

static int copy_segments(gpu_driver* gpu, const object* o, uint64_t base) {
  const uint64_t table = field(o, 32, 8);
  const unsigned size = (unsigned)field(o, 54, 2), count = (unsigned)field(o, 56, 2);
  unsigned i;
  for (i = 0; i < count; ++i) {
    const uint64_t at = table + (uint64_t)i * size;
    const uint64_t offset = field(o, at + 8, 8), bytes = field(o, at + 32, 8);
    if (field(o, at, 4) != PT_LOAD || bytes == 0) continue;
    if (!inside(o, offset, bytes)) return broken("a segment beyond the end of the file");
    if (cuvette_memory_write(gpu->machine, base + field(o, at + 16, 8), o->bytes + offset,
                             (size_t)bytes) != CUVETTE_OK) {
      return broken(cuvette_error_text());
    }
  }
  return 0;
}

static int ends_in(const object* o, uint64_t name, const char* end) {
  const size_t count = strlen(end);
  size_t length = 0;
  while (name + length < o->count && o->bytes[name + length] != 0) ++length;
  return length >= count && memcmp(o->bytes + name + length - count, end, count) == 0;
}

/* The value of the first dynamic symbol whose name ends so; 0: none. A kernel descriptor's is its
 * address within the object. */
static uint64_t find_symbol(const object* o, const char* end) {
  const uint64_t table = field(o, 40, 8);
  const unsigned size = (unsigned)field(o, 58, 2), count = (unsigned)field(o, 60, 2);
  unsigned i;
  for (i = 0; i < count; ++i) {
    const uint64_t section = table + (uint64_t)i * size;
    const uint64_t first = field(o, section + 24, 8), bytes = field(o, section + 32, 8);
    const uint64_t strings = field(o, table + field(o, section + 40, 4) * size + 24, 8);
    uint64_t at;
    if (field(o, section + 4, 4) != SHT_DYNSYM || !inside(o, first, bytes)) continue;
    for (at = first; at + 24 <= first + bytes; at += 24) {
      if (ends_in(o, strings + field(o, at, 4), end)) return field(o, at + 8, 8);
    }
  }
  return 0;
}

static int has_relocations(const object* o) {
  const uint64_t table = field(o, 40, 8);
  const unsigned size = (unsigned)field(o, 58, 2), count = (unsigned)field(o, 60, 2);
  unsigned i;
  for (i = 0; i < count; ++i) {
    const uint64_t section = table + (uint64_t)i * size;
    if (field(o, section + 4, 4) == SHT_RELA && field(o, section + 32, 8) != 0) return 1;
  }
  return 0;
}

int gpu_load(gpu_driver* gpu, const void* elf, size_t bytes, gpu_kernel* kernel) {
  object o;
  uint8_t descriptor[64];
  uint64_t base = 0, at;
  object d;
  o.bytes = elf;
  o.count = bytes;
  if (bytes < 64 || memcmp(elf, "\177ELF\2\1", 6) != 0 || field(&o, 18, 2) != EM_AMDGPU) {
    return broken("not an ELF file for this GPU");
  }
  if (has_relocations(&o)) return broken("relocations, expected none");
  at = find_symbol(&o, ".kd");
  if (at == 0) return broken("no kernel in it");
  kernel->small = find_symbol(&o, "cuvette.small_model") != 0; /* docs/reference/finalizer.md */
  kernel->memory = kernel->small ? CUVETTE_MEMORY_BELOW_4GIB : 0;
  if (cuvette_memory_allocate(gpu->machine, span(&o), 4096,
                              CUVETTE_MEMORY_EXECUTABLE | kernel->memory, &base) != CUVETTE_OK) {
    return broken(cuvette_error_text());
  }
  if (copy_segments(gpu, &o, base) != 0) return -1;
  if (cuvette_memory_read(gpu->machine, base + at, descriptor, sizeof descriptor) != CUVETTE_OK) {
    return broken(cuvette_error_text());
  }
  d.bytes = descriptor;
  d.count = sizeof descriptor;
  kernel->object = base + at;
  kernel->group_bytes = (uint32_t)field(&d, 0, 4);
  kernel->private_bytes = (uint32_t)field(&d, 4, 4);
  kernel->kernarg_bytes = (uint32_t)field(&d, 8, 4);
  return 0;
}
