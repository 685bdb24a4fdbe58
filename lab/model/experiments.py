"""The sections of docs/experiments.md about CPUs that are not here: the modelled ones, and T8, whose targets are emulated."""

import os, re, subprocess

from . import programs
from .arm import powerpc_calls
from .cell import cell
from .cycles import ARM, PUBLISHED_ROUND, by_count
from .report import added, cycles_of, figure, per_byte, table, whole
from .targets import AARCH64, ARMV7, POWER, POWER_LE, fail


def section(title, published):
    print(f"## {title}\n\n{published}\n")


def of_arm(kernel):
    return per_byte(programs.calls(AARCH64), kernel)


def figures(cells):
    return [figure(cell) for cell in cells.values()]


def t1():
    section("T1: GHASH with one reduction for four blocks, or for two, by the model", """Published: by how many per cent AES-GCM is faster if GHASH reduces once for four blocks (aggregated reduction) instead of once for two; messages of 512 / 1500 / 4096 bytes.""")
    published = {
        "ThunderX2": ("35 / 23 / 11", "34 / 20 / 9", "38 / 25 / 16"),
        "EMAG": ("11 / 6 / 3", "12 / 4 / 2", "11 / 4 / 2"),
        "Cortex-A72": ("8 / 5 / −4", "9 / 4 / −5", "7 / 4 / −5"),
        "Cortex-A53": ("11 / 6 / −1", "10 / 8 / −1", "10 / 8 / −2"),
    }
    columns = {"ThunderX2": "ThunderX2", "Cortex-A72": "A57, A72", "Cortex-A53, by count": "A53 by count", "Cortex-A53, in order": "A53 in order"}
    gains = {}
    for bits, kernel in ((128, "gcm-aes-ce"), (192, "gcm-aes-ce-192"), (256, "gcm-aes-ce-256")):
        for size in (512, 1500, 4096):
            two, four = (whole(programs.aggregated(AARCH64, n), kernel, size) for n in (2, 4))
            for core, model in columns.items():
                gains.setdefault((core, bits), []).append(figure(100 * cycles_of(two, ARM[model]) / cycles_of(four, ARM[model]) - 100, 0))
    rows = []
    for core in ("ThunderX2", "EMAG", "Cortex-A72", "Cortex-A53, by count", "Cortex-A53, in order"):
        for i, bits in enumerate((128, 192, 256)):
            rows.append((core, bits, published[core.split(",")[0]][i], " / ".join(gains.get((core, bits), ["no model"]))))
    table(["core", "key", "gain in %, published", "gain in %, model"], rows)
    print("""A **model** of whole calls, with the work that is done once for each message. The two programs are builds of the same source with another constant, 2 or 4: the number of blocks that go
through the AES rounds together and share a reduction. (algkit's own drivers have 8 there.) Only the constant differs, so the modelled gain grows with the main loop's share of the call. A
published gain that falls with the length of the message comes from the work that is done once for each message.
""")


def t2():
    section("T2: AES rounds with five blocks interleaved, or with four, by the model", "Published: with AES instructions on ThunderX2, CTR and CBC decryption are 11 % faster with five blocks interleaved than with four.")
    rows = []
    for kernel in ("ctr-aes-ce", "cbc-aes-ce-dec"):
        # 80 blocks are whole batches of 4, 5 and 8.
        modelled = {n: per_byte(programs.interleaved(AARCH64, n), kernel, size=1280) for n in (4, 5, 8)}
        for model in ("ThunderX2", "A57, A72", "A53 in order"):
            of = {n: cells[model] for n, cells in modelled.items()}
            gains = [f"{figure(100 * of[4] / of[n] - 100, 0)} %" for n in (5, 8)]
            rows.append((f"`{kernel}`", model, "11 %" if model == "ThunderX2" else "–", *(figure(of[n]) for n in (4, 5, 8)), *gains))
    table(["kernel", "model of", "five against four, published", "4 blocks, cycles a byte", "5 blocks", "8 blocks", "five against four", "eight against four"], rows)
    print("A **model** of 1280 more bytes in a call, with a key of 128 bits. The programs are builds of the same source with another constant. algkit interleaves 12 blocks where a CPU has registers for them.\n")


