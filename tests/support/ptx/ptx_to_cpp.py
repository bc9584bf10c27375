#!/usr/bin/env python3
"""Kernels that nvcc compiled, as C++ for the host: PTX text to functions that run one thread each.

usage: ptx_to_cpp.py OUTPUT.cpp TABLE ARCHITECTURE=FILE.ptx ...

TABLE is the function of ptx_kernels.hpp that OUTPUT defines: all kernels of all files, each under its architecture (75, 90, ...). A kernel
that is the same text for several architectures is written once. Names and semantics are those of the PTX ISA; ptx_operations.hpp has what is
more than an operator of C++. An instruction that is not known here, or one that lets threads meet (barriers, shared memory, votes), is an
error with its line: nothing is ever left out. Exit status 1 then.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path


class Unknown(Exception):
    """What this translator cannot do, with the line of the PTX."""

    def __init__(self, line, text):
        super().__init__(f"{line}: {text}")


# ---- Types -----------------------------------------------------------------------------------------------------------------------------

BITS = {"pred": 1}
for letter in "bus":
    BITS.update({f"{letter}{bits}": bits for bits in (8, 16, 32, 64)})
BITS.update({"f32": 32, "f64": 64})
REGISTERS = {"pred": "bool", "b16": "U16", "u16": "U16", "s16": "U16", "b32": "U32", "u32": "U32", "s32": "U32", "f32": "F32",
             "b64": "U64", "u64": "U64", "s64": "U64", "f64": "F64"}


def cpp_type(ptx_type):
    """The type of C++ that computes as this one: bits are unsigned."""
    if ptx_type == "pred":
        return "bool"
    return ("U" if ptx_type[0] == "b" else ptx_type[0].upper()) + ptx_type[1:]


def is_float(ptx_type):
    return ptx_type in ("f32", "f64")


def is_signed(ptx_type):
    return ptx_type[0] == "s"


def unsigned_of(ptx_type):
    return f"U{BITS[ptx_type]}"


# ---- Text to statements ----------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Statement:
    line: int
    text: str                # without the semicolon, single spaces; "{" and "}" are statements of their own


@dataclass
class Kernel:
    name: str
    line: int
    parameters: dict = field(default_factory=dict)   # name: (offset, bytes)
    parameter_bytes: int = 0
    most_threads: int = 0
    statements: list = field(default_factory=list)


@dataclass
class Table:
    """A .global or .const array with its contents."""
    name: str
    align: int
    data: bytes


@dataclass
class Module:
    kernels: list = field(default_factory=list)
    tables: dict = field(default_factory=dict)


def without_comments(text):
    """Comments become as many line ends as they had."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: "\n" * found.group().count("\n"), text, flags=re.S)


def split_statements(text):
    """Statements with their lines. A brace opens or closes a block where a statement begins, elsewhere it belongs to operands."""
    statements, begin, line, depth = [], 0, 1, 0
    for at, letter in enumerate(text):
        before = text[begin:at].strip()
        if letter == "\n":
            line += 1
        elif letter == ";" or (letter in "{}" and not before and depth == 0) or (letter == ":" and re.fullmatch(r"[\w$%]+", before)
                                                                                 and text[at + 1:at + 2] != ":"):
            whole = before if letter == ";" else before + letter
            statements.append(Statement(line, re.sub(r"\s+", " ", whole)))
            begin, depth = at + 1, 0
        elif letter in "{}":
            depth += 1 if letter == "{" else -1
    if text[begin:].strip():
        raise Unknown(line, f"'{text[begin:].strip()[:60]}' at the end")
    return statements


TYPED_ARRAY = re.compile(r"\.(global|const|local|param) (?:\.align (\d+) )?\.(\w+) ([\w$]+)(?:\[(\d*)\])?")


