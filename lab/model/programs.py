"""The programs whose instructions are counted: calls of our kernels, variants of them, and lab programs of other methods."""

import os, re, shutil, subprocess
from functools import cache

from .targets import AARCH64, ROOT, Program, fail

VARIANTS = f"{ROOT}/target/variants"
GCM, GHASH, PASS, CTR = "gcm/kernel/batches.rs", "ghash/aarch64.rs", "aes/pass.rs", "aes/ctr.rs"


def example(target, copy, crates, name, changes=(), options=()):
    """Builds an example of the last of the crates, in a copy of the crates with changes: texts that occur once in a file are replaced."""
    copy = f"{VARIANTS}/{target.name}-{copy}"
    read = lambda file: open(file).read() if os.path.exists(file) else None

    def put(file, text):
        # Only changed files are written, so that nothing is compiled twice.
        if read(file) != text:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            open(file, "w").write(text)

    put(f"{copy}/Cargo.toml", re.sub(r"(?<=^members = ).*", str([f"crates/{crate}" for crate in crates]).replace("'", '"'), read(f"{ROOT}/Cargo.toml"), flags=re.M))
    if not os.path.exists(f"{copy}/Cargo.lock"):
        shutil.copy(f"{ROOT}/Cargo.lock", copy)
    files = subprocess.run(["git", "ls-files", *(f"crates/{crate}" for crate in crates)], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    if gone := {change[0] for change in changes} - set(files):
        fail(f"no such file: {' '.join(gone)}")
    for file in files:
        if not os.path.isfile(f"{ROOT}/{file}"):
            continue
        text = read(f"{ROOT}/{file}") if file.endswith((".rs", ".toml", ".md")) else None
        if text is None:
            os.makedirs(os.path.dirname(f"{copy}/{file}"), exist_ok=True)
            shutil.copy2(f"{ROOT}/{file}", f"{copy}/{file}")
            continue
        if file.endswith("/Cargo.toml"):
            # The tests' dependencies are not needed.
            text = re.sub(r"^\[dev-dependencies\](\n[^[\n].*)*", "", text, flags=re.M)
        for _, old, new in (change for change in changes if file == change[0]):
            if text.count(old) != 1:
                fail(f"{file} does not have this once: {old}")
            text = text.replace(old, new)
        put(f"{copy}/{file}", text)
    command = ["cargo", "build", "-q", "--release", "--target", target.triple, "-p", crate_name(crates[-1]), "--example", name, *options, "--target-dir", f"{copy}/target"]
    linker = {f"CARGO_TARGET_{target.triple.upper().replace('-', '_')}_LINKER": target.compiler}
    subprocess.run(["rustup", "-q", "target", "add", target.triple], check=True)
    subprocess.run(command, check=True, cwd=copy, env=os.environ | linker)
    return f"{copy}/target/{target.triple}/release/examples/{name}"


def crate_name(folder):
    return "algkit" if folder == "algkit" else f"algkit-{folder}"


@cache
def calls(target):
    """The program that calls algkit's kernels."""
    return Program(target, example(target, "plain", ["primitives"], "call"))


def variant(target, name, changes):
    return Program(target, example(target, name, ["primitives"], "call", [(f"crates/primitives/src/{file}", old, new) for file, old, new in changes]))


def aggregation(n):
    """What makes GCM process `n` blocks together, with one reduction of GHASH."""
    return [
        (GHASH, "const BATCH: usize = 8;", f"const BATCH: usize = {n};"),
        (GCM, "T::V::BATCH == 6 ||", f"T::V::BATCH == {n} ||"),
        (GCM, "6 => self.batches::<ENCRYPT, 6>(", f"{n} => self.batches::<ENCRYPT, {n}>("),
    ]


def interleaving(n):
    """What makes CTR and CBC decryption interleave `n` blocks, and no more."""
    return [
        (PASS, "data.take(BATCH * V::BYTES)", f"data.take({n} * V::BYTES)"),
        (PASS, "self.batch::<BATCH, true>(batch);", f"self.batch::<{n}, true>(batch);"),
        (PASS, "const LONG: bool = true;", "const LONG: bool = false;"),
        (CTR, "if N >= BATCH &&", f"if N >= BATCH - {8 - n} &&"),
    ]


def check():
    """Fails if the sources do not have the texts that variants replace."""
    for file, old, _ in aggregation(4) + interleaving(4):
        if open(f"{ROOT}/crates/primitives/src/{file}").read().count(old) != 1:
            fail(f"{file} does not have this once: {old}")


@cache
def aggregated(target, n):
    return variant(target, f"gcm-{n}", aggregation(n))


@cache
def interleaved(target, n):
    return variant(target, f"blocks-{n}", interleaving(n))


@cache
def lab_program(target, name):
    """The program of a file in lab."""
    binary = f"{VARIANTS}/{target.name}-{name}"
    os.makedirs(VARIANTS, exist_ok=True)
    options = ["--target", target.triple, "-C", f"linker={target.compiler}"]
    subprocess.run(["rustc", "--edition", "2024", "-O", *options, "-o", binary, f"{ROOT}/lab/{name}.rs"], check=True)
    return Program(target, binary)


@cache
def linux():
    """The program that calls Linux's functions for AArch64, compiled from Linux's sources."""
    source = subprocess.run([f"{ROOT}/lab/kernel-source"], capture_output=True, text=True, check=True).stdout.strip()
    out, arm64 = f"{VARIANTS}/linux", "arch/arm64/crypto"
    files = [f"{arm64}/{name}.S" for name in ("aes-neonbs-core", "aes-neon", "aes-ce", "aes-ce-core", "ghash-ce-core", "chacha-neon-core")] + ["lib/crypto/aes.c", "lib/crypto/gf128mul.c"]
    objects = [f"{out}/o/{file}.o" for file in files]
    make = ["make", "-s", "-f", f"{ROOT}/lab/kernel/Makefile", f"SOURCE={source}", f"OUT={out}", "ARCH=arm64", "OPTIMIZE=-O2"]
    subprocess.run([*make, *objects], check=True)
    binary = f"{out}/calls"
    subprocess.run([AARCH64.compiler, "-O2", "-Wall", "-o", binary, f"{ROOT}/lab/model/linux.c", *objects], check=True)
    return Program(AARCH64, binary)


@cache
def listing(target):
    """Lists the drivers of an algorithm of the family of AES."""
    return example(target, "list", ["primitives", "algkit"], "list", options=["--no-default-features", "--features", "aes"])