def t3():
    section("T3: GHASH from 8-bit polynomial products, by the model", """Published for the Cortex-A53: GHASH from 8-bit polynomial products is 2.8 times as fast as GHASH with a table of 4 KiB per key, and 4 times as fast if it reduces by shifts and rotates the
key in advance. With 64-bit PMULL, on high-end cores, GHASH is about 16 times as fast.""")
    cells = {
        "a table of 4 KiB per key: Linux's `ghash-generic`": per_byte(programs.linux(), "ghash-generic"),
        "a table of 4 KiB per key: `ghash-table4k`": per_byte(programs.lab_program(AARCH64, "ghash-table4k"), "table"),
        "64-bit multiplications: `ghash-generic`": of_arm("ghash-generic"),
        "8-bit polynomial products: `ghash-neon`": of_arm("ghash-neon"),
        "8-bit polynomial products: Linux's `ghash-neon`": per_byte(programs.linux(), "ghash-neon"),
        "64-bit PMULL: `ghash-ce`": of_arm("ghash-ce"),
        "64-bit PMULL: Linux's `ghash-ce`": per_byte(programs.linux(), "ghash-ce"),
    }
    table(["cycles a byte", *ARM], [(what, *figures(row)) for what, row in cells.items()])
    linux4k, table4k, generic, neon, linux_neon, ce, _ = cells.values()
    times = lambda slow, fast: [figure(slow[model] / fast[model], 1) for model in ARM]
    table(["times as fast", "published", *ARM], [
        ("8-bit polynomial products, against Linux's table", "2.8; 4 (A53)", *times(linux4k, neon)),
        ("Linux's 8-bit polynomial products, against Linux's table", "2.8; 4 (A53)", *times(linux4k, linux_neon)),
        ("8-bit polynomial products, against `ghash-table4k`", "–", *times(table4k, neon)),
        ("8-bit polynomial products, against 64-bit multiplications", "–", *times(generic, neon)),
        ("64-bit PMULL, against Linux's table", "16 (high-end)", *times(linux4k, ce)),
    ])
    print("""A **model** of 1024 more bytes in a call. `ghash-table4k` is a program of the lab (`lab/ghash-table4k.rs`) and not a driver. For each block it makes a chain of sixteen loads, whose addresses depend on the text and the key, so
algkit would never choose it. It unrolls what Linux does in a loop. In the model all loads hit the cache, and the count never waits for a load, although waiting is most of what a table costs: T4's published figures, less those of CTR, leave 38 cycles a byte
for Linux's table, which is twice its count, and 9 for 8-bit polynomial products. algkit's `ghash-generic` takes the same time for every key. `ghash-neon` reduces by shifts and rotates the key once for each call.
""")


def t4():
    section("T4: AES-GCM without AES instructions, by the model", "Published for the Cortex-A53, with bit-sliced AES: 58 cycles a byte with a table for GHASH, 29 with 8-bit polynomial products.")
    linux, ctr = programs.linux(), of_arm("ctr-aes-neonbs")
    parts = [
        ("Linux's `ctr-aes-neonbs` and `ghash-generic`, which has a table", "58", per_byte(linux, "ctr-aes-neonbs"), per_byte(linux, "ghash-generic")),
        ("`ctr-aes-neonbs` and `ghash-table4k`", "–", ctr, per_byte(programs.lab_program(AARCH64, "ghash-table4k"), "table")),
        ("`ctr-aes-neonbs` and `ghash-generic`", "–", ctr, of_arm("ghash-generic")),
        ("`ctr-aes-neonbs` and `ghash-neon`", "–", ctr, of_arm("ghash-neon")),
        ("Linux's `ctr-aes-neonbs` and `ghash-neon`", "29", per_byte(linux, "ctr-aes-neonbs"), per_byte(linux, "ghash-neon")),
    ]
    table(["cycles a byte", "A53, published", *ARM], [(what, published, *(figure(a[model] + b[model]) for model in ARM)) for what, published, a, b in parts])
    print("A **model** of 1024 more bytes in a call, with a key of 128 bits: the sum of both parts, each of which runs over the text by itself.\n")


