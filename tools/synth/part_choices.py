# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of vectors at places that vary, as choices among parts at fixed places.

yosys takes a part that is written by a clock at a variable place for the whole vector, shifted and masked, with a driver
in each block that writes one; a part that is read there for a shift of the whole vector.
"""
import itertools

from elaborated import constant, span

# Operations that compute the place of an element.
PLACES = {'add', 'mul', 'shiftl', 'extend', 'sel', 'concat'}
# Bits from which on parts that are read are chosen.
WIDE = 2048


class PartChoices:
    """What a Module of plain_verilog.py writes for such parts: assignments and expressions."""

    def indices(self, place, scope):
        """The narrowest expressions that a place which is not constant depends on alone."""
        unknown = [c for c in place if self.fold(c, scope) is None] if place.tag in PLACES else []
        inner = [index for c in unknown for index in self.indices(c, scope)]
        return inner if inner and self.bits_of(inner) <= self.bits_of([place]) else [place]

    def bits_of(self, nodes):
        return sum(self.design.width(n.get('dtype_id')) for n in nodes)

    def part_indices(self, node, scope, most):
        """Selectors of a part of a vector: indices() of its place; None where there are none of `most` bits at most."""
        if node.tag != 'sel' or node[0].tag != 'varref' or self.fold(node[1], scope) is not None:
            return None
        found = self.indices(node[1], scope)
        return found if self.bits_of(found) <= most else None

    def written_index(self, node, scope):
        """The selector of the part, of more than a bit, that is assigned, if it is one of four bits at most."""
        found = self.part_indices(node, scope, 4)
        return found[0] if found and len(found) == 1 and constant(node[2])[1] != 1 else None

    def parts(self, node, indices, scope, block):
        """The parts with fixed places that a part with a variable one can be: values of the indices, text."""
        bits = self.variable(node[0].get('name'), node, scope).bits()
        for numbers in itertools.product(*(range(1 << self.bits_of([index])) for index in indices)):
            self.assumed = dict(zip(indices, numbers))
            if self.fold(node[1], scope) + constant(node[2])[1] <= bits:
                yield numbers, self.selected(self.part(node, scope, block))
        self.assumed = {}

    def chosen_part(self, node, index, block, out, indent):
        """A part with a variable place is to yosys the whole vector, which then has a driver in every block that
        writes one, each of them shifts and masks of all its bits. Written is a choice of parts with fixed places."""
        text, value = self.value(index, block.scope, block), self.value(node[0], block.scope, block)
        block.flush(out, indent)
        out.append(f'{indent}case ({text})')
        for (number,), part in self.parts(node[1], [index], block.scope, block):
            out.append(f"{indent}  {self.bits_of([index])}'d{number}: {part} <= {value};")
        out.append(f'{indent}endcase')

    def read_part(self, node, scope, block):
        """A part with a variable place of a wide vector as a choice, None of another: the sum of offsets that is its
        place would be an adder, and the vector shifted by 32 bits of which few vary."""
        indices = self.part_indices(node, scope, 6)
        if indices is None or self.variable(node[0].get('name'), node, scope).bits() < WIDE:
            return None
        bits = []  # of all indices, the highest first
        for index in indices:
            width, text = self.bits_of([index]), self.value(index, scope, block)
            for at in reversed(range(width)):
                if text.isidentifier():
                    bits.append(f'{text}[{at}]')
                else:
                    name = self.helper(f'part_{width}_{at}_1', [f'{span(width)} x'], 1, f'x[{at}:{at}]')
                    bits.append(f'{name}({text})')
        parts = {}
        for numbers, part in self.parts(node, indices, scope, block):
            place = 0
            for index, number in zip(indices, numbers):
                place = place << self.bits_of([index]) | number
            parts[place] = part
        return self.chosen(parts, bits)

    def chosen(self, parts, bits):
        """A tree of choices among the parts, by number, of which all bits but these are decided."""
        if len(parts) == 1:
            return next(iter(parts.values()))
        half = 1 << (len(bits) - 1)
        low = {n: part for n, part in parts.items() if n & half == 0}
        high = {n: part for n, part in parts.items() if n & half}
        if not low or not high:
            return self.chosen(low or high, bits[1:])
        return f'({bits[0]} ? {self.chosen(high, bits[1:])} : {self.chosen(low, bits[1:])})'
