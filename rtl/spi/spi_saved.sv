// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages about work-groups that have been saved: one for each whose last wave ends, then, one in
// a cycle, those that were to go on and have not started again. A message is offered from the cycle
// behind the one in which it comes.

`include "cuvette_assert.svh"

module spi_saved
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,

  output logic                  ready_o,        // the end of a work-group may come
  input  logic                  end_i,          // one does: of this dispatch, saved like this
  input  logic [31:0]           end_dispatch_i,
  input  saved_t                end_saved_i,

  input  logic [Dispatches-1:0] tells_i,        // a dispatch whose rest is to be told of,
  input  list_t                 list_i,         //   if these are its work-groups
  output logic [Dispatches-1:0] tell_o,         // one of them is

  output logic                  quiet_o,        // no message is on its way
  output logic                  saved_valid_o,
  input  logic                  saved_ready_i,
  output saved_group_t          saved_o
);

  saved_group_t ended;
  logic         full;
  logic         empty;

  assign ended   = '{dispatch: end_dispatch_i, group: end_saved_i.number, place: end_saved_i.room,
                     waves: end_saved_i.saved};
  assign ready_o = !full;
  assign tell_o  = (full || end_i) ? '0 : (tells_i & list_i.owner);

  fifo #(
    .Width ($bits(saved_group_t)),
    .Depth (4)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .push_i  (end_i || (tell_o != '0)),
    .data_i  (end_i ? ended : list_i.head),
    .full_o  (full),
    .pop_i   (saved_valid_o && saved_ready_i),
    .data_o  (saved_o),
    .empty_o (empty)
  );

  assign saved_valid_o = !empty;
  assign quiet_o       = empty;

  `CUVETTE_COVER(EndGoesFirst_C, end_i && ((tells_i & list_i.owner) != '0))
  `CUVETTE_ASSERT(SavedHeld_A, (saved_valid_o && !saved_ready_i) |=>
      (saved_valid_o && $stable(saved_o)))

endmodule