def t5():
    section("T5: scalar AES with four tables, or with one table and rotations, by the model", "Published, in cycles a byte: Cortex-A53 34.5 with four tables, 31.8 with one; Cortex-A57 18.0 with four tables, 12.9 with one, 0.9 with AES instructions.")
    tables = programs.lab_program(AARCH64, "aes-tables")
    four, one = per_byte(tables, "four"), per_byte(tables, "one")
    rows = [
        ("four tables of 1 KiB", "34.5", "18.0", four), ("one table and rotations", "31.8", "12.9", one),
        ("`ecb(aes-generic)`: one table", "–", "–", of_arm("aes-generic")), ("`ecb(aes-fixed-time)`", "–", "–", of_arm("aes-fixed-time")),
        ("`ecb-aes-ce`: AES instructions", "–", "0.9", of_arm("ecb-aes-ce")), ("`ctr-aes-ce`", "–", "0.9", of_arm("ctr-aes-ce")),
        ("Linux's `ecb-aes-ce`", "–", "0.9", per_byte(programs.linux(), "ecb-aes-ce")),
        ("Linux's `aes-ce`, one block after the other", "–", "–", per_byte(programs.linux(), "aes-ce")),
    ]
    table(["AES-128, encrypting, cycles a byte", "A53, published", "A57, published", *ARM], [(*row[:3], *figures(row[3])) for row in rows])
    print(f"""A **model** of 1024 more bytes in a call. In the model all loads hit the cache; on hardware, loads from 4 KiB of tables do not always. One table takes {figure(one['A57, A72'] / four['A57, A72'])} of the cycles of four tables on the modelled A57, and
took {12.9 / 18.0:.2f} of them on the real one. On the A53 one table takes {figure(one['A53 by count'] / four['A53 by count'])} of the cycles of four by count, and {31.8 / 34.5:.2f} as published.
""")


def t6():
    section("T6: the S-box in NEON registers, by the model", "Published for the Cortex-A53, in cycles a byte: 15 by counting instructions, 21.25 if a look-up in four registers takes 4 cycles, 22.0 measured.")
    rows = [("the published round, ten times", "15 / 21.25 / 22.0", figure(len(PUBLISHED_ROUND) * 10 / 16), figure(by_count(PUBLISHED_ROUND) * 10 / 16))]
    for kernel in ("ecb-aes-neon", "ecb-aes-neon-dec", "ctr-aes-neon"):
        for whose, program in (("", programs.calls(AARCH64)), ("Linux's ", programs.linux())):
            cells = per_byte(program, kernel)
            rows.append((f"{whose}`{kernel}`", "–", figure(cells["instructions"]), figure(cells["A53 by count"])))
    table(["AES-128, cycles a byte", "A53, published: counted / with look-ups of 4 cycles / measured", "look-ups of 1 cycle", "look-ups of 4 cycles"], rows)
    print("A **model** in which an instruction takes one cycle, except that a look-up in four registers takes four in the last column. The published round has 20 instructions and 2 of loop control. The rows below it count all instructions that 1024 more bytes add to a call.\n")


