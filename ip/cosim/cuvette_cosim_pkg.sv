// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
//
// libcuvette_cosim for SystemVerilog simulators (DPI-C). One record is told piece by piece, because
// simulators differ in how they pass structs and open arrays. The rules are those of cuvette_cosim.h
// and cosim.md. Functions that return int return 1 on success; cuvette_dpi_text says why not.
package cuvette_cosim_pkg;

  typedef enum int {
    CompareExec           = 1,
    CompareAccesses       = 2,
    CompareStatus         = 4,
    CompareCacheBits      = 8,
    CompareFlags          = 16,
    CompareAll            = 31,
    CompareStatusRegister = 32  // apart from CompareAll: cuvette_dpi_record_status_register
  } compare_e;
  typedef enum int {SpaceGlobal, SpaceLds, SpaceGds, SpaceScalar} space_e;
  typedef enum int {KindLoad, KindStore, KindAtomic, KindAtomicReturn} kind_e;
  // For cuvette_dpi_count.
  typedef enum int {
    CountInstructions,
    CountRegisters,
    CountLanes,
    CountAccesses,
    CountLoadsDetermined,
    CountLoadsChosen,
    CountLoadsRejected
  } count_e;

  import "DPI-C" function int cuvette_cosim_version();
  // null for an unknown target
  import "DPI-C" function chandle cuvette_dpi_create(input string target, input int compare);
  import "DPI-C" function void cuvette_dpi_destroy(input chandle cosim);

  import "DPI-C" function int cuvette_dpi_load_word(
      input chandle cosim, input longint address, input int value);
  import "DPI-C" function int cuvette_dpi_load_code_object(
      input chandle cosim, input string file, input longint address, output longint entry_pc);

  // A wave: describe it, its registers, then start it.
  import "DPI-C" function void cuvette_dpi_wave(
      input chandle cosim, input longint id, input longint pc, input longint exec, input int mode,
      input int vgprs, input int accvgprs, input int sgprs, input int lds_bytes,
      input int workgroup);
  import "DPI-C" function void cuvette_dpi_wave_sgpr(
      input chandle cosim, input int code, input int value);
  import "DPI-C" function void cuvette_dpi_wave_vgpr(
      input chandle cosim, input int index, input int lane, input int value);
  import "DPI-C" function int cuvette_dpi_start(input chandle cosim);

  // A retired instruction: describe it, everything it wrote and accessed, then have it checked.
  import "DPI-C" function void cuvette_dpi_record(
      input chandle cosim, input longint wave, input longint order, input longint pc,
      input longint exec, input int length, input int word0, input int word1, input int word2,
      input int word3);
  import "DPI-C" function void cuvette_dpi_record_status(
      input chandle cosim, input int mode, input int trapsts, input int flags, input int trap);
  // STATUS after, as S_GETREG gives it
  import "DPI-C" function void cuvette_dpi_record_status_register(
      input chandle cosim, input int status);
  import "DPI-C" function void cuvette_dpi_record_sgpr(
      input chandle cosim, input int code, input int value);
  // acc: 1 for an AccVGPR
  import "DPI-C" function void cuvette_dpi_record_vgpr(
      input chandle cosim, input int acc, input int index, input int lane, input int value);
  import "DPI-C" function void cuvette_dpi_record_access(
      input chandle cosim, input int lane, input int space, input int kind, input int atomic,
      input int bytes, input longint address, input longint data_low, input longint data_high,
      input longint old_data);
  import "DPI-C" function int cuvette_dpi_retire(input chandle cosim);

  // A load: all its bytes, then the observation.
  import "DPI-C" function void cuvette_dpi_loaded_byte(input chandle cosim, input int value);
  import "DPI-C" function int cuvette_dpi_observe_load(
      input chandle cosim, input longint wave, input longint order, input longint lanes);
  import "DPI-C" function int cuvette_dpi_observe_store(
      input chandle cosim, input longint wave, input longint order, input int lane,
      input longint serial);

  import "DPI-C" function int cuvette_dpi_failed(input chandle cosim);
  import "DPI-C" function int cuvette_dpi_passed(input chandle cosim);
  import "DPI-C" function string cuvette_dpi_text(input chandle cosim);
  import "DPI-C" function longint cuvette_dpi_count(input chandle cosim, input int which);

endpackage
