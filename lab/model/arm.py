"""docs/arm.md: our kernels and Linux's by the same models, the published figures and the aims beside them."""

from . import programs
from .cell import cell
from .cycles import PUBLISHED_ROUND, a53_units, a57, a57_unfused, by_count, mca, power9, thunderx2
from .report import added, cycles_of, figure, per_byte, table, whole
from .targets import AARCH64, POWER, POWER8, POWER_LE, Program, fail

# Each kernel, and the published figure of Linux's code of the same method, measured on a Cortex-A53, in cycles a byte.
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
# Linux's ChaCha20 computes five blocks of 64 bytes at a time.
SIZES = {"chacha20-neon": 1280}
MODELS = {"instructions a byte": len, "A53 by count": by_count, "A53 units": a53_units, "A57, A72": a57, "ThunderX2": thunderx2}
COUNT = "A53 by count"

# Each kernel, and the targets of the big-endian and the little-endian program.
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
    """The program for a target. One program has the code for both POWER and POWER8."""
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

Written by `lab/experiments --model`; do not edit. **Nothing on this page was measured on an Arm or PowerPC CPU.** The figures are a model's. The
model takes the instructions that 1024 more bytes of text add to a call with a key of 128 bits, as qemu-user executes them, and computes the cycles that they need.

## The model, and how it was checked

The count was checked first, with Linux's round of AES by table look-up: 20 instructions and 2 of loop control. The published figures are "around 15" cycles a byte by
counting, 21.25 if a look-up takes four cycles, and 22.0 as measured on a Cortex-A53. The count here is {counted:.2f} if a look-up takes one cycle, and **{corrected:.2f}** if it takes four.

* *A53 by count*: each instruction takes one cycle, and a look-up in four registers (`tbl`, `tbx`) takes four.
* *A53 units*: the cycles of the busiest execution unit in llvm-mca-19's model. That model gives a look-up in four registers one cycle; three are added
  here. For the published round it gives {units:.1f} cycles a byte, and {units_corrected:.1f} after this correction: less than the count, because it issues loads and loop control beside vector
  operations. No instruction waits for a result in this bound.
* *A57, A72*: a simulation by llvm-mca-19, which has one model for both cores. It is corrected as well. If an AESMC follows at once on the AESE whose result it takes, the two are
  counted as one operation, and so are AESD and AESIMC. llvm-mca-19 counts two operations, both for the only unit that has AES. Later versions of LLVM (`AArch64CustomBehaviour.cpp`) fuse the pair on cores
  with `FeatureFuseAES`, which both of these have. GCC issues the pair in one cycle (`aarch_crypto_can_dual_issue`). The figures of the uncorrected model are below.
* *ThunderX2*: a simulation by llvm-mca-19. LLVM fuses no AES instructions for this core.

In all these models, loads hit the cache. The columns for the A53 do not wait for results, so they are too low for a chain of blocks, such as a MAC.

## Kernels of algkit and of Linux

