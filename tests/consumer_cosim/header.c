/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The installed header in C99, and a program that only uses C: golden alone executes
 * v_mov_b32 v1, 7; then a device claims 8. */
#include <cuvette_cosim.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* what, const cuvette_cosim* cosim) {
  printf("FAILED: %s: %s\n", what, cuvette_cosim_text(cosim));
  return 1;
}

int main(void) {
  static const uint32_t code[] = {0x7e020287u, 0x7e020287u, 0xbf810000u, 0xbf810000u, 0xbf810000u};
  cuvette_cosim_options options;
  cuvette_cosim_wave wave;
  cuvette_cosim_record device;
  cuvette_cosim_vector_write write;
  const cuvette_cosim_record* record = NULL;
  cuvette_cosim* cosim;

  if (cuvette_cosim_version() != CUVETTE_COSIM_VERSION) return 1;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.target = "gfx1";
  if (cuvette_cosim_create(&options) != NULL) return 1;
  options.target = "gfx90a";
  options.compare = CUVETTE_COSIM_ALL;
  options.size = sizeof options + 8;
  if (cuvette_cosim_create(&options) != NULL) return 1;
  options.size = sizeof options;
  cosim = cuvette_cosim_create(&options);
  if (cosim == NULL) return 1;
  if (!cuvette_cosim_load(cosim, 0x1000, code, sizeof code)) return failed("load", cosim);
  memset(&wave, 0, sizeof wave);
  wave.size = sizeof wave;
  wave.pc = 0x1000;
  wave.exec = 3;
  wave.mode = 0x3f0;
  wave.vgprs = 4;
  wave.sgprs = 16;
  if (!cuvette_cosim_start(cosim, &wave)) return failed("start", cosim);
  if (cuvette_cosim_start(cosim, &wave)) return failed("the same wave twice", cosim);
  if (!cuvette_cosim_step(cosim, 0, &record)) return failed("step", cosim);
  if (record->vector_write_count != 1 || record->vector_writes[0].index != 1 ||
      record->vector_writes[0].lanes != 3 || record->vector_writes[0].data[1] != 7) {
    return failed("the record", cosim);
  }
  memset(&device, 0, sizeof device);
  memset(&write, 0, sizeof write);
  device.size = sizeof device;
  device.order = 1;
  device.pc = 0x1004;
  device.exec = 3;
  device.words[0] = code[1];
  device.length = 1;
  device.mode = 0x3f0;
  write.index = 1;
  write.lanes = 3;
  write.data[0] = 7;
  write.data[1] = 8;
  device.vector_writes = &write;
  device.vector_write_count = 1;
  if (cuvette_cosim_retire(cosim, &device)) return failed("a wrong value passes", cosim);
  if (strstr(cuvette_cosim_text(cosim), "v1 lane 1: expected 0x7, found 0x8") == NULL) {
    return failed("the text", cosim);
  }
  cuvette_cosim_destroy(cosim);
  puts("PASSED: C");
  return 0;
}
