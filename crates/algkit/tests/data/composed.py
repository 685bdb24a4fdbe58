#!/usr/bin/env python3
"""Makes composed.txt: messages of modes that are composed of others, by OpenSSL through the package `cryptography`.

LRW, XCTR, ESSIV, CTS, Adiantum and the IPsec modes are written here from their definitions, over OpenSSL's AES, ChaCha20, Poly1305, GCM and HMAC.

usage: composed.py > composed.txt
"""
import hashlib, hmac, struct
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.poly1305 import Poly1305

count = 0


def data(n):
    """`n` bytes that a counter makes."""
    global count
    count += 1
    return hashlib.shake_128(b"%d" % count).digest(n)


def once(cipher, mode, text):
    made = Cipher(cipher, mode).encryptor()
    return made.update(text) + made.finalize()


def ecb(key, text):
    return once(algorithms.AES(key), modes.ECB(), text)


def cbc(key, iv, text):
    return once(algorithms.AES(key), modes.CBC(iv), text)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def emit(name, key, iv, assoc, plain, out):
    print(name, *(part.hex() or "-" for part in (key, iv, assoc, plain, out)))


def gf(a, b):
    """The product modulo x^128 + x^7 + x^2 + x + 1, of big-endian polynomials."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
        if a >> 128:
            a ^= 1 << 128 | 0x87
    return product


def lrw(key, iv, text):
    key, tweak = key[:-16], int.from_bytes(key[-16:], "big")
    out, index = b"", int.from_bytes(iv, "big")
    for at in range(0, len(text), 16):
        mask = gf(tweak, index).to_bytes(16, "big")
        out += xor(ecb(key, xor(text[at:at + 16], mask)), mask)
        index = (index + 1) % 2**128
    return out


def xctr(key, iv, text):
    blocks = b"".join(xor(iv, (i + 1).to_bytes(16, "little")) for i in range(-(-len(text) // 16)))
    return xor(text, ecb(key, blocks) if blocks else b"")


def cts(key, iv, text):
    """CS3: the last two blocks of CBC over the padded text change places, and the first of them is cut."""
    if len(text) <= 16:
        return cbc(key, iv, text)
    rest = (len(text) - 1) % 16 + 1
    whole = cbc(key, iv, text + bytes(16 - rest))
    return whole[:-32] + whole[-16:] + whole[-32:-16][:rest]


def quarter(s, a, b, c, d):
    rotate = lambda v, n: (v << n | v >> 32 - n) & 0xffffffff
    for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] = s[x] + s[y] & 0xffffffff
        s[z] = rotate(s[z] ^ s[x], n)


def chacha_rounds(state, rounds):
    s = list(state)
    for _ in range(rounds // 2):
        for i in range(4):
            quarter(s, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return s


SIGMA = list(struct.unpack("<4I", b"expand 32-byte k"))


def xchacha(key, iv, n, rounds):
    """The key stream for the kernel's IV: a nonce of 24 bytes, then the number of the first block."""
    s = chacha_rounds(SIGMA + list(struct.unpack("<8I", key)) + list(struct.unpack("<4I", iv[:16])), rounds)
    subkey, out = s[:4] + s[12:], b""
    first, *rest = struct.unpack("<4I", iv[24:] + iv[16:24])
    for i in range(-(-n // 64)):
        state = SIGMA + subkey + [(first + i) & 0xffffffff] + rest
        out += struct.pack("<16I", *((x + y) & 0xffffffff for x, y in zip(state, chacha_rounds(state, rounds))))
    return out[:n]


def poly(key, message):
    """Poly1305 without the number that is added at the end."""
    return int.from_bytes(Poly1305.generate_tag(key + bytes(16), message), "little")


def nhpoly(key, message):
    r, words = key[:16], struct.unpack("<268I", key[16:])
    hashes = b""
    message += bytes(-len(message) % 16)
    for at in range(0, len(message), 1024):
        sums = [0] * 4
        chunk = struct.unpack("<%dI" % (len(message[at:at + 1024]) // 4), message[at:at + 1024])
        for unit in range(0, len(chunk), 4):
            for p in range(4):
                m = [chunk[unit + i] + words[unit + 4 * p + i] & 0xffffffff for i in range(4)]
                sums[p] = (sums[p] + m[0] * m[2] + m[1] * m[3]) % 2**64
        hashes += struct.pack("<4Q", *sums)
    return poly(r, hashes)


def adiantum(rounds):
    def crypt(key, iv, text):
        keys = xchacha(key, b"\1" + bytes(31), 32 + 16 + 16 + 1072, rounds)
        def hashed(bulk):
            header = poly(keys[32:48], struct.pack("<QQ", 8 * len(bulk), 0) + iv)
            return header + nhpoly(keys[48:], bulk)
        bulk, last = text[:-16], int.from_bytes(text[-16:], "little")
        middle = ecb(keys[:32], ((last + hashed(bulk)) % 2**128).to_bytes(16, "little"))
        bulk = xor(bulk, xchacha(key, middle + b"\1" + bytes(15), len(bulk), rounds))
        return bulk + ((int.from_bytes(middle, "little") - hashed(bulk)) % 2**128).to_bytes(16, "little")
    return crypt


LENGTHS = (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 129, 256, 257, 530)


def modes_with(name, key_lens, iv_len, lengths, crypt, ivs=()):
    for i, n in enumerate(lengths):
        key, iv, text = data(key_lens[i % len(key_lens)]), data(iv_len), data(n)
        iv = ivs[i % len(ivs)] if ivs and i % 2 else iv
        emit(name, key, iv, b"", text, crypt(key, iv, text))


def essiv(key, iv, text):
    return cbc(key, ecb(hashlib.sha256(key).digest(), iv), text)


blocks = [n for n in LENGTHS if n % 16 == 0] + [512, 1008]
some = [n for n in LENGTHS if n >= 16]
long = some + [1023 + 16, 1024 + 16, 1025 + 16]
ends = [b"\xff" * 16, b"\xff" * 15 + b"\xfd", bytes(4) + b"\xff" * 12, bytes(12) + b"\xff" * 4]
modes_with("lrw(aes)", (32, 40, 48), 16, blocks, lrw, ends)
modes_with("xctr(aes)", (16, 24, 32), 16, LENGTHS, xctr)
modes_with("cts(cbc(aes))", (16, 24, 32), 16, some, cts)
modes_with("essiv(cbc(aes),sha256)", (16, 24, 32), 16, blocks, essiv)
modes_with("xts(aes)", (32, 64), 16, some, lambda key, iv, text: once(algorithms.AES(key), modes.XTS(iv), text), ends)
modes_with("xchacha12", (32,), 32, LENGTHS, lambda key, iv, text: xor(text, xchacha(key, iv, len(text), 12)),
           [bytes(24) + b"\xff\xff\xff\xff\0\0\0\0", b"\1" * 24 + b"\xfe" + b"\xff" * 7])
modes_with("xchacha20", (32,), 32, LENGTHS, lambda key, iv, text: xor(text, xchacha(key, iv, len(text), 20)),
           [bytes(24) + b"\xff\xff\xff\xff\0\0\0\0", b"\1" * 24 + b"\xfe" + b"\xff" * 7])
modes_with("adiantum(xchacha12,aes)", (32,), 32, long, adiantum(12))
modes_with("adiantum(xchacha20,aes)", (32,), 32, long, adiantum(20))


def blob(auth, enc):
    """The key of authenc, on a little-endian machine."""
    return struct.pack("<HH", 8, 1) + struct.pack(">I", len(enc)) + auth + enc


for n in LENGTHS:
    text, spi = data(n), data(8 + 4 * (n % 2))
    key, salt, iv = data((16, 24, 32)[n % 3]), data(4), data(8)
    emit("rfc4106(gcm(aes))", key + salt, iv, spi + iv, text, AESGCM(key).encrypt(salt + iv, text, spi))
    emit("rfc4543(gcm(aes))", key + salt, iv, spi + iv, text,
         text + AESGCM(key).encrypt(salt + iv, b"", spi + iv + text))
    emit("rfc4309(ccm(aes))", key + salt[:3], iv, spi + iv, text,
         AESCCM(key, tag_length=(8, 12, 16)[n % 3]).encrypt(salt[:3] + iv, text, spi))
    wide = data(32)
    emit("rfc7539esp(chacha20,poly1305)", wide + salt, iv, spi + iv, text,
         ChaCha20Poly1305(wide).encrypt(salt + iv, text, spi))
    emit("rfc7539(chacha20,poly1305)", wide, salt + iv, spi, text, ChaCha20Poly1305(wide).encrypt(salt + iv, text, spi))
    nonce = data((8, 12, 16, 60)[n % 4])
    emit("gcm(aes)", key, nonce, spi, text, AESGCM(key).encrypt(nonce, text, spi))

for n in blocks:
    text, iv, assoc = data(n), data(16), data(8 + n % 5)
    for hash, auth_len in (("sha1", 20), ("sha256", 32), ("sha512", 64)):
        auth, enc = data(auth_len), data(16 + n // 16 % 2 * 16)
        sealed = cbc(enc, iv, text)
        mac = lambda message: hmac.new(auth, message, hash).digest()
        emit("authenc(hmac(%s),cbc(aes))" % hash, blob(auth, enc), iv, assoc, text, sealed + mac(assoc + sealed))
        moved = assoc[:4] + assoc[8:] + sealed + assoc[4:8]
        emit("authencesn(hmac(%s),cbc(aes))" % hash, blob(auth, enc), iv, assoc, text, sealed + mac(moved))
        # The hash of the keys encrypts the IV, which is authenticated as it was encrypted.
        if hash == "sha256":
            inner = ecb(hashlib.sha256(enc + auth).digest(), iv)
            sealed = cbc(enc, inner, text)
            emit("essiv(authenc(hmac(sha256),cbc(aes)),sha256)", blob(auth, enc), iv, assoc + iv, text,
                 sealed + mac(assoc + inner + sealed))
