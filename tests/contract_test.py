#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the three views of every contract together: the C++ messages, the SystemVerilog structs and the
tables of docs/<block>.md.

For every message: each C++ field is in the SystemVerilog struct, as wide as in C++, and in the table of its
section; each SystemVerilog field comes from a C++ field or is listed as one of the pins only; the width in the
table is the width of the struct field. For every enum: the same enumerators with the same numbers.
Usage: contract_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

# Keywords of SystemVerilog.
RENAMED = {'time': 'timestamp', 'sequence': 'seq', 'priority': 'prio', 'context': 'ctx'}

# (C++ header, C++ struct, SystemVerilog package, struct, page, heading, options). Options:
#   rename: C++ name to SystemVerilog name, where a keyword or its struct wants another; absent: C++ fields without pins, with the reason;
#   pins: fields of the pins only, with the reason.
BEAT = {'beat': 'a row travels in four beats'}
IDS = {'id': 'in C++ the call returns the answer'}
OF = {'wave': 'which record the part belongs to', 'order': 'which record the part belongs to'}
MESSAGES = [
    ('memory/mem_req.h', 'MemReq', 'memory', 'mem_req_t', 'memory', '`request`: `MemReq`', {}),
    ('memory/mem_req.h', 'MemResp', 'memory', 'mem_resp_t', 'memory', '`response`: `MemResp`', {}),
    ('hsa/address_space.h', 'Translation', 'memory', 'translate_resp_t', 'memory', '`translate_response`',
     {'rename': {'type': 'mtype'}, 'pins': IDS}),
    ('hsa/address_space.h', 'AddressSpace::translate()', 'memory', 'translate_req_t', 'memory',
     '`translate_request`', {'pins': IDS}),
    ('vrf/vrf.h', 'RowAddress', 'vrf', 'row_address_t', 'vrf', '`RowAddress`', {}),
    ('vrf/vrf.h', 'Vrf::read()', 'vrf', 'read_t', 'vrf', '`read`',
     {'pins': BEAT, 'absent': {'port': 'index of the channel', 'now': 'the clock', 'out': 'read_data'}}),
    ('vrf/vrf.h', 'Vrf::read()', 'vrf', 'read_data_t', 'vrf', '`read`',
     {'pins': BEAT, 'rename': {'out': 'data'},
      'absent': {'port': 'index of the channel', 'now': 'the clock', 'address': 'in the request'}}),
    ('vrf/vrf.h', 'Vrf::write()', 'vrf', 'write_t', 'vrf', '`write`',
     {'pins': BEAT, 'absent': {'port': 'index of the channel', 'now': 'the clock'}}),
    ('simd/simd.h', 'Issue', 'simd', 'issue_t', 'simd', '`issue`: `Issue`',
     {'absent': {'wave': 'for reports only', 'pc': 'for reports only'}}),
    ('isa/instruction.h', 'Instruction', 'simd', 'instruction_t', 'simd', '`Instruction`',
     {'absent': {'target': 'configuration of the device', 'length': 'of the encoding, decoded already',
                 'words': 'of the encoding, decoded already', 'mem': 'no memory instruction goes to a simd'}}),
    ('isa/instruction.h', 'Operand', 'simd', 'operand_t', None, None,
     {'absent': {'type': 'follows from row', 'value': 'in scalar', 'read': 'follows from row',
                 'write': 'follows from row'}}),
    ('isa/instruction.h', 'Modifiers', 'simd', 'modifiers_t', 'simd', '`Modifiers`', {}),
    ('simd/simd.h', 'Retire', 'simd', 'retire_t', 'simd', '`retire`: `Retire`', {}),
    ('simd/simd.h', 'Fill', 'simd', 'fill_t', 'simd', '`fill`: `Fill`',
     {'pins': BEAT, 'rename': {'port': 'write_port'}}),
    ('simd/simd.h', 'ReadRow', 'simd', 'read_row_t', 'simd', '`read`: `ReadRow`',
     {'rename': {'port': 'read_port'}}),
    ('simd/simd.h', 'RowData', 'simd', 'row_data_t', 'simd', '`read`: `ReadRow`', {'pins': BEAT}),
    ('matrix_core/matrix_core.h', 'Operands', 'matrix_core', 'operands_t', 'matrix_core',
     '`operands`: `Operands`', {'pins': BEAT, 'absent': {'wave': 'for reports only', 'pc': 'for reports only'}}),
    ('matrix_core/matrix_core.h', 'Result', 'matrix_core', 'result_t', 'matrix_core', '`result`: `Result`',
     {'pins': BEAT}),
    ('lds/lds.h', 'Request', 'lds', 'request_t', 'lds', '`request`: `Request`', {'pins': BEAT}),
    ('lds/lds.h', 'Response', 'lds', 'response_t', 'lds', '`response`: `Response`', {'pins': BEAT}),
    ('gds/gds.h', 'Request', 'gds', 'request_t', 'gds', '`request`: `Request`', {'pins': BEAT}),
    ('gds/gds.h', 'Taken', 'gds', 'taken_t', 'gds', '`taken`: `Taken`', {}),
    ('gds/gds.h', 'Response', 'gds', 'response_t', 'gds', '`response`: `Response`', {'pins': BEAT}),
    ('spi/wave_launch.h', 'Dispatch', 'spi', 'dispatch_t', 'spi', '`dispatch`: `Dispatch`', {}),
    ('spi/wave_launch.h', 'DispatchDone', 'spi', 'dispatch_done_t', 'spi', '`dispatch_done`', {}),
    ('spi/wave_launch.h', 'WaveLaunch', 'spi', 'wave_launch_t', 'spi', '`launch`: `WaveLaunch`', {'pins': BEAT}),
    ('spi/wave_launch.h', 'Cancel', 'spi', 'cancel_t', 'spi', '`cancel`: `Cancel`', {}),
    ('spi/wave_launch.h', 'Save', 'spi', 'save_t', 'spi', '`save`: `Save`', {}),
    ('spi/wave_launch.h', 'SavedGroup', 'spi', 'saved_group_t', 'spi', '`saved`, `restore`: `SavedGroup`', {}),
    ('spi/wave_launch.h', 'WaveCommand', 'spi', 'wave_command_t', 'spi', '`command`: `WaveCommand`', {}),
    ('spi/wave_launch.h', 'WaveOrder', 'spi', 'wave_order_t', 'spi', '`wave_order`: `WaveOrder`', {}),
    ('spi/wave_launch.h', 'WaveDone', 'spi', 'wave_done_t', 'spi', '`done`: `WaveDone`', {}),
    ('command_processor/command_processor.h', 'Doorbell', 'command_processor', 'doorbell_t',
     'command_processor', '`doorbell`: `Doorbell`', {}),
    ('command_processor/command_processor.h', 'Interrupt', 'command_processor', 'irq_t',
     'command_processor', '`irq`: `Interrupt`', {'rename': {'queue': 'queue_id'}}),
    ('command_processor/command_processor.h', 'QueueBinding', 'command_processor', 'queue_binding_t',
     'command_processor', '`bind_queue`: `QueueBinding`', {}),
    ('command_processor/command_processor.h', 'Dequeue', 'command_processor', 'dequeue_t',
     'command_processor', '`dequeue`: `Dequeue`', {'rename': {'queue': 'queue_id', 'reset': 'reset_waves'}}),
    ('command_processor/command_processor.h', 'QueueStatus', 'command_processor', 'queue_status_t',
     'command_processor', '`queue_status`: `QueueStatus`', {'rename': {'queue': 'queue_id'}}),
    ('command_processor/command_processor.h', 'AgentDispatch', 'command_processor', 'agent_dispatch_t',
     'command_processor', '`agent_dispatch`: `AgentDispatch`',
     {'rename': {'queue': 'queue_id', 'type': 'type_id'}}),
    ('command_processor/command_processor.h', 'AgentDone', 'command_processor', 'agent_done_t',
     'command_processor', '`agent_done`: `AgentDone`', {}),
    ('command_processor/command_processor.h', 'RegisterAccess', 'command_processor', 'register_access_t',
     'command_processor', '`register_access`: `RegisterAccess`', {'rename': {'queue': 'queue_id'}}),
    ('command_processor/command_processor.h', 'RegisterDone', 'command_processor', 'register_done_t',
     'command_processor', '`register_done`: `RegisterDone`', {}),
    ('command_processor/command_processor.h', 'RegisterLaunch', 'command_processor', 'register_launch_t',
     'command_processor', '`register_launch`: `RegisterLaunch`', {'rename': {'queue': 'queue_id'}}),
    ('compute_unit/compute_unit.h', 'Message', 'compute_unit', 'message_t', 'compute_unit',
     '`messages`: `Message`', {}),
    ('wave/retire_record.h', 'RetireRecord', 'compute_unit', 'retire_t', 'compute_unit',
     '`retire`: `RetireRecord`', {'rename': {'instruction': 'words'}}),
    ('wave/retire_record.h', 'VectorWrite', 'compute_unit', 'vector_write_t', 'compute_unit',
     '`vector_write`', {'pins': {**BEAT, **OF}}),
    ('wave/retire_record.h', 'ScalarWrite', 'compute_unit', 'scalar_write_t', 'compute_unit',
     '`scalar_write`', {'pins': OF}),
    ('wave/retire_record.h', 'MemoryAccess', 'compute_unit', 'memory_access_t', 'compute_unit',
     '`memory_access`', {'pins': OF}),
]

