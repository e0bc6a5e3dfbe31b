// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Assertion macros. A module that uses them has a clock clk_i and a synchronous reset rst_ni. For
// synthesis, which defines SYNTHESIS, they are nothing.
`ifndef CUVETTE_ASSERT_SVH_
`define CUVETTE_ASSERT_SVH_

`ifdef SYNTHESIS
`define CUVETTE_ASSERT(name, prop)
`define CUVETTE_COVER(name, prop)
`else

// Concurrent check, sampled on every rising clock edge outside reset.
`define CUVETTE_ASSERT(name, prop) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (prop)) \
    else $error("%m: assertion failed");

// Functional coverage point.
`define CUVETTE_COVER(name, prop) \
  name: cover property (@(posedge clk_i) disable iff (!rst_ni) (prop));

`endif

`endif  // CUVETTE_ASSERT_SVH_
