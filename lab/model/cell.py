"""The Cell's PowerPC core, by the rules that its makers wrote down for GCC (gcc/config/rs6000/cell.md, by Sony, Toshiba and IBM).

Two instructions issue in a cycle, in order, if their units differ:

* FXU: integers, 2 cycles until the result; a compare takes 1
* LSU: a load takes 2 cycles, from the cache
* a store of an integer takes LSU and FXU
* BRU: branches, moves to CTR; a copy of CR takes 34 cycles
* VSU1: simple instructions on vectors, 4 cycles
* VSU2: permutations and immediate vectors, 4 cycles
* a load of a vector takes VSU2 and LSU, 2 cycles; a store of one takes both as well

* a product of integers takes 15 cycles, and nothing else issues in them; what is microcode (shifts by a register's number, loads with a
  sign) takes 7, at least

An address that an instruction on integers, or a load, has made can be used after 5 cycles. Branches are predicted. What is not modelled: the
second thread, misses of the cache, and loads that wait for stores.
"""

import re

from .targets import fail

FIXED = re.compile(r"(addi?s?c?|subf?i?c?|subfe|addc|adde|addze|and|andc|andi|or|ori|oris|xor|xori|nor|nand|orc|eqv|neg|not|mr|li|lis|clrl[dw]i|clrlsldi|rot[lr][dw]i?|rld(icl|icr|ic|imi)|rlw(inm|imi)|insr[dw]i|sl[dw]i|sr[dw]i|extsw|extsb|exts[bwh]|nop|cntlz[dw]|clrr[dw]i|sra[dw]i|xoris|andis)\.?$")
KINDS = [
    ("cmp", re.compile(r"cmpl?[dw]i?$"), {"FXU"}, 1),
    ("fixed", FIXED, {"FXU"}, 2),
    ("product", re.compile(r"mul(ld|lw|li|hdu?|hwu?)\.?$"), {"FXU", "LSU", "VSU1", "VSU2", "BRU"}, 15),
    ("microcode", re.compile(r"(s[lr]a?[dw]|l[wh]ax?)\.?$"), {"FXU", "LSU", "VSU1", "VSU2", "BRU"}, 7),
    ("load", re.compile(r"(ldu?x?|l[wbh]zu?x?|lwbrx|lhbrx)$"), {"LSU"}, 2),
    ("store", re.compile(r"(st[dwbh]u?x?|stwbrx|sthbrx)$"), {"LSU", "FXU"}, 1),
    ("branch", re.compile(r"b[a-z]*[+-]?$|m[tf]ctr$|m[tf]lr$|cr[a-z]+$|mcrf$"), {"BRU"}, 1),
    ("from cr", re.compile(r"mfo?cr(f)?$"), {"BRU"}, 34),
    ("to cr", re.compile(r"mto?crf$"), {"FXU"}, 1),
    ("vector load", re.compile(r"lvx$"), {"VSU2", "LSU"}, 2),
    ("vector store", re.compile(r"stvx$"), {"VSU2", "LSU"}, 1),
    ("permute", re.compile(r"(vperm|vsplt\w+|vsldoi|vmrg\w+)$"), {"VSU2"}, 4),
    ("simple", re.compile(r"(vadd\w+|vsub\w+|vxor|vand|vandc|vor|vnor|vsel|vs[rl]a?[bhw]|vrl[bhw]|vmr)$"), {"VSU1"}, 4),
]
# A destination that is also read.
READ_TOO = re.compile(r"(rldimi|rlwimi|insr[dw]i)$")


def kind_of(name):
    for kind, pattern, units, latency in KINDS:
        if pattern.match(name):
            return kind, units, latency
    fail(f"the Cell: {name} has no rule here")


def cell(text):
    """The cycles of code that runs once."""
    ready = {}  # the cycle from which a register can be read, and from which it is an address
    cycle, issued, used = 0, 0, set()
    for line in text:
        name, _, operands = line.partition(" ")
        kind, units, latency = kind_of(name)
        registers = re.findall(r"\b(?:cr|[rvf])\d+\b|\bctr\b", operands)
        if kind in ("load", "store", "vector load", "vector store"):
            value, addresses = registers[:1], registers[1:]
            written = value if "load" in kind else []
            read = [] if "load" in kind else value
            # The base moves on.
            if name.endswith(("u", "ux")):
                written = written + addresses[:1]
        elif kind == "branch":
            if name in ("mtctr", "bdnz"):
                written, read, addresses = ["ctr"], [*registers, *(["ctr"] if name == "bdnz" else [])], []
            else:
                written, read, addresses = [], registers or ["cr0"], []
        else:
            written, read, addresses = registers[:1], registers[1:], []
            if kind == "cmp":
                written, read = ([registers[0]], registers[1:]) if registers[0].startswith("cr") else (["cr0"], registers)
            if name.endswith("."):
                written = [*written, "cr0"]
            if READ_TOO.match(name):
                read = read + written
        start = max([cycle, *(ready.get(r, (0, 0))[0] for r in read), *(ready.get(r, (0, 0))[1] for r in addresses)])
        if start == cycle and (issued == 2 or units & used):
            start = cycle + 1
        if start > cycle:
            cycle, issued, used = start, 0, set()
        issued, used = issued + 1, used | units
        if kind in ("product", "microcode"):
            cycle, issued, used, latency = cycle + latency, 0, set(), 0
        for r in written:
            ready[r] = (cycle + latency, cycle + (5 if kind in ("fixed", "load") else latency))
    return cycle + 1
