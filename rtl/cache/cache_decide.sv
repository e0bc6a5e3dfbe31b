// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Decision on a request in the last stage, by the role of the cache. Combinational.

module cache_decide
  import cache_unit_pkg::*;
  import cache_pkg::*;
  import memory_pkg::*;
#(
  parameter role_e Role = RoleL2
) (
  input  step_e    step_i,
  input  mem_req_t request_i,
  input  logic     match_i,    // its block was asked for below
  input  logic     covered_i,  // every byte that it needs is held
  input  logic     faulted_i,  // it has waited for a fill that brought a fault
  output act_e     act_o
);

  logic atomic;
  logic coherent;  // of a memory type that the point of coherence does not hold
  logic past;      // it may not be answered from what is held

  assign atomic   = (request_i.op == MemAtomic) || (request_i.op == MemAtomicReturn);
  assign coherent = is_coherent_type(request_i.mtype);
  assign past     = atomic ? ((Role != RoleL2) || coherent) :
                             passes(Role, request_i.scope, request_i.glc, request_i.mtype);

  always_comb begin
    unique case (step_i)
      StepInstall: act_o = ActInstall;
      StepClean:   act_o = ActClean;
      StepDrop:    act_o = ActDrop;
      default: begin
        if ((step_i == StepAccess) && match_i) begin
          act_o = ActAppend;
        end else if (request_i.op == MemWrite) begin
          act_o = ActPass;
          if (Role == RoleVectorL1) act_o = ActThrough;
          else if (keeps_dirty(Role) && !coherent) act_o = ActStore;
        end else if (past) begin
          act_o = ActPass;
        end else if (covered_i) begin
          act_o = atomic ? ActAtomic : ActRead;
        end else begin
          act_o = faulted_i ? ActFault : ActFill;
        end
      end
    endcase
  end

endmodule