def parse_parameters(kernel, text, line):
    for one in filter(None, (part.strip() for part in text.split(","))):
        found = TYPED_ARRAY.fullmatch(one)
        if not found or found[1] != "param":
            raise Unknown(line, f"parameter '{one}'")
        size = BITS[found[3]] // 8
        align, total = int(found[2] or size), size * int(found[5] or 1)
        offset = -(-kernel.parameter_bytes // align) * align
        kernel.parameters[found[4]] = (offset, total)
        kernel.parameter_bytes = offset + total


def parse_table(statement):
    declared, _, given = statement.text.partition("=")
    found = TYPED_ARRAY.fullmatch(re.sub(r"^\.(visible|weak) ", "", declared.strip()))
    if not found or not given:
        raise Unknown(statement.line, f"'{statement.text[:80]}'")
    size = BITS[found[3]] // 8
    values = [int(value, 0) for value in re.findall(r"[-\w]+", given)]
    data = b"".join((value % (1 << 8 * size)).to_bytes(size, "little") for value in values)
    return Table(found[4], int(found[2] or size), data.ljust(size * int(found[5] or 1), b"\0"))


HEADER = re.compile(r"(?:\.visible |\.weak )*\.entry ([\w$]+)\((.*?)\)(.*)")


def parse_header(text, line):
    found = HEADER.fullmatch(text)
    if not found:
        raise Unknown(line, f"'{text[:80]}' is no kernel")
    kernel = Kernel(found[1], line)
    parse_parameters(kernel, found[2], line)
    threads = re.search(r"\.maxntid (\d+)(?:, (\d+))?(?:, (\d+))?", found[3])
    if threads:
        kernel.most_threads = int(threads[1]) * int(threads[2] or 1) * int(threads[3] or 1)
    return kernel


def parse_directive(module, statement):
    if re.match(r"\.(visible |weak )?(global|const) ", statement.text):
        table = parse_table(statement)
        module.tables[table.name] = table
    else:
        raise Unknown(statement.line, f"'{statement.text[:80]}'")


def parse_module(text):
    """Kernels and tables of a PTX file."""
    module = Module()
    text = without_comments(text)
    # These three end with their line, not with a semicolon.
    text = re.sub(r"^\.(version|target|address_size)[^\n]*", "", text, flags=re.M)
    at = 0
    pattern = re.compile(r"(?:\.visible\s+|\.weak\s+)*\.(?:entry|func)\b[^{]*\{")
    while found := pattern.search(text, at):
        for statement in split_statements(text[at:found.start()]):
            parse_directive(module, Statement(statement.line + text.count("\n", 0, at), statement.text))
        line = text.count("\n", 0, found.start()) + 1
        kernel = parse_header(re.sub(r"\s+", " ", found.group()[:-1]).strip(), line)
        end = end_of_block(text, found.end())
        first = text.count("\n", 0, found.end())
        kernel.statements = [Statement(s.line + first, s.text) for s in split_statements(text[found.end():end])]
        module.kernels.append(kernel)
        at = end + 1
    for statement in split_statements(text[at:]):
        parse_directive(module, statement)
    return module


def end_of_block(text, at):
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    raise Unknown(text.count("\n") + 1, "a block without an end")


# ---- One kernel ------------------------------------------------------------------------------------------------------------------------

SPECIAL = {"%tid.x": "place.thread", "%tid.y": "0U", "%tid.z": "0U", "%ntid.x": "place.block_threads", "%ntid.y": "1U", "%ntid.z": "1U",
           "%ctaid.z": "0U", "%nctaid.z": "1U"}
for axis in "xy":
    SPECIAL.update({f"%ctaid.{axis}": f"place.block_{axis}", f"%nctaid.{axis}": f"place.grid_{axis}"})

# What says how a load or store uses caches, and changes nothing else.
CACHE_HINTS = re.compile(r"nc|ca|cg|cs|lu|cv|wb|wt|L1::\w+|L2::\w+")
SPACES = ("global", "param", "local", "const")
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
LOGIC = {"and": "&", "or": "|", "xor": "^"}


class KernelWriter:
    """Translates the statements of one kernel. Blocks of inline assembly have registers of their own."""

    def __init__(self, kernel, tables):
        self.kernel = kernel
        self.tables = tables
        self.scopes = [{}]           # per open block: declared prefix or name: (type, suffix of the block)
        self.blocks = 0
        self.used = {}               # name in C++: type
        self.arrays = {}             # .local ones: name: (align, bytes)
        self.targets = {}            # lists of labels for brx.idx
        self.lines = []
        self.line = kernel.line

    def fail(self, text):
        raise Unknown(self.line, f"{self.kernel.name}: {text}")

    # -- names and values

    def register(self, name):
        """A register's name in C++ and its type."""
        prefix = name.rstrip("0123456789")
        for scope in reversed(self.scopes):
            declared = scope.get(name) or scope.get(prefix + "<>")
            if declared:
                ptx_type, suffix = declared
                in_cpp = "x_" + re.sub(r"\W", "", name) + suffix if not re.fullmatch(r"%[a-z]+\d+", name) else name[1:] + suffix
                self.used[in_cpp] = ptx_type
                return in_cpp, ptx_type
        self.fail(f"'{name}' is no register")

    def literal(self, text, ptx_type):
        if found := re.fullmatch(r"0[fF]([0-9A-Fa-f]{8})", text):
            bits, size = int(found[1], 16), 32
        elif found := re.fullmatch(r"0[dD]([0-9A-Fa-f]{16})", text):
            bits, size = int(found[1], 16), 64
        else:
            bits, size = int(text.rstrip("U"), 0), BITS[ptx_type]
        if ptx_type == "pred":
            return "true" if bits else "false"
        if size != BITS[ptx_type]:
            self.fail(f"'{text}' is not of type {ptx_type}")
        plain = f"0x{bits % (1 << size):X}" + ("ULL" if size == 64 else "U")
        if is_float(ptx_type):
            return f"float_of({plain})"
        return plain if ptx_type in ("b32", "u32", "b64", "u64") else f"{cpp_type(ptx_type)}({plain})"

    def symbol(self, name):
        """The address of a name, as a number; None: it is none."""
        if name in self.kernel.parameters:
            return f"(parameters + {self.kernel.parameters[name][0]}ULL)"
        if name in self.arrays or name in self.tables:
            return f"U64({name})"
        return None

    def value(self, operand, ptx_type, narrow=False):
        """An expression of cpp_type(ptx_type). narrow: the register may be wider."""
        if re.match(r"[-+\d]", operand):
            return self.literal(operand, ptx_type)
        if operand in SPECIAL:
            return SPECIAL[operand] if ptx_type in ("u32", "b32") else f"{cpp_type(ptx_type)}({SPECIAL[operand]})"
        if not operand.startswith("%"):
            address = self.symbol(operand)
            if address is None or BITS[ptx_type] != 64:
                self.fail(f"'{operand}' is no value of type {ptx_type}")
            return address
        name, declared = self.register(operand)
        wider = BITS[declared] > BITS[ptx_type]
        if BITS[declared] != BITS[ptx_type] and not (wider and narrow):
            self.fail(f"'{operand}' of type {declared} as {ptx_type}")
        return self.converted(name, declared, ptx_type)

    def converted(self, name, declared, ptx_type):
        """The same bits, or the lowest of them, as another type."""
        have, want = REGISTERS[declared], cpp_type(ptx_type)
        if have == want:
            return name
        if is_float(ptx_type):
            return f"float_of({name})"
        if is_float(declared):
            name = f"bits_of({name})"
        return name if want == unsigned_of(declared) else f"{want}({name})"

    def assign(self, operand, ptx_type, expression, extend=False):
        """Sets a register to an expression of cpp_type(ptx_type). extend: the register may be wider, the type says how."""
        if operand == "_":
            self.lines.append(f"static_cast<void>({expression});")
            return
        name, declared = self.register(operand)
        if BITS[declared] != BITS[ptx_type] and not (extend and BITS[declared] > BITS[ptx_type]):
            self.fail(f"'{operand}' of type {declared} gets {ptx_type}")
        have = REGISTERS[declared]
        if is_float(declared) and not is_float(ptx_type):
            if BITS[declared] != BITS[ptx_type]:
                self.fail(f"'{operand}' of type {declared} gets {ptx_type}")
            expression = f"float_of({unsigned_of(ptx_type)}({expression}))"
        elif is_float(ptx_type) and not is_float(declared):
            expression = f"bits_of({expression})"
        elif have != cpp_type(ptx_type) or have == "U16":
            expression = f"{have}({expression})"
        self.lines.append(f"{name} = {expression};")

    # -- addresses

    def address(self, operand):
        """[base+offset] as a symbol's name or None, and an expression."""
        found = re.fullmatch(r"\[([^+\]]+?)(?:\+(-?\d+))?\]", operand.replace(" ", ""))
        if not found:
            self.fail(f"address '{operand}'")
        offset = int(found[2] or 0)
        symbol = None if found[1].startswith("%") else found[1]
        base = self.value(found[1], "u64")
        return symbol, offset, base if offset == 0 else f"{base} + {offset % (1 << 64):#x}ULL"

    def checked_address(self, space, operand, size):
        """An expression for the memory of `size` bytes in one piece."""
        symbol, offset, expression = self.address(operand)
        if symbol in self.kernel.parameters:
            if offset < 0 or offset + size > self.kernel.parameters[symbol][1] or offset % size:
                self.fail(f"{size} bytes at {offset} of {symbol}")
            return f"memory({expression})"
        if space == "param":
            return f"parameter<{size}, {self.kernel.parameter_bytes}>(parameters, {expression}, kKernel, {self.line})"
        return f"aligned<{size}>({expression}, kKernel, {self.line})"

    # -- control

    def write(self):
        for statement in self.kernel.statements:
            self.line = statement.line
            self.statement(statement.text)
        return self.lines

    def statement(self, text):
        if text == "{":
            self.blocks += 1
            self.scopes.append({})
        elif text == "}":
            self.scopes.pop()
        elif text.endswith(":"):
            self.pending_label = text[:-1]
            self.lines.append(f"{label(text[:-1])}:;")
        elif text.startswith("."):
            self.directive(text)
        else:
            self.guarded(text)

    def directive(self, text):
        if found := re.fullmatch(r"\.reg \.(\w+) (.*)", text):
            if found[1] not in REGISTERS:
                self.fail(f"registers of type {found[1]}")
            suffix = f"_{self.blocks}" if len(self.scopes) > 1 else ""
            for name in found[2].replace(" ", "").split(","):
                self.scopes[-1][re.sub(r"<\d+>", "<>", name)] = (found[1], suffix)
        elif found := re.fullmatch(r"\.local \.align (\d+) \.b8 (\w+)\[(\d+)\]", text):
            self.arrays[found[2]] = (int(found[1]), int(found[3]))
        elif found := re.fullmatch(r"\.branchtargets (.*)", text):
            self.targets[self.pending_label] = found[1].replace(" ", "").split(",")
        elif not re.match(r"\.(pragma|loc|file) ", text):
            self.fail(f"'{text}'")

    def guarded(self, text):
        found = re.fullmatch(r"(?:@(!?)(%\w+) )?([\w.:]+)(?: (.*))?", text)
        if not found:
            self.fail(f"'{text}'")
        begin = len(self.lines)
        opcode, *modifiers = split_opcode(found[3])
        translate = getattr(self, f"op_{opcode}", None)
        if translate is None:
            self.fail(f"the instruction '{found[3]}' is not known")
        translate(modifiers, split_operands(found[4] or ""), found[3])
        if found[2]:
            condition = f"{'!' if found[1] else ''}{self.value(found[2], 'pred')}"
            self.lines[begin:] = [f"if ({condition}) {{ {' '.join(self.lines[begin:])} }}"]

    def expect(self, modifiers, allowed, whole):
        """The one type that is left when the allowed modifiers are removed."""
        rest = [modifier for modifier in modifiers if modifier not in allowed]
        if len(rest) != 1 or rest[0] not in BITS:
            self.fail(f"the instruction '{whole}' is not known")
        return rest[0]

    def op_bra(self, modifiers, operands, whole):
        if modifiers not in ([], ["uni"]):
            self.fail(f"the instruction '{whole}' is not known")
        self.lines.append(f"goto {label(operands[0])};")

    def op_brx(self, modifiers, operands, whole):
        if "idx" not in modifiers or operands[1] not in self.targets:
            self.fail(f"the instruction '{whole}' is not known")
        cases = " ".join(f"case {i}: goto {label(name)};" for i, name in enumerate(self.targets[operands[1]]))
        self.lines.append(f"switch ({self.value(operands[0], 'u32')}) {{ {cases} default: __builtin_trap(); }}")

    def op_ret(self, modifiers, operands, whole):
        self.lines.append("return;")

    op_exit = op_ret

    def op_trap(self, modifiers, operands, whole):
        self.lines.append(f"trapped(kKernel, {self.line});")

    # -- moves, loads, stores

    def op_mov(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        to, given = operands
        if to.startswith("{"):
            self.unpack(vector(to), given, ptx_type)
        elif given.startswith("{"):
            parts = vector(given)
            bits = BITS[ptx_type] // len(parts)
            wide = unsigned_of(ptx_type)
            self.assign(to, f"b{BITS[ptx_type]}",
                        " | ".join(f"{wide}({self.value(part, f'b{bits}')}) << {bits * i}" for i, part in enumerate(parts)))
        else:
            self.assign(to, ptx_type, self.value(given, ptx_type))

    def unpack(self, parts, given, ptx_type):
        bits = BITS[ptx_type] // len(parts)
        for i, part in enumerate(parts):
            if part != "_":
                self.assign(part, f"b{bits}", f"U{bits}({self.value(given, f'b{BITS[ptx_type]}')} >> {bits * i})")

    def access(self, modifiers, whole):
        """Space, count of elements and their type of a load or store."""
        spaces = [space for space in modifiers if space in SPACES]
        counts = [modifier for modifier in modifiers if modifier in ("v2", "v4", "v8")]
        types = [modifier for modifier in modifiers if modifier in BITS and modifier != "pred"]
        rest = [m for m in modifiers if m not in spaces + counts + types and not CACHE_HINTS.fullmatch(m)]
        if rest or len(types) != 1 or len(spaces) > 1 or len(counts) > 1:
            self.fail(f"the instruction '{whole}' is not known")
        return spaces[0] if spaces else "global", int(counts[0][1]) if counts else 1, types[0]

    def op_ld(self, modifiers, operands, whole):
        space, count, ptx_type = self.access(modifiers, whole)
        size = BITS[ptx_type] // 8
        place = self.checked_address(space, operands[1], size * count)
        parts = vector(operands[0]) if count > 1 else operands[:1]
        if count == 1:
            self.assign(parts[0], ptx_type, f"loaded<{cpp_type(ptx_type)}>({place})", extend=True)
            return
        # The address first: a register of it may be among those that are loaded.
        self.lines.append(f"{{ const unsigned char* const at = {place};")
        for i, part in enumerate(parts):
            if part != "_":
                self.assign(part, ptx_type, f"loaded<{cpp_type(ptx_type)}>(at + {size * i})", extend=True)
        self.lines[-1] += " }"

    def op_st(self, modifiers, operands, whole):
        space, count, ptx_type = self.access(modifiers, whole)
        if space in ("param", "const"):
            self.fail(f"the instruction '{whole}' is not known")
        size = BITS[ptx_type] // 8
        place = self.checked_address(space, operands[0], size * count)
        parts = vector(operands[1]) if count > 1 else operands[1:]
        stores = " ".join(f"store(at + {size * i}, {self.value(part, ptx_type, narrow=True)});" for i, part in enumerate(parts))
        self.lines.append(f"{{ unsigned char* const at = {place}; {stores} }}")

    def op_cvta(self, modifiers, operands, whole):
        if self.expect(modifiers, ("to",) + SPACES, whole) != "u64":
            self.fail(f"the instruction '{whole}' is not known")
        self.assign(operands[0], "u64", self.value(operands[1], "u64"))  # one space for all memory here

    # -- arithmetic

    def arithmetic(self, sign, modifiers, operands, whole):
        """Numbers wrap around: in unsigned ones, 16 bits in 32. Floats say how they round: without, what makes machine code of PTX may
        fuse a multiplication and an addition, and there is no one result."""
        ptx_type = self.expect(modifiers, ("rn",), whole)
        if is_float(ptx_type) != ("rn" in modifiers):
            self.fail(f"the instruction '{whole}' is not known" if "rn" in modifiers else f"'{whole}' without .rn (made with --fmad=true?)")
        if is_float(ptx_type):
            a, b = (self.value(operand, ptx_type) for operand in operands[1:])
            self.assign(operands[0], ptx_type, f"{a} {sign} {b}")
            return
        bits = f"b{BITS[ptx_type]}"
        a, b = (self.value(operand, bits) for operand in operands[1:])
        self.assign(operands[0], bits, f"U32({a}) {sign} U32({b})" if bits == "b16" else f"{a} {sign} {b}")

    def op_add(self, modifiers, operands, whole):
        self.arithmetic("+", modifiers, operands, whole)

    def op_sub(self, modifiers, operands, whole):
        self.arithmetic("-", modifiers, operands, whole)

    def product(self, modifiers, operands, whole):
        """Type and expression of a · b by lo, hi or wide."""
        ptx_type = self.expect(modifiers, ("lo", "hi", "wide"), whole)
        a, b = (self.value(operand, ptx_type) for operand in operands)
        if "hi" in modifiers:
            return ptx_type, f"high_product({a}, {b})"
        if "wide" in modifiers:
            wide = f"{ptx_type[0]}{2 * BITS[ptx_type]}"
            return wide, f"{cpp_type(wide)}({a}) * {cpp_type(wide)}({b})"
        bits = f"b{BITS[ptx_type]}"
        a, b = (self.value(operand, bits) for operand in operands)
        return bits, f"U32({a}) * U32({b})" if bits == "b16" else f"{a} * {b}"

    def op_mul(self, modifiers, operands, whole):
        if modifiers[-1] in ("f32", "f64"):
            self.arithmetic("*", modifiers, operands, whole)
        else:
            ptx_type, expression = self.product(modifiers, operands[1:], whole)
            self.assign(operands[0], ptx_type, expression)

    def op_mad(self, modifiers, operands, whole):
        ptx_type, expression = self.product(modifiers, operands[1:3], whole)
        bits = f"b{BITS[ptx_type]}"
        self.assign(operands[0], bits, f"{unsigned_of(ptx_type)}({expression}) + {self.value(operands[3], bits)}")

    def op_fma(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, ("rn",), whole)
        self.assign(operands[0], ptx_type, f"fused({', '.join(self.value(operand, ptx_type) for operand in operands[1:])})")

    def op_div(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, ("rn",), whole)
        a, b = (self.value(operand, ptx_type) for operand in operands[1:])
        self.assign(operands[0], ptx_type, f"{a} / {b}" if is_float(ptx_type) else f"quotient({a}, {b})")

    def op_rem(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        a, b = (self.value(operand, ptx_type) for operand in operands[1:])
        self.assign(operands[0], ptx_type, f"remainder_of({a}, {b})")

    def op_rcp(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, ("rn",), whole)
        self.assign(operands[0], ptx_type, f"{cpp_type(ptx_type)}(1) / {self.value(operands[1], ptx_type)}")

    def call(self, name, modifiers, operands, whole):
        """A function of ptx_operations.hpp whose arguments and result are of the one type."""
        ptx_type = self.expect(modifiers, (), whole)
        self.assign(operands[0], ptx_type, f"{name}({', '.join(self.value(operand, ptx_type) for operand in operands[1:])})")

    def op_neg(self, modifiers, operands, whole):
        self.call("negated", modifiers, operands, whole)

    def op_abs(self, modifiers, operands, whole):
        self.call("magnitude", modifiers, operands, whole)

    def op_min(self, modifiers, operands, whole):
        self.call("smaller", modifiers, operands, whole)

    def op_max(self, modifiers, operands, whole):
        self.call("larger", modifiers, operands, whole)

    # -- bits

    def logic(self, sign, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        a, b = (self.value(operand, ptx_type) for operand in operands[1:])
        self.assign(operands[0], ptx_type, f"{a} {sign} {b}")

    def op_and(self, modifiers, operands, whole):
        self.logic("&", modifiers, operands, whole)

    def op_or(self, modifiers, operands, whole):
        self.logic("|", modifiers, operands, whole)

    def op_xor(self, modifiers, operands, whole):
        self.logic("^", modifiers, operands, whole)

    def op_not(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        self.assign(operands[0], ptx_type, f"{'!' if ptx_type == 'pred' else '~'}{self.value(operands[1], ptx_type)}")

    def shift(self, sign, modifiers, operands, whole):
        """Amounts beyond the width shift everything out, or to the sign."""
        ptx_type = self.expect(modifiers, (), whole)
        a = self.value(operands[1], ptx_type)
        if operands[2].isdigit() and int(operands[2]) < BITS[ptx_type]:
            self.assign(operands[0], ptx_type, f"{a} {sign} {operands[2]}")
        else:
            name = "shifted_left" if sign == "<<" else "shifted_right"
            self.assign(operands[0], ptx_type, f"{name}({a}, {self.value(operands[2], 'u32')})")

    def op_shl(self, modifiers, operands, whole):
        self.shift("<<", modifiers, operands, whole)

    def op_shr(self, modifiers, operands, whole):
        self.shift(">>", modifiers, operands, whole)

    def op_shf(self, modifiers, operands, whole):
        if len(modifiers) != 3 or modifiers[0] not in "lr" or modifiers[1] not in ("clamp", "wrap") or modifiers[2] != "b32":
            self.fail(f"the instruction '{whole}' is not known")
        low, high, amount = (self.value(operand, "b32") for operand in operands[1:])
        amount = f"clamped({amount})" if modifiers[1] == "clamp" else f"({amount} & 31)"
        side = "left" if modifiers[0] == "l" else "right"
        self.assign(operands[0], "b32", f"funnel_{side}({low}, {high}, {amount})")

    def op_prmt(self, modifiers, operands, whole):
        if modifiers != ["b32"]:
            self.fail(f"the instruction '{whole}' is not known")
        self.assign(operands[0], "b32", f"permuted({', '.join(self.value(operand, 'b32') for operand in operands[1:])})")

    def op_bfe(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        position, count = (self.value(operand, "u32") for operand in operands[2:])
        self.assign(operands[0], ptx_type, f"extracted({self.value(operands[1], ptx_type)}, {position}, {count})")

    def op_bfi(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        bits, into = (self.value(operand, ptx_type) for operand in operands[1:3])
        position, count = (self.value(operand, "u32") for operand in operands[3:])
        self.assign(operands[0], ptx_type, f"inserted({bits}, {into}, {position}, {count})")

    def op_bfind(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, ("shiftamt",), whole)
        if is_signed(ptx_type):
            self.fail(f"the instruction '{whole}' is not known")
        name = "left_to_highest_bit" if "shiftamt" in modifiers else "highest_bit"
        self.assign(operands[0], "u32", f"{name}({self.value(operands[1], ptx_type)})")

    def op_clz(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        self.assign(operands[0], "u32", f"U32(std::countl_zero({self.value(operands[1], ptx_type)}))")

    def op_popc(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        self.assign(operands[0], "u32", f"U32(std::popcount({self.value(operands[1], ptx_type)}))")

    def op_brev(self, modifiers, operands, whole):
        self.call("reversed_bits", modifiers, operands, whole)

    def op_lop3(self, modifiers, operands, whole):
        if modifiers != ["b32"]:
            self.fail(f"the instruction '{whole}' is not known")
        a, b, c = (self.value(operand, "b32") for operand in operands[1:4])
        self.assign(operands[0], "b32", f"logic_of_three<{int(operands[4], 0)}>({a}, {b}, {c})")

    def op_dp4a(self, modifiers, operands, whole):
        if len(modifiers) != 2 or any(modifier not in ("u32", "s32") for modifier in modifiers):
            self.fail(f"the instruction '{whole}' is not known")
        a, b = (self.value(operand, "b32") for operand in operands[1:3])
        bytes_of = ["S8" if modifier == "s32" else "U8" for modifier in modifiers]
        self.assign(operands[0], "b32", f"dot_product<{bytes_of[0]}, {bytes_of[1]}>({a}, {b}, {self.value(operands[3], 'b32')})")

    # -- comparison, choice

    def comparison(self, how, ptx_type, a, b):
        if not is_float(ptx_type):
            sign = COMPARISONS.get(how)
        elif how in ("num", "nan"):
            return f"({'' if how == 'nan' else '!'}unordered({a}, {b}))"
        elif how[:2] in COMPARISONS and how[2:] in ("", "u"):
            compared = f"{a} {COMPARISONS[how[:2]]} {b}"
            return f"(unordered({a}, {b}) || {compared})" if how[2:] else f"(!unordered({a}, {b}) && {compared})"
        else:
            sign = None
        if sign is None:
            self.fail(f"the comparison '{how}' is not known")
        return f"({a} {sign} {b})"

    def op_setp(self, modifiers, operands, whole):
        how, *logic = modifiers[:-1]
        ptx_type = modifiers[-1]
        if ptx_type not in BITS or len(logic) > 1 or (logic and logic[0] not in LOGIC) or "|" in operands[0]:
            self.fail(f"the instruction '{whole}' is not known")
        a, b = (self.value(operand, ptx_type) for operand in operands[1:3])
        result = self.comparison(how, ptx_type, a, b)
        if logic:
            negated = operands[3].startswith("!")
            result += f" {LOGIC[logic[0]]} {'!' if negated else ''}{self.value(operands[3].lstrip('!'), 'pred')}"
        self.assign(operands[0], "pred", result)

    def op_selp(self, modifiers, operands, whole):
        ptx_type = self.expect(modifiers, (), whole)
        a, b = (self.value(operand, ptx_type) for operand in operands[1:3])
        self.assign(operands[0], ptx_type, f"{self.value(operands[3], 'pred')} ? {a} : {b}")

    # -- conversion

    def op_cvt(self, modifiers, operands, whole):
        if modifiers[:1] == ["rn"] and modifiers[1:] in (["f16", "f32"], ["f16x2", "f32"], ["bf16", "f32"], ["bf16x2", "f32"]):
            self.to_halves(modifiers[1], operands)
            return
        *how, to, given = modifiers
        if to not in BITS or given not in BITS or len(how) > 1:
            self.fail(f"the instruction '{whole}' is not known")
        value = self.value(operands[1], given, narrow=True)
        name = self.conversion(how[0] if how else "", to, given)
        if name is None:
            self.fail(f"the instruction '{whole}' is not known")
        self.assign(operands[0], to, f"{name}({value})", extend=not is_float(to))

    def to_halves(self, to, operands):
        one = "half_of" if to.startswith("f16") else "bfloat16_of"
        values = [self.value(operand, "f32") for operand in operands[1:]]
        if to.endswith("x2"):
            self.assign(operands[0], "b32", f"U32({one}({values[0]})) << 16 | {one}({values[1]})")  # the first one is the upper half
        else:
            self.assign(operands[0], "b16", f"{one}({values[0]})")

    def conversion(self, how, to, given):
        """What makes the one type of the other; None: not known."""
        wanted = cpp_type(to)
        if is_float(given) and not is_float(to):
            return {"rni": f"nearest<{wanted}>", "rzi": f"towards_zero<{wanted}>", "rmi": f"downwards<{wanted}>",
                    "rpi": f"upwards<{wanted}>"}.get(how)
        if is_float(given):
            integral = {"rni": "nearest_whole", "rzi": "whole_towards_zero", "rmi": "whole_below", "rpi": "whole_above"}
            if given == to:
                return integral.get(how)
            exact = BITS[to] > BITS[given]
            return wanted if how == ("" if exact else "rn") else None
        if is_float(to):
            return wanted if how == "rn" else None
        return wanted if how == "" else (f"saturated<{wanted}>" if how == "sat" else None)


def split_opcode(text):
    """cvt.rn.f32.s32 to its parts; L1::no_allocate is one."""
    return text.split(".")


def split_operands(text):
    """Operands between commas, those of a vector in one piece."""
    return [re.sub(r"\s", "", part) for part in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,{}\[\]]+", text) if part.strip()]


def vector(text):
    return text.strip("{}").split(",")


def label(name):
    return "L_" + re.sub(r"\W", "_", name).strip("_")


# ---- Files -----------------------------------------------------------------------------------------------------------------------------

def declarations(used):
    """Registers by type, so many a line as fit."""
    for ptx_type in ("bool", "U16", "U32", "U64", "F32", "F64"):
        names = [name for name, declared in used.items() if REGISTERS[declared] == ptx_type]
        for i in range(0, len(names), 16):
            yield f"  {ptx_type} {', '.join(names[i:i + 16])};"


def write_kernel(kernel, module, function, file_name):
    writer = KernelWriter(kernel, module.tables)
    body = writer.write()
    yield f"void {function}([[maybe_unused]] const U64 parameters, const ThreadPlace& place) {{"
    yield f"  static constexpr Origin kKernel{{\"{kernel.name}\", \"{file_name}\"}};"
    for name, (align, size) in writer.arrays.items():
        yield f"  alignas({align}) unsigned char {name}[{size}];"
    yield from declarations(writer.used)
    yield from ("  " + line for line in body)
    yield "}\n"


def write_table(table):
    values = ",".join(str(value) for value in table.data)
    return f"alignas({table.align}) const unsigned char {table.name}[{len(table.data)}] = {{{values}}};\n"


def same_code(kernel, module):
    """What is equal for kernels that are the same."""
    return (kernel.name, kernel.parameter_bytes, kernel.most_threads, tuple(statement.text for statement in kernel.statements),
            tuple((table.name, table.align, table.data) for table in module.tables.values()))


def write_file(table_name, modules):
    """modules: (architecture, name of its file, Module) each."""
    yield "// Made by ptx_to_cpp.py.\n#include \"support/ptx/ptx_operations.hpp\"\n\nnamespace hotpack::test::ptx {\nnamespace {\n"
    functions, rows = {}, []
    for architecture, file_name, module in modules:
        scope = f"sm_{architecture}"
        if module.tables:
            yield f"namespace {scope} {{"
            yield from (write_table(table) for table in module.tables.values())
            yield "}"
        for kernel in module.kernels:
            function = functions.get(same_code(kernel, module))
            if function is None:
                function = functions[same_code(kernel, module)] = f"{kernel.name}_{architecture}"
                if module.tables:
                    yield f"namespace {scope} {{"
                yield from write_kernel(kernel, module, function, file_name)
                if module.tables:
                    yield f"}}\nusing {scope}::{function};"
            rows.append(f"    {{{architecture}, \"{kernel.name}\", {function}, launch<{function}>, "
                        f"{kernel.parameter_bytes}, {kernel.most_threads}}},")
    yield "constexpr CompiledKernel kKernels[] = {\n" + "\n".join(rows) + "\n};\n\n}  // namespace\n"
    yield f"std::span<const CompiledKernel> {table_name}() {{ return kKernels; }}\n\n}}  // namespace hotpack::test::ptx"


def main():
    if len(sys.argv) < 4 or not all("=" in given for given in sys.argv[3:]):
        sys.exit(__doc__)
    output, table_name, *given = sys.argv[1:]
    modules = []
    for architecture, path in (one.split("=", 1) for one in given):
        try:
            module = parse_module(Path(path).read_text())
            modules.append((architecture, Path(path).name, module))
            list(line for kernel in module.kernels for line in write_kernel(kernel, module, "unused", ""))
        except Unknown as problem:
            sys.exit(f"{path}:{problem}")
    Path(output).write_text("\n".join(write_file(table_name, modules)) + "\n")


if __name__ == "__main__":
    main()
