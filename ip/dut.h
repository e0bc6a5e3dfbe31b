/* SPDX-FileCopyrightText: The Cuvette authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in table of a user's device under test: plain C, versioned, the only thing that crosses
 * the border between Cuvette and a shared module that holds Verilated RTL. The module exports one
 * function,
 *
 *     const cuvette_dut_table* cuvette_dut(void);
 *
 * and hides everything else. All pointers stay owned by their side; calls come from one thread.
 * cuvette_add_dut() of the CMake package makes such a module (docs/howto/bring_your_rtl.md).
 */
#ifndef CUVETTE_IP_DUT_H
#define CUVETTE_IP_DUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUVETTE_DUT_VERSION 3u

/* Modifiers of an instruction that a device may lack. */
#define CUVETTE_DUT_SIGN 1u /* abs, neg */
#define CUVETTE_DUT_OMOD 2u /* output multiplier */
#define CUVETTE_DUT_CLAMP 4u
#define CUVETTE_DUT_HALVES 8u /* op_sel, op_sel_hi, neg_hi other than whole packed operands */
#define CUVETTE_DUT_SDWA 16u  /* sub-dword selects of the SDWA encoding */

/* One clocked instance. Pins are grouped into named channels of valid/ready messages; a message is
 * the packed struct of the channel in rtl/<block>/<block>_pkg.sv, or for block valu its ports in
 * the order of valu.md, the first one highest: bit b of the message is bit b % 8 of byte b
 * / 8. */
typedef struct cuvette_dut_instance cuvette_dut_instance;

typedef struct cuvette_dut_channel {
  const char* name;  /* "request", "response", ... as in the contract */
  uint32_t bits;     /* of one message; the loader compares with the contract */
  uint8_t to_device; /* 1: Cuvette drives valid and data; 0: the device does */
} cuvette_dut_channel;

typedef struct cuvette_dut_table {
  uint32_t version;  /* CUVETTE_DUT_VERSION; the first member of every version */
  uint32_t size;     /* sizeof(cuvette_dut_table) of the module; the second one */
  const char* block; /* "valu", "simd", ... */
  const char* name;  /* the device's own name, for reports */
  uint32_t channel_count;
  const cuvette_dut_channel* channels; /* in the order of the contract */

  /* A fresh device, registers drawn from `seed`, not yet reset. Null: it cannot be made. */
  cuvette_dut_instance* (*create)(const char* target, uint64_t seed);
  void (*destroy)(cuvette_dut_instance*);
  /* The reset pin from now on: 1 in reset. */
  void (*reset)(cuvette_dut_instance*, int active);
  /* Can the device execute this instruction with these modifiers (CUVETTE_DUT_... ored)? 1 yes. */
  int (*implements)(cuvette_dut_instance*, const char* mnemonic, uint32_t modifiers);
  /* Before the clock edge: drive a channel towards the device; `data` null means not valid. */
  void (*drive)(cuvette_dut_instance*, uint32_t channel, const uint8_t* data);
  /* Before the clock edge: Cuvette's ready on a channel from the device. */
  void (*accept)(cuvette_dut_instance*, uint32_t channel, int ready);
  /* After both: is the device ready (to_device), or valid, with its data (from the device)? */
  int (*ready)(cuvette_dut_instance*, uint32_t channel);
  int (*sample)(cuvette_dut_instance*, uint32_t channel, uint8_t* data);
  /* The rising edge that ends the cycle. */
  void (*clock)(cuvette_dut_instance*);
  /* Error inside (an assertion), or null. The text lives until the next call. */
  const char* (*failure)(cuvette_dut_instance*);
  /* Waveforms: start with a file name (FST), stop with null. 0 on success, -1 when not built in. */
  int (*trace)(cuvette_dut_instance*, const char* file);

  /* Scope of the device, each list with null at its end: mnemonics as the ISA writes
   * them, targets as "gfx908". An empty list: all. The loader refuses names that do not exist and
   * a machine of another target. */
  const char* const* operations;
  const char* const* targets;
} cuvette_dut_table;

typedef const cuvette_dut_table* (*cuvette_dut_function)(void);

#ifdef __cplusplus
}
#endif

#endif
