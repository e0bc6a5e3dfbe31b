// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types that the parts of the shader processor input exchange (docs/reference/spi.md). Amounts
// of registers and LDS are counted in granules of an allocation.
package spi_unit_pkg;

  localparam int unsigned Dispatches   = 4;    // under way at a time
  localparam int unsigned Simds        = 4;    // of a compute unit, at most
  localparam int unsigned WaveSlots    = 10;   // of a SIMD, at most
  localparam int unsigned UnitWaves    = Simds * WaveSlots;  // and work-groups of a compute unit
  localparam int unsigned Keys         = UnitWaves + 1;      // of work-groups of a compute unit: of one that
                                                             // is over, too, while a command names it
  localparam int unsigned GroupWaves   = 16;   // of a work-group, at most
  localparam int unsigned RowGranules  = 64;   // of a vector register file, at most
  localparam int unsigned SgprGranules = 64;   // of a scalar register file, at most
  localparam int unsigned LdsGranules  = 128;  // of an LDS, at most
  localparam int unsigned Places       = 256;  // in scratch memory that waves are given
  localparam int unsigned SetSgprs     = 32;   // SGPRs that may have a value at the start
  localparam int unsigned BeatLanes    = 16;
  localparam int unsigned RoomShift    = 12;   // log2 of the bytes that rooms are counted in

  localparam logic [31:0] ErrorScratch   = 32'd1;
  localparam logic [31:0] ErrorDispatch  = 32'd2;
  localparam logic [31:0] ErrorResources = 32'd128;
  localparam logic [31:0] ErrorException = 32'h8000_0000;

  typedef logic [$clog2(Dispatches)-1:0] index_t;   // of a dispatch under way
  typedef logic [$clog2(Simds)-1:0]      simd_t;
  typedef logic [$clog2(WaveSlots)-1:0]  slot_t;
  typedef logic [$clog2(Keys)-1:0]       key_t;     // of a resident work-group, and its barrier
  typedef logic [7:0]                    amount_t;  // granules
  typedef logic [$clog2(Places)-1:0]     place_t;
  typedef logic [GroupWaves-1:0]         waves_t;   // of a work-group, a bit each
  typedef logic [15:0]                   room_t;    // place of a room in its area
  typedef logic [63-RoomShift:0]         page_t;    // address of a room

  // Policy of the search for the compute unit of a work-group.
  typedef enum logic [1:0] {
    PlaceRoundRobin,   // from behind the one that had the last work-group
    PlaceFirstFit,     // from the first one
    PlaceLeastLoaded   // from the one with the fewest waves
  } placement_e;

  // The machine around the block.
  typedef struct packed {
    logic        unified;        // accumulation registers lie behind the VGPRs in one file
    logic        accumulates;    // as many AccVGPRs as VGPRs, in a file of their own
    logic        packed_ids;     // work-item ids in one VGPR
    logic        architected;    // FLAT_SCRATCH is set at the start
    logic        preloads;       // kernel arguments in user SGPRs
    logic [4:0]  units;          // compute units
    logic [4:0]  per_engine;     // of a shader engine
    logic [2:0]  simds;
    logic [3:0]  slots;
    logic [3:0]  row_shift;      // of the granule of vector registers
    amount_t     rows;           // of VGPRs
    amount_t     acc;            // of AccVGPRs
    amount_t     sgprs;
    logic [3:0]  lds_shift;
    amount_t     lds;
    logic [15:0] launch_cycles;
    placement_e  placement;
  } limits_t;

  // Resources that every wave of a dispatch needs, and a work-group of the LDS.
  typedef struct packed {
    amount_t rows;               // of VGPRs; of both kinds in one file
    amount_t acc;
    amount_t sgprs;
    amount_t lds;
  } needs_t;

  // A dispatch that has been worked out.
  typedef struct packed {
    spi_pkg::dispatch_t        dispatch;
    logic                      fails;          // it cannot run
    logic [31:0]               error_code;
    logic [2:0][31:0]          groups;         // work-groups that run
    logic [2:0][31:0]          left;           // work-items from the first of them on
    logic [4:0]                group_waves;    // of a full work-group
    logic [9:0]                vgpr_rows;
    logic [9:0]                acc_rows;
    logic [7:0]                sgprs;
    needs_t                    needs;
    logic                      pooled;         // its waves share places in scratch memory
    logic                      starves;        // a work-group has more waves than there are places
    logic [63:0]               group_scratch;  // bytes of a full work-group
    logic [SetSgprs-1:0][31:0] sgpr;           // values that all waves have
    logic [5:0]                sgpr_count;     // SGPRs that have a value
    logic [4:0]                first_system;   // first one that is not of the user
    logic                      fresh;          // work-groups have not started
    logic                      resumes;        // others were saved, and come before them
    logic                      saves;          // its waves can be saved
    logic [20:0]               room_pages;     // size of the room of a work-group
  } plan_t;

  // A work-group.
  typedef struct packed {
    index_t           index;
    logic [2:0][31:0] id;
    logic [2:0][10:0] items;     // along each dimension, fewer at the edges of the grid
    logic [10:0]      total;     // work-items
    logic [4:0]       waves;     // of the whole work-group
    waves_t           mask;      // those that start: of one that was saved, those that were not over
    logic [4:0]       count;     // number of these
    logic             restored;  // it was saved
    room_t            room;      //   and is there
    logic [35:0]      number;    // flattened id
    logic [39:0]      wave;      // number of its first wave in the grid
    logic [63:0]      scratch;   // offset of its first wave where every wave of a grid has its own
    key_t             key;
    amount_t          lds;       // first granule
  } group_t;

  // The next work-group of a dispatch, found by its number.
  typedef struct packed {
    logic [2:0][31:0] id;
    logic [2:0][31:0] left;      // work-items from it on
    logic [35:0]      number;
    logic [39:0]      wave;      // as in group_t
    logic [63:0]      scratch;
    logic             restored;
    waves_t           mask;
    room_t            room;
  } found_t;

  // A work-group on a compute unit, or one that is to go on, as the search for rooms sees it.
  typedef struct packed {
    logic             valid;
    index_t           index;
    logic             restored;  // its room is in the area of its dispatch, others in that of the save
    room_t            room;
  } tenant_t;

  // A work-group that waves of it have been saved of.
  typedef struct packed {
    logic [31:0]      number;
    room_t            room;
    waves_t           saved;     // these
    logic             first;     // one of them had the LDS
  } saved_t;

  // A dispatch under way, as the search for rooms sees it.
  typedef struct packed {
    logic             valid;
    logic             may;       // be saved
    logic             saving;    // it is,
    page_t            area;      //   into this area
    logic [15:0]      groups;    // work-groups that live
  } saving_t;

  // The search for rooms.
  typedef struct packed {
    logic             busy;
    index_t           index;     // of the dispatch
    logic             start;     // one begins in the next cycle
    room_t            room;      // for the work-group that gets one
    key_t             scan;      // rooms that are looked at
    logic             save;      // all have rooms: the dispatch is saved,
    page_t            area;      //   into this area
  } search_t;

  // Work-groups that are to go on.
  typedef struct packed {
    logic [Dispatches-1:0] owner;  // of this dispatch under way, or none
    logic [15:0]           rest;   // so many
    spi_pkg::saved_group_t head;   // the next one
  } list_t;

  // Resources that a wave holds.
  typedef struct packed {
    index_t  index;
    key_t    key;
    amount_t rows;               // first granule of each range
    amount_t acc;
    amount_t sgprs;
    place_t  place;              // in scratch memory
  } held_t;

  // A wave that ends.
  typedef struct packed {
    held_t            held;      // gives this back
    logic             last;      // is the last one of its work-group,
    saved_t           saved;     //   which is saved like this
  } ended_t;

  // Resources that are taken of a compute unit.
  typedef struct packed {
    logic [Simds-1:0][WaveSlots-1:0]    slots;
    logic [Simds-1:0][RowGranules-1:0]  rows;
    logic [Simds-1:0][RowGranules-1:0]  acc;
    logic [Simds-1:0][SgprGranules-1:0] sgprs;
    logic [LdsGranules-1:0]             lds;
    logic [Keys-1:0]                    keys;
  } taken_t;

  // Numbers of the lowest and the highest wave; waves from a number on; how many.
  function automatic logic [3:0] lowest_wave(waves_t waves);
    lowest_wave = '0;
    for (int unsigned w = 0; w < GroupWaves; w++) begin
      if (waves[GroupWaves-1-w]) lowest_wave = 4'(GroupWaves - 1 - w);
    end
  endfunction

  function automatic logic [3:0] highest_wave(waves_t waves);
    highest_wave = '0;
    for (int unsigned w = 0; w < GroupWaves; w++) begin
      if (waves[w]) highest_wave = 4'(w);
    end
  endfunction

  function automatic waves_t waves_from(waves_t waves, logic [4:0] from);
    return waves & waves_t'(16'hffff << from);
  endfunction

  function automatic logic [4:0] wave_count(waves_t waves);
    wave_count = '0;
    for (int unsigned w = 0; w < GroupWaves; w++) wave_count += 5'(waves[w]);
  endfunction

  // Bytes of a wave in the room of its work-group: 256 for each vector register, and 1024.
  function automatic logic [19:0] wave_bytes(logic [9:0] vgpr_rows, logic [9:0] acc_rows);
    return {1'b0, {1'b0, vgpr_rows} + {1'b0, acc_rows}, 8'd0} + 20'd1024;
  endfunction

  // Ranges as masks: `length` granules from `first` on.
  function automatic logic [RowGranules-1:0] row_range(amount_t first, amount_t length);
    return ((RowGranules'(1) << length) - 1'b1) << first;
  endfunction

  function automatic logic [LdsGranules-1:0] lds_range(amount_t first, amount_t length);
    return ((LdsGranules'(1) << length) - 1'b1) << first;
  endfunction

endpackage