def t7():
    section("T7: bit-sliced AES with NEON, by the model", "Published for a Cortex-A53 r0p4, in cycles a byte, encrypting / decrypting: CBC 24.7 / 22.2, CTR 19.8 / 19.8, XTS 20.1 / 22.7.")
    rows = []
    for mode, published, enc, dec in (("CBC", "24.7 / 22.2", "cbc-aes-neon", "cbc-aes-neonbs-dec"), ("CTR", "19.8 / 19.8", "ctr-aes-neonbs", "ctr-aes-neonbs"),
                                      ("XTS", "20.1 / 22.7", "xts-aes-neonbs", "xts-aes-neonbs-dec")):
        for whose, program in (("ours", programs.calls(AARCH64)), ("Linux", programs.linux())):
            both = per_byte(program, enc), per_byte(program, dec)
            rows.append((mode, whose, published if whose == "Linux" else "", *(f"{both[0][model]:.1f} / {both[1][model]:.1f}" for model in ARM)))
    table(["AES-128, encrypting / decrypting", "", "A53, published", *ARM], rows)
    print("""A **model** of 1024 more bytes in a call. In CBC encryption each block waits for the one before it, so blocks cannot be bit-sliced together. For CBC encryption `cbc-aes-neonbs` therefore computes one block after the other and looks up the
S-box in registers. Of the two columns for the A53, only *A53 in order* waits for results.
""")


# A name, its target, the CPU that QEMU emulates, and the features that are hidden.
LEVELS = [
    ("32-bit Arm, NEON", ARMV7, "max", "-aes"), ("32-bit Arm, all features", ARMV7, "max", ""),
    ("AArch64, NEON", AARCH64, "cortex-a53", "-aes,-pclmul,-sha2"), ("AArch64, AES and PMULL", AARCH64, "cortex-a53", ""),
    ("PowerPC, AltiVec", POWER, "e6500", ""), ("POWER8", POWER, "power8", ""),
]


def t8():
    section("T8: which driver serves a name, by target", "Published for 32-bit Arm with NEON, where table-driven AES was switched off. algkit, too, uses table-driven AES only if it is asked for.")
    published = {"xts(aes)": "xts-aes-neonbs", "cmac(aes)": "cmac(aes-fixed-time)", "ccm(aes)": "ccm_base(ctr-aes-neonbs,cbcmac(aes-fixed-time))"}
    rows = [("32-bit Arm, NEON", "published", *(f"`{driver}`" for driver in published.values()))]
    for what, target, cpu, hidden in LEVELS:
        chosen = []
        for name in published:
            command = [target.qemu, "-L", f"/usr/{target.gcc}", "-cpu", cpu, programs.listing(target), name]
            out = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"ALGKIT_CPU": hidden}).stdout
            driver = re.search(r"^\* (\S+)", out, re.M) or fail(f"nothing serves {name} on {what}")
            chosen.append(f"`{driver[1]}`")
        rows.append((what, "ours", *chosen))
    table(["CPU", "", *(f"`{name}`" for name in published)], rows)
    print("""The drivers were listed under qemu-user, with features hidden by `ALGKIT_CPU`. `crates/algkit/tests/targets.rs` asserts the same on every target. A mode with independent blocks is served by a bit-sliced driver or by one that has a block in each
vector. A mode that is a chain of single blocks has a driver of its own where AES is computed in registers; elsewhere it is served by `aes-fixed-time`.
""")


def t10():
    section("T10: the cost of enabling the vector unit, by the model", """Published for the AltiVec driver on the Cell's PowerPC core, encrypting with `ecb(aes)` and a key of 128 bits: 26,560 KiB/s if the kernel enables the vector unit in each call, 40,363 KiB/s if that is avoided.""")
    program, rows = powerpc_calls(POWER), []
    for unit, model in (("instructions", len), ("cycles of the Cell", cell)):
        call, block = cycles_of(whole(program, "ecb-aes-altivec", 16), model), cycles_of(added(program, "ecb-aes-altivec"), model) / 64
        rows.append((unit, f"{call:.0f}", figure(block, 1), f"{100 * (1 - block / call):.0f} %"))
    table(["`ecb-aes-altivec`", "a call with 16 bytes", "16 bytes more in a long call", "fixed share of a call's cost"], rows)
    print(f"""A **model**. A program in user space need not enable the vector unit, since the kernel saves and restores the vector registers of each process. What remains is the fixed cost of a call. Most of it is loading the S-box and
constants into 19 registers. In the published figures, enabling the vector unit is a share of {100 * (1 - 26560 / 40363):.0f} %.
""")