# (C++ header, enum, SystemVerilog package, enum, prefix of its enumerators)
ENUMS = [
    ('memory/mem_req.h', 'MemOp', 'memory', 'mem_op_e', 'Mem'),
    ('memory/mem_req.h', 'Scope', 'memory', 'scope_e', 'Scope'),
    ('memory/mem_req.h', 'Mtype', 'memory', 'mtype_e', 'Mtype'),
    ('hsa/address_space.h', 'MemoryType', 'memory', 'mtype_e', 'Mtype'),
    ('memory/mem_req.h', 'MemStatus', 'memory', 'mem_status_e', 'Status'),
    ('base/atomic_op.h', 'AtomicOp', 'memory', 'atomic_op_e', 'Atomic'),
    ('hsa/address_space.h', 'Access', 'memory', 'access_e', 'Access'),
    ('hsa/address_space.h', 'Fault', 'memory', 'fault_e', 'Fault'),
    ('cache/cache.h', 'Role', 'cache', 'role_e', 'Role'),
    ('vrf/vrf.h', 'ReadPort', 'vrf', 'read_port_e', 'Read'),
    ('vrf/vrf.h', 'WritePort', 'vrf', 'write_port_e', 'Write'),
    ('command_processor/command_processor.h', 'QueueState', 'command_processor', 'queue_state_e', 'Queue'),
    ('spi/wave_launch.h', 'WaveAction', 'spi', 'wave_action_e', 'Wave'),
    ('isa/instruction.h', 'Encoding', 'simd', 'encoding_e', 'Encoding'),
    ('isa/instruction.h', 'OperandKind', 'simd', 'operand_kind_e', 'Operand'),
    ('isa/instruction.h', 'SdwaSelect', 'simd', 'sdwa_select_e', 'Sdwa'),
    ('isa/instruction.h', 'SdwaUnused', 'simd', 'sdwa_unused_e', 'Sdwa'),
    ('wave/memory_op.h', 'MemoryKind', 'lds', 'memory_kind_e', 'Kind'),
    ('wave/memory_op.h', 'SyncOp', 'gds', 'sync_op_e', 'Sync'),
    ('wave/memory_op.h', 'MemorySpace', 'compute_unit', 'memory_space_e', 'Space'),
]

