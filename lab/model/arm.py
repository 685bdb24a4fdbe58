"""docs/arm.md: our kernels and Linux's by the same models, the published figures and the aims beside them."""

from . import programs
from .cell import cell
from .cycles import PUBLISHED_ROUND, a53_units, a57, a57_unfused, by_count, mca, power9, thunderx2
from .report import added, cycles_of, figure, per_byte, table, whole
from .targets import AARCH64, POWER, POWER8, POWER_LE, Program, fail

# Kernel, and what was published about the same method in Linux on a Cortex-A53, measured, in cycles a byte.
KERNELS = {
    "ctr-aes-neonbs": "19.8",
    "xts-aes-neonbs": "20.1",
    "xts-aes-neonbs-dec": "22.7",
    "cbc-aes-neonbs-dec": "22.2",
    "ecb-aes-neon": "22.0",
    "ecb-aes-neon-dec": "",
    "ctr-aes-neon": "",
    "cbcmac-aes-neon": "",
    "ghash-neon": "",
    "chacha20-neon": "",
    "ecb-aes-ce": "",
    "ctr-aes-ce": "",
    "cbc-aes-ce-dec": "",
    "xts-aes-ce": "",
    "gcm-aes-ce": "",
    "ghash-ce": "",
    "cbcmac-aes-ce": "",
}
# ChaCha20 of Linux takes five blocks at a time, of 64 bytes.
SIZES = {"chacha20-neon": 1280}
MODELS = {"instructions a byte": len, "A53 by count": by_count, "A53 units": a53_units, "A57, A72": a57, "ThunderX2": thunderx2}
COUNT = "A53 by count"

# Ours; the program's target for each of the columns.
POWERPC = [
    ("ecb-aes-altivec", POWER, POWER_LE), ("ecb-aes-altivec-dec", POWER, POWER_LE), ("cbc-aes-altivec", POWER, POWER_LE),
    ("cbc-aes-altivec-dec", POWER, POWER_LE), ("ctr-aes-altivec", POWER, POWER_LE), ("xts-aes-altivec", POWER, POWER_LE),
    ("aes-generic", POWER, POWER_LE), ("aes-generic-dec", POWER, POWER_LE), ("ghash-generic", POWER, POWER_LE),
    ("p8_aes_ecb", POWER8, POWER_LE), ("p8_aes_ctr", POWER8, POWER_LE), ("p8_aes_xts", POWER8, POWER_LE), ("p8_ghash", POWER8, POWER_LE),
]


def validated():
    """The published round by the count, and by the units of llvm-mca, without and with the correction."""
    counted, corrected = len(PUBLISHED_ROUND) * 10 / 16, by_count(PUBLISHED_ROUND) * 10 / 16
    if (counted, corrected) != (13.75, 21.25):
        fail(f"the published round is {corrected} cycles a byte by this count, not 21.25")
    return counted, corrected, mca(PUBLISHED_ROUND, "cortex-a53")[1] * 10 / 16, a53_units(PUBLISHED_ROUND) * 10 / 16


def powerpc_calls(target):
    """Both levels of features of a target are in one program."""
    return Program(target, programs.calls(POWER if target is POWER8 else target).binary)