*Linux* stands for the functions of Debian's `linux-source-6.12` in `arch/arm64/crypto` (`aes-neonbs-core.S`, `aes-neon.S`, `aes-ce.S`, `ghash-ce-core.S`,
`chacha-neon-core.S`). They are assembled when this page is written, and called with whole batches of blocks. The published figures were measured on a Cortex-A53 with Linux's code of the same
method. All columns but the first are cycles a byte.
""")
    body = []
    for kernel, published in [*KERNELS.items(), (composed, "29")]:
        # The composed GCM comes last; its figures are the sums of its parts.
        for whose, program in (("ours", ours), ("Linux", linux)):
            name = f"`{kernel}`" + (", the sum of its parts" if kernel == composed else "")
            body.append((name if program is ours else "", whose, *(figure(n) for n in rows[kernel, program].values()), published if program is linux else ""))
    table(["kernel", "whose", *MODELS, "published, A53"], body)
    unfused = {kernel: [cycles_of(added(program, kernel), a57_unfused) / 1024 for program in (ours, linux)] for kernel in KERNELS if "aes-ce" in kernel}
    print("Kernels with AES instructions on A57 and A72, in cycles a byte: by llvm-mca without the correction (*not fused*), and with it:\n")
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
    # The factor by which Linux's code took more cycles on hardware than its count.
    more = {kernel: float(published) / rows[kernel, linux][COUNT] for kernel, published in measured.items() if published}
    # The published cycles of GCM less those of CTR: GHASH with a table, and with 8-bit products.
    table_took, bytes_took = 58 - 19.8, 29 - 19.8
    by_hardware = table_took / (rows["ghash-neon", ours][COUNT] * bytes_took / rows["ghash-neon", linux][COUNT])
    verdict = lambda met: "met" if met else "not met"

    def of_a53(what, kernel, limit):
        value = rows[kernel, ours][COUNT]
        like = (measured[kernel], figure(more[kernel]), figure(value * more[kernel])) if kernel in more else ("", "", "")
        return f"A53 by count: {what}", f"≤ {limit:g}", figure(value), verdict(value <= limit), *like

    print("## Aims\n\nThe aims are for the model's figures. The last three columns estimate what the model leaves out: on hardware, Linux's code took more cycles than its count here, and algkit's code may do so too.\n")
    table(["", "aim", "model", "", "Linux's code, measured (published)", "measured / count of Linux's code", "ours, scaled by this factor"], [
        of_a53("CTR, bit-sliced", "ctr-aes-neonbs", 17),
        of_a53("XTS, bit-sliced", "xts-aes-neonbs", 17.5),
        of_a53("AES by table look-up, ECB", "ecb-aes-neon", 20),
        of_a53("AES by table look-up, CTR", "ctr-aes-neon", 20),
        of_a53("GCM", composed, 25),
        ("A53 by count: speed of GHASH from 8-bit polynomial products / of Linux's with a table of 4 KiB", "≥ 4", figure(ratio["table"]), verdict(ratio["table"] >= 4), "4", "", figure(by_hardware)),
        ("ThunderX2: speed of GCM of 1500 bytes with 8 blocks together / with 2", "≥ 1.25", figure(at_1500[2] / at_1500[8]), verdict(at_1500[2] >= 1.25 * at_1500[8]), "1.20 to 1.25, with 4", "", ""),
        ("A57, A72: CTR with AES instructions", "≤ 0.9", figure(ctr), verdict(ctr <= 0.9), "0.9", "", ""),
    ])
    round_ = 2 + 3 + 4 * 4 + 9
    print(f"""* *AES by table look-up*: a round takes 30 cycles, since it has 18 instructions, four of which are look-ups of four cycles. The last round takes 9 cycles less, and the last round key takes 1. Together
  these are {(10 * round_ - 9 + 1) / 16:.2f} cycles a byte. The rest are loads, stores and loop control. The S-box fills half of the registers. A block therefore begins its round only when the block two before it has
  ended its own round; with four blocks at a time, parts of the S-box went to memory and back in each round.
* *GHASH*: most of what a table costs is waiting for loads, sixteen in a chain for each block, and the count does not wait. GCM is published with 58 cycles a byte with Linux's table, and with
  29 with 8-bit polynomial products; 19.8 of each are CTR. So the table took {table_took:.1f}, which is {table_took / hashed["table"][COUNT]:.1f} times its count here ({figure(hashed["table"][COUNT])}). Linux's 8-bit products
  took {bytes_took:.1f}, which is {bytes_took / rows["ghash-neon", linux][COUNT]:.2f} times their count. Scaled by these factors, algkit's products are {by_hardware:.1f} times as fast as the table. By the count they are {figure(ratio["ghash-table4k"], 1)} times as fast as `ghash-table4k`, a
  program of the lab, and {figure(ratio["ghash-generic"], 1)} times as fast as algkit's `ghash-generic`, which has no table.
* *CTR on A57 and A72*: llvm-mca without the correction gives {figure(unfused["ctr-aes-ce"][0])}. The published 0.9 was measured on a Cortex-A57. The 19 AES instructions of a block would alone take 1.19 cycles a byte if
  each took a cycle, so that core must fuse pairs. With all pairs fused, the 10 operations of a block take 0.63.
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

*Instructions* are instructions a byte under qemu-user: big-endian on an e6500 (AltiVec without VSX), or on a POWER8 for kernels that begin with `p8`; little-endian on a POWER9.
*POWER9* is cycles a byte of the little-endian code, by llvm-mca-19.
*Cell* is cycles a byte of the big-endian code, by a model of our own (`lab/model/cell.py`), since no tool has a model of the Cell's PowerPC core. Its rules are
those that the core's makers wrote for GCC (`gcc/config/rs6000/cell.md`). Two instructions issue in a cycle, in order, if they use different units. The units, with the cycles until a result is ready, are: integers (2),
loads and stores (2), branches, simple vector instructions (4) and vector permutations (4). A load or store of a vector also uses the unit for permutations, and a store of an integer also uses
the unit for integers. A load or store can use a computed address only 3 cycles later. The second hardware thread, cache misses and mispredicted branches are not modelled.
""")
    table(["kernel", "instructions, big-endian", "instructions, little-endian", "Cell", "POWER9"], rows)