# (C++ header, constant, SystemVerilog package, parameter)
CONSTANTS = [
    ('memory/mem_req.h', 'kBlockBytes', 'memory', 'BlockBytes'),
    ('wave/state.h', 'kLanes', 'vrf', 'Lanes'),
    ('valu/valu.h', 'kLanes', 'vrf', 'BeatLanes'),
    ('vrf/vrf.h', 'kReadPorts', 'vrf', 'ReadPorts'),
    ('vrf/vrf.h', 'kWritePorts', 'vrf', 'WritePorts'),
    ('vrf/vrf.h', 'kBanks', 'vrf', 'Banks'),
    ('matrix_core/matrix_core.h', 'kRowsPerPass', 'matrix_core', 'RowsPerPass'),
    ('lds/lds.h', 'kBytes', 'lds', 'LdsBytes'),
    ('lds/lds.h', 'kBanks', 'lds', 'LdsBanks'),
]

BLOCKS = ['vrf', 'simd', 'matrix_core', 'lds', 'gds', 'compute_unit', 'cache', 'memory', 'command_processor', 'spi']


class Cpp:
    """Fields, parameters, enumerators and constants of one header."""

    def __init__(self, path):
        text = path.read_text()
        text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
        self.text = re.sub(r'//[^\n]*|^#.*$', '', text, flags=re.M)

    def body(self, kind, name):
        found = re.search(kind + r'\s+' + name + r'\b[^;{]*\{', self.text)
        assert found, f'{kind} {name} not found'
        depth, at = 1, found.end()
        while depth:
            depth += {'{': 1, '}': -1}.get(self.text[at], 0)
            at += 1
        return self.text[found.end():at - 1]

    def fields(self, name):
        if name.endswith('()'):
            owner, method = name[:-2].split('::')
            found = re.search(r'\b' + method + r'\(([^)]*)\)', self.body('class', owner))
            assert found, f'{name} not found'
            return [re.search(r'(\w+)$', p.strip()).group(1) for p in found.group(1).split(',')]
        body = self.body('struct', name)
        # Member functions go first: the innermost braces that follow a parameter list.
        body = re.sub(r'[^;{}]*\([^()]*\)\s*(const)?\s*\{[^{}]*\}', '', body)
        body = re.sub(r'\{[^{}]*\}', '', body)
        names = []
        for statement in body.split(';'):
            statement = ' '.join(statement.split())
            if not statement or '(' in statement or statement.startswith('static'):
                continue
            while '<' in statement:
                statement, count = re.subn(r'<[^<>]*>', '', statement)
                if not count:
                    break
            for part in re.sub(r'=[^,]*', '', statement).split(','):
                names.append(re.search(r'(\w+)\s*(\[[^\]]*\]\s*)*$', part.strip()).group(1))
        return names

    def width(self, struct, field):
        """Bits of a field declared with a plain unsigned type; None for everything else."""
        if struct.endswith('()'):
            return None
        for kind, names in re.findall(r'\buint(8|16|32|64)_t\s+([^;\[<>(){}]*);', self.body('struct', struct)):
            if field in [re.match(r'\s*(\w*)', n).group(1) for n in names.split(',')]:
                return int(kind)
        return None

    def enumerators(self, name):
        numbers, following = {}, 0
        for part in self.body('enum class', name).split(','):
            if not part.strip():
                continue
            label, _, value = (p.strip() for p in part.partition('='))
            following = int(value, 0) if value else following
            numbers[label] = following
            following += 1
        return numbers

    def constant(self, name):
        return int(re.search(r'\b' + name + r'\s*=\s*(\w+)', self.text).group(1), 0)


