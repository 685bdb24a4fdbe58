"""What straight-line code takes, by models of CPUs. Text is a list of instructions, as objdump writes them."""

import re, subprocess

from .targets import fail

FOUR_REGISTERS = re.compile(r"\{v\d+\.16b ?- ?v\d+\.16b\}")
PAIRS = {"aese": "aesmc", "aesd": "aesimc"}


def four_registers(text):
    """The number of table look-ups in four registers. (In two, a look-up takes two cycles; no kernel here has those.)"""
    looked_up = [line for line in text if line.startswith(("tbl", "tbx")) and FOUR_REGISTERS.search(line)]
    for line in looked_up:
        first, last = map(int, re.search(r"\{v(\d+)\.16b ?- ?v(\d+)", line).groups())
        if (last - first) % 32 != 3:
            fail(f"a look-up in another number of registers: {line}")
    return len(looked_up)


def by_count(text):
    """Cycles on a Cortex-A53 by the published count: an instruction each cycle, and 4 for a look-up in four registers."""
    return len(text) + 3 * four_registers(text)


def fused(text):
    """The text without each AESMC that follows the AESE of the same register, and without each such AESIMC."""
    kept = []
    for before, line in zip(["", *text], text):
        first, second = before.split(), line.split()
        registers = second[1:] and {register.rstrip(",") for register in second[1:]}
        if not (first and PAIRS.get(first[0]) == second[0] and registers == {first[1].rstrip(",")}):
            kept.append(line)
    return kept


def mca(text, cpu):
    """What llvm-mca says of code that repeats: cycles each time, and the bound by the units alone."""
    target = ["-mtriple=aarch64", "-mattr=+crypto"] if cpu != "pwr9" else ["-mtriple=powerpc64le"]
    if cpu == "pwr9":
        # LLVM knows PowerPC's registers by their numbers.
        text = [re.sub(r"\b(?:vs|[rvf]|cr)(\d+)\b", r"\1", line) for line in text]
    totals = []
    for repeats in ("1", "3"):
        command = ["llvm-mca-19", *target, f"-mcpu={cpu}", f"-iterations={repeats}", "-instruction-info=0", "-resource-pressure=0"]
        out = subprocess.run(command, input="\n".join(text), capture_output=True, text=True)
        if out.returncode:
            fail(out.stderr[:1000])
        totals.append(int(re.search(r"Total Cycles: +(\d+)", out.stdout)[1]))
        bound = float(re.search(r"Block RThroughput: +([\d.]+)", out.stdout)[1])
    return (totals[1] - totals[0]) / 2, bound


def a53_units(text):
    return mca(text, "cortex-a53")[1] + 3 * four_registers(text)


def a53_in_order(text):
    return mca(text, "cortex-a53")[0] + 3 * four_registers(text)


def a57(text):
    return mca(fused(text), "cortex-a57")[0]


def a57_unfused(text):
    return mca(text, "cortex-a57")[0]


def thunderx2(text):
    return mca(text, "thunderx2t99")[0]


def power9(text):
    return mca(text, "pwr9")[0]


# What the pages show, by the heads of their columns.
ARM = {"instructions": len, "A53 by count": by_count, "A53 in order": a53_in_order, "A57, A72": a57, "ThunderX2": thunderx2}


# The round of AES by table look-up of Linux's aes-neon.S, as its author counted it, with two instructions of loop control
# (a Cortex-A53: "around 15 cycles a byte" by counting instructions, 22.0 measured).
PUBLISHED_ROUND = """ld1 {v15.4s}, [x1], #16
eor v8.16b, v8.16b, v15.16b
movi v15.16b, #0x40
tbl v8.16b, {v8.16b}, v13.16b
sub v9.16b, v8.16b, v15.16b
tbl v8.16b, {v16.16b-v19.16b}, v8.16b
sub v10.16b, v9.16b, v15.16b
tbx v8.16b, {v20.16b-v23.16b}, v9.16b
sub v11.16b, v10.16b, v15.16b
tbx v8.16b, {v24.16b-v27.16b}, v10.16b
tbx v8.16b, {v28.16b-v31.16b}, v11.16b
sshr v9.16b, v8.16b, #7
shl v10.16b, v8.16b, #1
and v9.16b, v9.16b, v12.16b
eor v9.16b, v9.16b, v10.16b
rev32 v10.8h, v8.8h
eor v10.16b, v10.16b, v9.16b
eor v8.16b, v8.16b, v10.16b
tbl v11.16b, {v8.16b}, v14.16b
eor v8.16b, v11.16b, v10.16b
subs x2, x2, #1
b.ne .""".splitlines()
