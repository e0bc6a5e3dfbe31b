// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the command processor (docs/command_processor.md,
// model/command_processor/command_processor.h).
package command_processor_pkg;

  typedef struct packed {
    logic [31:0] index;
    logic [63:0] value;
  } doorbell_t;

  typedef struct packed {
    logic [31:0] source;
    logic [31:0] queue_id;
    logic [63:0] ctx;
  } irq_t;

  typedef struct packed {
    logic [63:0] queue_address;
    logic [31:0] doorbell;
    logic [7:0]  vmid;
    logic [7:0]  prio;
  } queue_binding_t;

  // Number of a queue: the answer to a binding, and what is unbound.
  typedef logic [31:0] queue_number_t;

endpackage