class Sv:
    """Packed types of a package and of those it imports."""

    def __init__(self, root, name):
        text = (root / 'rtl' / name / f'{name}_pkg.sv').read_text()
        text = re.sub(r'//[^\n]*', '', text)
        self.parameters, self.widths, self.structs, self.enums = {}, {}, {}, {}
        for package in re.findall(r'import\s+(\w+)_pkg::', text):
            used = Sv(root, package)
            self.parameters.update(used.parameters)
            self.widths.update(used.widths)
        for label, value in re.findall(r"localparam\s+int unsigned\s+(\w+)\s*=\s*(\d+)\s*;", text):
            self.parameters[label] = int(value)
        for kind, head, body, label in re.findall(
                r'typedef\s+(enum|struct packed|logic)([^;{]*)(?:\{(.*?)\}\s*|\s)(\w+)\s*;', text, flags=re.S):
            if kind == 'struct packed':
                self.structs[label] = dict(self.members(body))
                self.widths[label] = sum(self.structs[label].values())
            else:
                self.widths[label] = self.dimensions(head)
                if kind == 'enum':
                    self.enums[label] = {n: int(v) for n, v in re.findall(r"(\w+)\s*=\s*\d+'d(\d+)", body)}

    def dimensions(self, text):
        total = 1
        for high, minus in re.findall(r'\[(\w+)(-1)?:0\]', text):
            value = int(high) if high.isdigit() else self.parameters[high]
            total *= value if minus else value + 1
        return total

    def members(self, body):
        for statement in filter(None, (s.strip() for s in body.split(';'))):
            found = re.fullmatch(r'(\w+)\s*((?:\[[^\]]*\]\s*)*)(\w+)', statement)
            assert found, f'cannot read {statement!r}'
            base = 1 if found.group(1) == 'logic' else self.widths[found.group(1)]
            yield found.group(3), base * self.dimensions(found.group(2))


