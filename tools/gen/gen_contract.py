#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the views of a contract from its description (tools/gen/contract.py reads it).

usage: gen_contract.py SOURCE_DIR BLOCK OUTPUT_DIR

Writes, each in OUTPUT_DIR/BLOCK:
  include/BLOCK/BLOCK_messages.h  the messages in C++, what they are on pins, how they are compared
  include/ip/dut_BLOCK.h          the ports of a user's Verilated module as channels
  rtl/BLOCK_pkg.sv, rtl/BLOCK_if.sv
  rtl/BLOCK_ports.txt             the ports of a module of the block (cmake/CuvettePorts.cmake)
  rtl/BLOCK_packages.txt          the blocks whose packages the package needs, and the block, in the order of use
  BLOCK_contract.md               the tables for docs/reference/<block>.md
A file whose content does not change is not touched.
"""

import sys
import textwrap

sys.dont_write_bytecode = True  # the source tree stays as it is

import contract as description  # noqa: E402
import contract_cpp  # noqa: E402
import contract_page  # noqa: E402
import contract_sv  # noqa: E402
from output import write  # noqa: E402


def main():
    if len(sys.argv) != 4:
        sys.exit(textwrap.dedent(__doc__).strip())
    root, block, output = sys.argv[1:]
    try:
        contract = description.load(root, block)
    except description.ContractError as error:
        sys.exit(str(error))
    folder = f"{output}/{block}"
    write(folder, f"include/{block}/{block}_messages.h", contract_cpp.messages(contract))
    write(folder, f"include/ip/dut_{block}.h", contract_cpp.ports(contract))
    write(folder, f"rtl/{block}_pkg.sv", contract_sv.package(contract))
    write(folder, f"rtl/{block}_if.sv", contract_sv.interface(contract))
    write(folder, f"rtl/{block}_ports.txt", contract_sv.ports(contract))
    write(folder, f"rtl/{block}_packages.txt", "".join(f"{name}\n" for name in contract_sv.packages(contract)))
    write(folder, f"{block}_contract.md", contract_page.tables(contract))


if __name__ == "__main__":
    main()