def page():
    counted, corrected, units, units_corrected = validated()
    ours, linux = programs.calls(AARCH64), programs.linux()
    rows = {}
    for kernel in KERNELS:
        for program in (ours, linux):
            rows[kernel, program] = per_byte(program, kernel, MODELS, SIZES.get(kernel, 1024))
    composed = "gcm_base(ctr-aes-neonbs,ghash-neon)"
    for program in (ours, linux):
        parts = rows["ctr-aes-neonbs", program], rows["ghash-neon", program]
        rows[composed, program] = {model: parts[0][model] + parts[1][model] for model in MODELS}
    print(f"""# Cycles on Arm and PowerPC: a model

Written by `lab/experiments --model`; do not edit. **Nothing on this page was measured on an Arm or PowerPC CPU.** It is a model: the
instructions that 1024 more bytes of text add to a call with a key of 128 bits, as qemu-user executes them, and what they take.

## The model, and whether it can be believed

The count was checked before anything else. The round of AES by table look-up in Linux, 20 instructions and 2 of loop control, is
published with "around 15" cycles a byte by counting, 21.25 with look-ups of four cycles, and 22.0 as measured on a Cortex-A53.
Here it is {counted:.2f} with look-ups of one cycle, and **{corrected:.2f}** with four.

* *A53 by count*: each instruction takes a cycle, and a look-up in four registers (`tbl`, `tbx`) takes four.
* *A53 units*: what the busiest unit of llvm-mca-19's model takes. That model gives a look-up in four registers one cycle; three are added
  here. Of the published round it says {units:.1f}, and {units_corrected:.1f} when corrected, because it issues loads and loop control beside vector
  operations. Nothing waits in this bound.
* *A57, A72*: what llvm-mca-19 simulates. The two cores have one model there. It is corrected too: AESE and the AESMC of its result, which
  follows at once, are one operation (and AESD with AESIMC). llvm-mca-19 makes two of them, which take the one unit for AES twice. Later versions of
  LLVM (`AArch64CustomBehaviour.cpp`) fuse them for cores that have `FeatureFuseAES`, as both of these have it, and so does GCC
  (`aarch_crypto_can_dual_issue`: both in a cycle). What the uncorrected model says is below.
* *ThunderX2*: what llvm-mca-19 simulates. LLVM fuses nothing for it. Loads hit the cache in all of these.

No column for the A53 waits for a result, so figures of a chain, as a MAC is one, are too low there.

## Kernels, and those of Linux

Linux's are the functions of `linux-source-6.12` of Debian in `arch/arm64/crypto` (`aes-neonbs-core.S`, `aes-neon.S`, `aes-ce.S`, `ghash-ce-core.S`,
`chacha-neon-core.S`), assembled when this page is made and called with whole batches. Published figures are of the same method in Linux on a
Cortex-A53, measured, in cycles a byte.
""")
    body = []
    for kernel, published in [*KERNELS.items(), (composed, "29")]:
        # The sum of its parts, after what it is made of.
        for whose, program in (("ours", ours), ("Linux", linux)):
            name = f"`{kernel}`" + (", the sum of its parts" if kernel == composed else "")
            body.append((name if program is ours else "", whose, *(figure(n) for n in rows[kernel, program].values()), published if program is linux else ""))
    table(["kernel", "whose", *MODELS, "published, A53"], body)
    unfused = {kernel: [cycles_of(added(program, kernel), a57_unfused) / 1024 for program in (ours, linux)] for kernel in KERNELS if "aes-ce" in kernel}
    print("With AES instructions, on A57 and A72, by llvm-mca as it is, and with fused pairs as above:\n")
    table(["kernel", "ours, not fused", "ours", "Linux, not fused", "Linux"], [
        (f"`{kernel}`", figure(mine), figure(rows[kernel, ours]["A57, A72"]), figure(theirs), figure(rows[kernel, linux]["A57, A72"])) for kernel, (mine, theirs) in unfused.items()])
    aims(rows, ours, linux, composed, unfused)
    powerpc()