def table(page, heading):
    """Name to widths, of the rows under the headings that contain `heading`; rows without a class."""
    rows, unclassed, inside, seen = {}, [], False, False
    for line in page.splitlines():
        if line.startswith('#'):
            inside = heading in line
            seen = seen or inside
        elif inside and line.startswith('| `'):
            cells = [c.strip() for c in line.strip('|').split('|')]
            bits = 1
            for factor in re.findall(r'\d+', cells[1]):
                bits *= int(factor)
            for name in re.findall(r'`(\w+)`', cells[0]):
                rows.setdefault(name, set()).add(bits)
                if len(cells) != 4 or not re.match(r'exact|ordered-by-dut|time|as `|follows `', cells[3]):
                    unclassed.append(name)
    assert seen, f'no heading with {heading}'
    return rows, unclassed


def check_message(root, message):
    header, struct, package, sv_struct, page, heading, options = message
    where = f'{struct} ({header}), {package}_pkg::{sv_struct}'
    rename = {**RENAMED, **options.get('rename', {})}
    absent, pins = options.get('absent', {}), options.get('pins', {})
    cpp = Cpp(root / 'model' / header)
    fields = cpp.fields(struct)
    sv = Sv(root, package).structs.get(sv_struct)
    if sv is None:
        return [f'{where}: no such SystemVerilog struct']
    errors = [f'{where}: exception {f} is no field' for f in absent if f not in fields]
    errors += [f'{where}: {f} is listed for pins only, and a field of both' for f in pins if f in fields]
    expected = [rename.get(f, f) for f in fields if f not in absent]
    errors += [f'{where}: field {f} is not in the SystemVerilog struct' for f in expected if f not in sv]
    errors += [f'{where}: {f} of the SystemVerilog struct is in no C++ struct' for f in sv
               if f not in expected and f not in pins]
    errors += [f'{where}: {f} should be on pins and is not' for f in pins if f not in sv]
    for f in fields:
        bits, pin_bits = cpp.width(struct, f), sv.get(rename.get(f, f))
        cut = bits == 64 and pin_bits == 16 and 'beat' in pins  # a lane mask, in beats
        if bits and pin_bits and not cut and (pin_bits > bits or (pin_bits < bits and not may_narrow(f, bits))):
            errors.append(f'{where}: {f} has {bits} bits in C++ and {pin_bits} on pins')
    if page:
        rows, unclassed = table((root / 'docs' / f'{page}.md').read_text(), heading)
        errors += [f'{where}: {f} has no comparison class in docs/{page}.md' for f in unclassed]
        for f, bits in sv.items():
            if f not in rows:
                errors.append(f'{where}: {f} is not in the table of docs/{page}.md')
            elif bits not in rows[f]:
                errors.append(f'{where}: {f} has {bits} bits, docs/{page}.md says {sorted(rows[f])}')
    return errors


