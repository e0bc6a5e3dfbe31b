// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types that the parts of the global data share exchange (docs/reference/gds.md).
package gds_unit_pkg;

  localparam int unsigned MaxUnits  = 64;   // compute units
  localparam int unsigned Resources = 64;   // of global wave sync
  localparam int unsigned Counters  = 4;    // ordered ones
  localparam int unsigned Beats     = 4;    // of a request and of a response

  typedef logic [$clog2(MaxUnits)-1:0]  unit_t;
  typedef logic [$clog2(Resources)-1:0] resource_t;
  typedef logic [$clog2(Counters)-1:0]  counter_t;

  // A wave of a dispatch.
  typedef struct packed {
    logic [31:0] dispatch;
    logic [63:0] wave;
  } wave_t;

  // A request with sync whose wave waits, or that is about to act.
  typedef struct packed {
    unit_t       unit;
    logic [31:0] id;
    wave_t       who;
    logic        counts;     // an ordered count; else global wave sync
    resource_t   resource;   // of a count: the counter in its low bits
    logic [31:0] value;
    logic        releases;
  } sync_t;

  // The answer to one.
  typedef struct packed {
    unit_t       unit;
    logic [31:0] id;
    logic [31:0] value;      // old value of an ordered counter
  } answer_t;

endpackage