def aims(rows, ours, linux, composed, unfused):
    table4k = programs.lab_program(AARCH64, "ghash-table4k")
    hashed = {
        "table": per_byte(linux, "ghash-generic", MODELS),
        "ghash-table4k": per_byte(table4k, "table", MODELS),
        "ghash-generic": per_byte(ours, "ghash-generic", MODELS),
    }
    at_1500 = {n: cycles_of(whole(program, "gcm-aes-ce", 1500), thunderx2) for n, program in ((2, programs.aggregated(AARCH64, 2)), (8, ours))}
    ratio = {name: cells[COUNT] / rows["ghash-neon", ours][COUNT] for name, cells in hashed.items()}
    ctr = rows["ctr-aes-ce", ours]["A57, A72"]
    measured = {**KERNELS, composed: "29"}
    # How much more than its count Linux's code took on the hardware.
    more = {kernel: float(published) / rows[kernel, linux][COUNT] for kernel, published in measured.items() if published}
    # What the published GCM leaves for GHASH, with a table and without.
    table_took, bytes_took = 58 - 19.8, 29 - 19.8
    by_hardware = table_took / (rows["ghash-neon", ours][COUNT] * bytes_took / rows["ghash-neon", linux][COUNT])
    verdict = lambda met: "met" if met else "not met"

    def of_a53(what, kernel, limit):
        value = rows[kernel, ours][COUNT]
        like = (measured[kernel], figure(more[kernel]), figure(value * more[kernel])) if kernel in more else ("", "", "")
        return f"A53 by count: {what}", f"≤ {limit:g}", figure(value), verdict(value <= limit), *like

    print("## Aims\n\nOn the model. The last columns say what the model leaves out: on the hardware Linux's code took more than its count here, and ours may as well.\n")
    table(["", "aim", "model", "", "published, of Linux on hardware", "that, over the count of Linux's code", "ours, by this factor"], [
        of_a53("CTR, bit-sliced", "ctr-aes-neonbs", 17),
        of_a53("XTS, bit-sliced", "xts-aes-neonbs", 17.5),
        of_a53("AES by table look-up, ECB", "ecb-aes-neon", 20),
        of_a53("AES by table look-up, CTR", "ctr-aes-neon", 20),
        of_a53("GCM", composed, 25),
        ("A53 by count: GHASH from products of bytes, times as fast as Linux's with a table of 4 KiB", "≥ 4", figure(ratio["table"]), verdict(ratio["table"] >= 4), "4", "", figure(by_hardware)),
        ("ThunderX2: GCM of 1500 bytes with 8 blocks together, times as fast as with 2", "≥ 1.25", figure(at_1500[2] / at_1500[8]), verdict(at_1500[2] >= 1.25 * at_1500[8]), "1.20 to 1.25, with 4", "", ""),
        ("A57, A72: CTR with AES instructions", "≤ 0.9", figure(ctr), verdict(ctr <= 0.9), "0.9", "", ""),
    ])
    round_ = 2 + 3 + 4 * 4 + 9
    print(f"""* *AES by table look-up*: 18 instructions a round and 12 cycles more, in the last one 9 less, and a last key are {(10 * round_ - 9 + 1) / 16:.2f} cycles a byte. The
  rest are loads, stores and loop control. The S-box fills half of the registers, so a block begins its round when the one two before it has
  ended its own; with four at a time, parts of the S-box went to memory and back in each round.
* *GHASH*: a table's cost is that a core waits for its loads, of which each block has a chain of sixteen, and the count waits for nothing. GCM with Linux's table
  is published with 58 cycles a byte and with products of bytes 29, of which 19.8 are CTR. So the table took {table_took:.1f}, {table_took / hashed["table"][COUNT]:.1f} times its count here ({figure(hashed["table"][COUNT])}), and Linux's products
  of bytes {bytes_took:.1f}, {bytes_took / rows["ghash-neon", linux][COUNT]:.2f} times theirs. By that ours are {by_hardware:.1f} times as fast as the table. By the count they are {figure(ratio["ghash-table4k"], 1)} times as fast as `ghash-table4k`, which is a program
  of the lab, and {figure(ratio["ghash-generic"], 1)} times as fast as our `ghash-generic`, which has no table.
* *CTR on A57 and A72*: {figure(unfused["ctr-aes-ce"][0])} by llvm-mca as it is. The published 0.9 were measured on a Cortex-A57, and 19 AES instructions a block that each
  take a cycle would be 1.19, so that core must fuse pairs; with all of them fused, 10 a block are 0.63.
""")


def powerpc():
    rows = []
    for kernel, big, little in POWERPC:
        big, little = powerpc_calls(big), powerpc_calls(little)
        mine = added(big, kernel)
        vsx_or_more = kernel.startswith("p8")
        rows.append((f"`{kernel}`", figure(len(mine) / 1024), figure(len(added(little, kernel)) / 1024), "" if vsx_or_more else figure(cycles_of(mine, cell) / 1024),
                     figure(cycles_of(added(little, kernel), power9) / 1024)))
    print("""## PowerPC

*Instructions a byte*, under qemu-user: big-endian (e6500, with AltiVec and without VSX; POWER8 for `p8`) and little-endian (POWER9). *POWER9*: cycles a byte
by llvm-mca-19, of the little-endian code. *Cell*: cycles a byte of the big-endian code by hand, since no tool has a model of its PowerPC core. The rules are
those that its makers wrote down for GCC (`gcc/config/rs6000/cell.md`). Two instructions issue in a cycle, in order, if their units differ: integers (result after 2 cycles),
loads and stores (2), branches, simple instructions on vectors (4), permutations (4). A load or store of a vector takes the unit of permutations as well, a store of an integer
that of integers. What makes an address comes 3 cycles later for a load or store. The second thread, misses of the cache and mispredicted branches are not modelled.
""")
    table(["kernel", "instructions, big-endian", "instructions, little-endian", "Cell", "POWER9"], rows)
