// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Tells a compute unit of cancelled dispatches, one after the other, then of work-groups that are
// saved, each behind the last wave of its dispatch that is being launched there. A command is
// offered from the cycle behind its choice on.

`include "cuvette_assert.svh"

module spi_command
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  plan_t [Dispatches-1:0] plan_i,
  input  saving_t [Dispatches-1:0] saving_i,
  input  logic [Dispatches-1:0]  kill_i,           // dispatches that the compute unit is to be told of
  output logic [Dispatches-1:0]  told_o,           // it is, in this cycle
  input  logic                   launching_i,      // it is being given a work-group
  input  index_t                 launch_index_i,   // of this dispatch
  input  logic                   save_valid_i,     // a work-group that is to be told that it is saved,
  output logic                   save_ready_o,     //   which is chosen
  input  key_t                   save_key_i,
  input  tenant_t                save_tenant_i,
  output logic [Keys-1:0]        named_o,          // keys that the command names
  output logic [Dispatches-1:0]  names_o,          // dispatches of these

  output logic                   command_valid_o,
  input  logic                   command_ready_i,
  output wave_command_t          command_o
);

  logic                  valid_q;
  logic                  save_q;   // of a work-group
  index_t                index_q;
  key_t                  key_q;
  logic [63:0]           room_q;
  logic [Dispatches-1:0] may;      // be told of
  index_t                index;
  logic                  chooses;
  page_t                 area;     // of the room of the work-group

  assign chooses      = !valid_q || command_ready_i;
  assign save_ready_o = chooses && (may == '0);
  assign area         = save_tenant_i.restored ? plan_i[save_tenant_i.index].dispatch.save_area[63:RoomShift] :
                                                 saving_i[save_tenant_i.index].area;

  always_comb begin
    may = kill_i;
    if (launching_i) may[launch_index_i] = 1'b0;
    if (valid_q && !save_q) may[index_q] = 1'b0;
    index = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      if (may[Dispatches-1-i]) index = index_t'(Dispatches - 1 - i);
    end
    told_o           = '0;
    told_o[index_q]  = valid_q && !save_q && command_ready_i;
    named_o          = '0;
    named_o[key_q]   = valid_q && save_q;
    names_o          = '0;
    names_o[index_q] = valid_q && save_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (chooses) begin
      valid_q <= (may != '0) || save_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (chooses) begin
      save_q  <= may == '0;
      index_q <= (may != '0) ? index : save_tenant_i.index;
      key_q   <= save_key_i;
      room_q  <= {area + 52'(save_tenant_i.room), 12'd0};
    end
  end

  assign command_valid_o = valid_q;

  always_comb begin
    command_o = '0;
    if (save_q) begin
      command_o.action      = WaveSave;
      command_o.workgroup   = 32'(key_q);
      command_o.room        = room_q;
      command_o.wave_bytes  = 32'(wave_bytes(plan_i[index_q].vgpr_rows, plan_i[index_q].acc_rows));
    end else begin
      command_o.action      = WaveKill;
      command_o.of_dispatch = 1'b1;
      command_o.dispatch    = plan_i[index_q].dispatch.id;
    end
  end

  `CUVETTE_ASSERT(CommandHeld_A, (command_valid_o && !command_ready_i) |=>
      (command_valid_o && $stable(command_o)))
  `CUVETTE_ASSERT(BehindItsLaunches_A, (valid_q && !save_q) |->
      !(launching_i && (launch_index_i == index_q)))

endmodule
