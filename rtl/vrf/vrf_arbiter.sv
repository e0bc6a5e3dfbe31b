// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Arbiter of the read ports of a bank in a cycle: the lowest of those that want it wins. Purely
// combinational. A port that wants nothing blocks nobody.

module vrf_arbiter #(
  parameter int unsigned Ports = 8,
  parameter int unsigned BankBits = 2
) (
  input  logic [Ports-1:0]               want_i,
  input  logic [Ports-1:0][BankBits-1:0] bank_i,
  output logic [Ports-1:0]               free_o,    // no lower port wants this port's bank
  output logic [Ports-1:0]               granted_o  // wants it and gets it
);

  if ((Ports < 1) || (Ports > 64)) begin : gen_refuse_ports
    $error("vrf_arbiter: Ports is %0d, expected 1 to 64", Ports);
  end
  if ((BankBits < 1) || (BankBits > 8)) begin : gen_refuse_banks
    $error("vrf_arbiter: BankBits is %0d, expected 1 to 8", BankBits);
  end

  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      free_o[p] = 1'b1;
      for (int unsigned q = 0; q < Ports; q++) begin
        if ((q < p) && want_i[q] && (bank_i[q] == bank_i[p])) begin
          free_o[p] = 1'b0;
        end
      end
    end
  end

  assign granted_o = want_i & free_o;

endmodule
