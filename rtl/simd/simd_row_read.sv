// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Whole rows out of the register file, one after the other, each in four beats through the port the
// reader names; the ports of the sources are the collector's, who asks for them gets the backdoor.

module simd_row_read
  import simd_pkg::*;
  import vrf_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              read_valid_i,
  output logic              read_ready_o,
  input  read_row_t         read_i,
  output logic              row_data_valid_o,
  input  logic              row_data_ready_i,
  output row_data_t         row_data_o,

  // Ports 3 to 7 of the register file, number 3 the first.
  output logic       [4:0]  port_valid_o,
  input  logic       [4:0]  port_ready_i,
  output read_t             port_read_o,
  input  logic       [4:0]  port_data_valid_i,
  output logic       [4:0]  port_data_ready_o,
  input  read_data_t [4:0]  port_data_i
);

  logic       valid_q;
  read_row_t  read_q;
  logic [2:0] asked_q;  // beats
  logic [2:0] place;  // of its port
  logic       takes;
  logic       gives;

  assign place = (read_q.read_port < ReadMatrixA) ? 3'd4 : (read_q.read_port - ReadMatrixA);

  assign read_ready_o        = !valid_q;
  assign port_read_o.address = read_q.row;
  assign port_read_o.beat    = asked_q[1:0];

  for (genvar p = 0; p < 5; p++) begin : gen_port
    assign port_valid_o[p]      = valid_q && (place == 3'(p)) && (asked_q < 3'd4);
    assign port_data_ready_o[p] = row_data_ready_i;
  end

  assign takes = |(port_valid_o & port_ready_i);

  assign row_data_valid_o = valid_q && port_data_valid_i[place];
  assign row_data_o       = '{id: read_q.id, beat: port_data_i[place].beat,
                              data: port_data_i[place].data};
  assign gives            = row_data_valid_o && row_data_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (!valid_q) begin
      valid_q <= read_valid_i;
    end else if (gives && (row_data_o.beat == 2'd3)) begin
      valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!valid_q && read_valid_i) begin
      read_q  <= read_i;
      asked_q <= '0;
    end else if (takes) begin
      asked_q <= asked_q + 3'd1;
    end
  end

endmodule
