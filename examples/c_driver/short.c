/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 * short ENGINE MACHINE CODE_OBJECT: the kernel `sum` of sum.cl by cuvette_run_kernel. */
#include <cuvette.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 64, ITEMS = 256 };

static void must(int status) {
  if (status != CUVETTE_OK) fprintf(stderr, "%s\n", cuvette_error_text());
  if (status != CUVETTE_OK) exit(1);
}

int main(int argc, char** argv) {
  static int32_t in[ITEMS], out[16];
  cuvette_options options = {sizeof options};
  cuvette_kernel kernel = {sizeof kernel};
  cuvette_launch launch = {sizeof launch, 1, {ITEMS, 1, 1}, {GROUP, 1, 1}, GROUP * 4};
  uint64_t in_address, out_address;
  const uint32_t local = 0; /* offset in the dynamic group memory */
  const cuvette_argument arguments[] = {{&in_address, 8}, {&out_address, 8}, {&local, 4}};
  cuvette_machine* machine;
  cuvette_object* object;
  static char code[1 << 20];
  FILE* file = argc == 4 ? fopen(argv[3], "rb") : NULL;
  if (file == NULL) return 2;
  options.engine = argv[1];
  options.machine = argv[2];
  must(cuvette_open(&options, &machine));
  must(cuvette_load(machine, code, fread(code, 1, sizeof code, file), &object));
  must(cuvette_find_kernel(object, "sum", &kernel));
  must(cuvette_memory_attach(machine, in, sizeof in, 0, 0, &in_address));
  must(cuvette_memory_attach(machine, out, sizeof out, 0, 0, &out_address));
  for (int i = 0; i < ITEMS; ++i) in[i] = i;
  must(cuvette_run_kernel(&kernel, &launch, arguments, 3, 10000000));
  for (int g = 0; g < ITEMS / GROUP; ++g) printf("sum of group %d: %d\n", g, (int)out[g]);
  must(cuvette_close(machine));
  return fclose(file);
}