def may_narrow(field, bits):
    """Bytes count small things; DPP_CTRL is a field of 9 bits in the encoding."""
    return bits == 8 or field == 'dpp_ctrl'


def check_rows(root, page, heading):
    """No row of a section is about something that is in none of its structs."""
    known = set()
    for m in MESSAGES:
        if m[4:6] == (page, heading):
            known |= set(Sv(root, m[2]).structs.get(m[3], {}))
    rows, _ = table((root / 'docs' / f'{page}.md').read_text(), heading)
    return [f'docs/{page}.md, {heading}: {f} is in no struct' for f in rows if f not in known]


def check_enum(root, header, enum, package, sv_enum, prefix):
    cpp = Cpp(root / 'model' / header).enumerators(enum)
    sv = Sv(root, package).enums.get(sv_enum, {})
    expected = {prefix + name: number for name, number in cpp.items()}
    return [] if sv == expected else [
        f'{enum} ({header}) and {package}_pkg::{sv_enum} differ: '
        f'{sorted(set(expected.items()) ^ set(sv.items()))}']


def check_channels(root, block):
    """Each channel of the interface has valid, ready and payload, driven from one side each."""
    name = f'{block}_if'
    text = re.sub(r'//[^\n]*', '', (root / 'rtl' / block / f'{name}.sv').read_text())
    signals = set(re.findall(r'^  \w+\s+(?:\[[^\]]*\]\s*)*(\w+);', text, flags=re.M))
    ports = {}
    for modport, body in re.findall(r'modport\s+(\w+)\s*\((.*?)\)\s*;', text, flags=re.S):
        found = re.fullmatch(r'\s*input\s+(.*?),\s*output\s+(.*?)\s*', body, flags=re.S)
        ports[modport] = [set(re.split(r'[,\s]+', part.strip())) for part in found.groups()]
    errors = []
    clocks = {'clk_i', 'rst_ni'}
    if ports['dut'][0] - clocks != ports['env'][1] or ports['env'][0] - clocks != ports['dut'][1]:
        errors.append(f'{name}: modports do not mirror each other')
    if ports['dut'][0] | ports['dut'][1] != signals | clocks:
        errors.append(f'{name}: signals not in modport dut: {sorted(signals ^ (ports["dut"][0] | ports["dut"][1]))}')
    for valid in (s for s in signals if s.endswith('_valid')):
        ready = valid[:-5] + 'ready'
        for modport, (reads, drives) in ports.items():
            if (valid in drives) != (ready in reads):
                errors.append(f'{name}: {valid} and {ready} are not opposite in modport {modport}')
    page = (root / 'docs' / f'{block}.md').read_text()
    if f'rtl/{block}/{name}.sv' not in page or f'model/{block}/' not in page:
        errors.append(f'docs/{block}.md does not name the interface and the C++ contract')
    if f'({block}.md)' not in (root / 'docs' / 'contracts.md').read_text():
        errors.append(f'docs/contracts.md has no link to {block}.md')
    return errors


def main():
    root = pathlib.Path(sys.argv[1])
    errors = []
    for message in MESSAGES:
        errors += check_message(root, message)
    for page, heading in sorted({m[4:6] for m in MESSAGES if m[4]}):
        errors += check_rows(root, page, heading)
    for enum in ENUMS:
        errors += check_enum(root, *enum)
    for header, constant, package, parameter in CONSTANTS:
        ours = Cpp(root / 'model' / header).constant(constant)
        theirs = Sv(root, package).parameters.get(parameter)
        if ours != theirs:
            errors.append(f'{constant} ({header}) is {ours}, {package}_pkg::{parameter} {theirs}')
    for block in BLOCKS:
        errors += check_channels(root, block)
    for error in errors:
        print(error)
    print(f'{len(MESSAGES)} messages, {len(ENUMS)} enums, {len(BLOCKS)} interfaces: {len(errors)} differences')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
