"""CPUs under qemu-user, and the instructions that a program executes there."""

import os, re, subprocess, sys, tempfile
from dataclasses import dataclass, replace
from functools import cached_property

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


@dataclass(frozen=True)
class Target:
    name: str
    triple: str
    gcc: str
    """How Debian's cross compiler begins."""
    qemu: str
    cpu: str
    base: int
    """Where QEMU puts a program that may lie anywhere."""
    jump: re.Pattern
    conditional: re.Pattern
    """Which of these depend on something."""
    size: int = 0x1000000
    """How far the instructions reach that are counted."""
    preload: str = ""
    """A C file in lab, of functions that take the place of the C library's."""

    @property
    def compiler(self):
        return f"{self.gcc}-gcc"


ARM = re.compile(r"(b|bl|br|blr|ret|b\..*|cbn?z|tbn?z)$"), re.compile(r"b\.|cbn?z|tbn?z")
POWERPC = re.compile(r"b(l?|l?r|ctrl?|(eq|ne|[lg][te]|dn?z)(lr)?[+-]?)$"), re.compile(r"b(eq|ne|[lg][te]|dn?z)")

AARCH64 = Target("aarch64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "qemu-aarch64", "max", 0x5500000000, *ARM)
ARMV7 = Target("armv7", "armv7-unknown-linux-gnueabihf", "arm-linux-gnueabihf", "qemu-arm", "max", 0x40000000, *ARM)
# With AltiVec and without VSX, with the instructions of POWER8, and of the other byte order.
POWER = Target("powerpc64", "powerpc64-unknown-linux-gnu", "powerpc64-linux-gnu", "qemu-ppc64", "e6500", 0x4000000000, *POWERPC)
POWER8 = replace(POWER, cpu="power8")
POWER_LE = Target("powerpc64le", "powerpc64le-unknown-linux-gnu", "powerpc64le-linux-gnu", "qemu-ppc64le", "power9", 0x4000000000, *POWERPC)
# The jumps of these are not counted. The first has all of Zkn.
ZKN = "rv64," + ",".join(f"{name}=true" for name in "zbkb zbkc zbkx zknd zkne zknh".split())
RISCV = Target("riscv64", "riscv64gc-unknown-linux-gnu", "riscv64-linux-gnu", "qemu-riscv64", ZKN, 0x4000000000, *ARM, preload="riscv-hwprobe")
S390X = Target("s390x", "s390x-unknown-linux-gnu", "s390x-linux-gnu", "qemu-s390x", "max", 0x4000000000, *ARM)


class Program:
    """A program that takes the arguments of crates/primitives/examples/call.rs."""

    def __init__(self, target, binary):
        self.target, self.binary = target, binary

    @cached_property
    def preloaded(self):
        """The options by which QEMU has the program find the target's functions."""
        if not self.target.preload:
            return []
        library = f"{self.binary}-{self.target.preload}.so"
        command = [self.target.compiler, "-O1", "-Wall", "-shared", "-fPIC", "-o", library, f"{ROOT}/lab/{self.target.preload}.c"]
        subprocess.run(command, check=True)
        return ["-E", f"LD_PRELOAD={library}"]

    @cached_property
    def code(self):
        """The instructions by offset."""
        command = [f"{self.target.gcc}-objdump", "-d", "--no-show-raw-insn", self.binary]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^ +([0-9a-f]+):\t(\S+)(?:[ \t]+(.*))?$", lines, re.M)
        return {int(at, 16): (name, re.sub(r" *(<.*|// .*)$", "", operands)) for at, name, operands in found}

    def trace(self, kernel, size, secret=1, call=True, registers=False):
        """The lines of QEMU's log of a program that makes the call, or everything but the call."""
        with tempfile.NamedTemporaryFile(mode="r") as log:
            # With an instruction a block of translation, each one that is executed is a line.
            options = "exec,nochain,cpu" if registers else "exec,nochain"
            command = [self.target.qemu, "-L", f"/usr/{self.target.gcc}", *self.preloaded, "-cpu", self.target.cpu, "-singlestep", "-d", options]
            command += ["-dfilter", f"{self.target.base:#x}+{self.target.size:#x}", "-D", log.name, self.binary, kernel, str(size), str(secret), "call" if call else "none"]
            # The stack begins below the environment.
            subprocess.run(command, check=True, env={"PATH": os.environ["PATH"]})
            yield from log

    def executed(self, *args, **kwargs):
        """The offsets of the instructions that are executed, in order."""
        return [int(line.split("/")[1], 16) - self.target.base for line in self.trace(*args, **kwargs) if line.startswith("Trace")]

    def added(self, kernel, size=1024):
        """The instructions that as many more bytes of text add to a call with as many."""
        return self.between(self.executed(kernel, size), self.executed(kernel, 2 * size))

    def whole(self, kernel, size):
        """The instructions of a call."""
        return self.between(self.executed(kernel, size, call=False), self.executed(kernel, size))

    def between(self, short, long):
        """The instructions that the second of two runs has more, in order, without where branches go."""
        split = next((i for i, (a, b) in enumerate(zip(short, long)) if a != b), len(short))
        text = []
        for at in long[split : split + len(long) - len(short)]:
            name, operands = self.code[at]
            if self.target.conditional.match(name):
                operands = re.sub(r"[^, ]+$", ".", operands)
            elif self.target.jump.match(name):
                name, operands = "b", "."
            elif name in ("adr", "adrp") or name == "ldr" and "[" not in operands:
                # What stands beside the code.
                operands = re.sub(r"[^, ]+$", "." if name == "ldr" else "0", operands)
            text.append(f"{name} {operands}")
        return text