def t11():
    section("T11: speed against the size of chunks, by the model", "Published for the same driver, with a constant total: 7.9 MiB/s in chunks of 16 bytes, 37.9 in chunks of 512, 39.4 in chunks of 16 KiB.")
    program, published = powerpc_calls(POWER), {16: 7.9, 512: 37.9, 16384: 39.4}
    rows, models = [], (len, cell)
    costs = {size: [cycles_of(whole(program, "ecb-aes-altivec", size), model) / size for model in models] for size in (16, 64, 256, 512, 1024, 4096, 16384)}
    best = costs[16384]
    for size, cost in costs.items():
        shares = [f"{figure(b / c)}" for b, c in zip(best, cost)]
        rows.append((size, published.get(size, "–"), figure(published[size] / 39.4) if size in published else "–", figure(cost[0]), shares[0], figure(cost[1]), shares[1]))
    table(["bytes in a call", "Cell, MiB/s, published", "of its speed at 16 KiB", "instructions a byte", "of our speed at 16 KiB", "cycles a byte, Cell", "of our speed at 16 KiB"], rows)
    share = best[0] / costs[512][0]
    print(f"""A **model** of whole calls of `ecb-aes-altivec`, with a key of 128 bits. The aim is that 512 bytes reach 0.96 of the speed at 16 KiB, by instructions: {'met' if share >= 0.96 else 'not met'}. The published chunks went through a
benchmark's loop and the kernel's API; the model has the driver's call alone.
""")


def t12():
    section("T12: AltiVec against generic code, by the model", "Published for AltiVec against generic C on the Cell: AltiVec is faster in encryption and slower in decryption, and CBC's XOR costs almost nothing.")
    program, rows, count = powerpc_calls(POWER), [], {}
    for mode in ("ecb", "cbc"):
        for bits in ("", "-192", "-256"):
            for direction in ("", "-dec"):
                generic = "cbc(aes-generic)" if mode == "cbc" and not direction else f"aes-generic{direction}"
                texts = [added(program, kernel + bits) for kernel in (generic, f"{mode}-aes-altivec{direction}")]
                one, other = ([cycles_of(text, model) / 1024 for text in texts] for model in (len, cell))
                count[mode, bits, direction] = one
                rows.append((mode, bits[1:] or "128", "dec" if direction else "enc", *map(figure, one), figure(one[0] / one[1]), *map(figure, other), figure(other[0] / other[1])))
    table(["mode", "key", "", "generic, instructions a byte", "vector", "ratio", "generic, cycles a byte on the Cell", "vector", "ratio"], rows)
    more = max(100 * count["cbc", bits, ""][1] / count["ecb", bits, ""][1] - 100 for bits in ("", "-192", "-256"))
    slower = [key for key, (generic, vector) in count.items() if vector > generic]
    print(f"""A **model** of 1024 more bytes in a call. *Generic* is `aes-generic`: in the model all its loads hit the cache, on hardware its time depends on the key. CBC decryption with it is counted as ECB decryption.

* Aim: by instructions, AltiVec's CBC encryption takes at most 1.03 of its ECB encryption. It takes {figure(1 + more / 100)} at worst: {'met' if more <= 3 else 'not met'}.
* Aim: by instructions, decryption with AltiVec is nowhere slower than with the generic driver: {'met' if not [key for key in slower if key[2]] else 'not met'}.

On the Cell a vector's result is ready after four cycles, a block is one chain of such results, and the registers have no room for a second block. So in the model of the Cell, except in CBC encryption, AltiVec is slower than a table that never misses the cache.
""")


SECTIONS = {"T1": t1, "T2": t2, "T3": t3, "T4": t4, "T5": t5, "T6": t6, "T7": t7, "T8": t8, "T10": t10, "T11": t11, "T12": t12}
