"""Sectors of 512 bytes, XTS with AES-256: one call for all of them, and a loop over `cryptography`, a call or two for each. The library in
Rust stands beside them if its example is named.

usage: python bench.py [MEBIBYTES [PROGRAM]]  (1024; needs algkit and cryptography; PROGRAM is target/release/examples/sectors_cost, which
                                               cargo build --release -p algkit --example sectors_cost makes)
"""

import re
import subprocess
import sys
import time

import algkit
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SECTOR = 512
key = bytes(range(64))


def one_call(image: bytearray) -> None:
    algkit.skcipher("xts(aes)", key).encrypt_sectors_in(0, image)


def loop(image: bytearray) -> None:
    aes, view = algorithms.AES(key), memoryview(image)
    for sector in range(len(image) // SECTOR):
        part = view[sector * SECTOR : (sector + 1) * SECTOR]
        part[:] = Cipher(aes, modes.XTS(sector.to_bytes(16, "little"))).encryptor().update(part)


mebibytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
images = []
for name, work, length in [("algkit", one_call, mebibytes << 20), ("cryptography", loop, (mebibytes << 20) // 64)]:
    image, times = bytearray(length), []
    for _ in range(5):
        image[:] = bytes(length)
        begun = time.perf_counter()
        work(image)
        times.append(time.perf_counter() - begun)
    images.append(image)
    print(f"{name:14} {length / min(times) / 1e6:10.0f} MB/s")
if len(sys.argv) > 2:
    said = subprocess.run([sys.argv[2], "xts(aes)", str(SECTOR), str(mebibytes)], check=True, capture_output=True, text=True).stdout
    print(f"{'in Rust':14} {re.search(r'([0-9]+) MB/s', said)[1]:>10} MB/s")
assert images[0].startswith(images[1]), "they differ"
