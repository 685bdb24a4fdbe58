"""The module as a program meets it: published vectors, and `hashlib`, `hmac` and `cryptography` beside it."""

import array
import ctypes
import hashlib
import hmac
import mmap
import subprocess
import sys
import threading
import time

import algkit
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

hexed = bytes.fromhex

# McGrew and Viega 2005, GCM test case 4; RFC 8439, section 2.8.2.
SEALED = [
    (
        "gcm(aes)",
        "feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        hexed(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        ),
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
        "5bc94fbc3221a5db94fae95ae7121a47",
    ),
    (
        "rfc7539(chacha20,poly1305)",
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "070000004041424344454647",
        "50515253c0c1c2c3c4c5c6c7",
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
        "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
        "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        "3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691",
    ),
]


@pytest.mark.parametrize("name, key, nonce, assoc, text, sealed", SEALED)
def test_aead(name, key, nonce, assoc, text, sealed):
    aead = algkit.aead(name, hexed(key))
    nonce, assoc, sealed = hexed(nonce), hexed(assoc), hexed(sealed)
    assert aead.name == name and aead.tag_size == 16 and aead.nonce_size == 12
    assert aead.seal(nonce, text, assoc) == sealed
    assert aead.open(nonce, sealed, assoc) == text
    assert aead.seal_many([(nonce, text, assoc)] * 3) == [sealed] * 3
    forged = sealed[:-1] + bytes([sealed[-1] ^ 1])
    assert aead.open_many([(nonce, sealed, assoc), (nonce, forged, assoc), (nonce, sealed, b"")]) == [text, None, None]
    with pytest.raises(algkit.InvalidTag):
        aead.open(nonce, forged, assoc)
    with pytest.raises(algkit.InvalidTag):
        aead.open(nonce, sealed)

    # Into another buffer, and in place.
    out = bytearray(len(sealed))
    aead.seal_into(nonce, text, out, assoc)
    assert out == sealed
    opened = bytearray(len(text))
    aead.open_into(nonce, out, opened, assoc)
    assert opened == text
    buffer = bytearray(text + bytes(16))
    view = memoryview(buffer)
    aead.seal_into(nonce, view[:-16], view, assoc)
    assert buffer == sealed
    aead.open_into(nonce, view, view[:-16], assoc)
    assert buffer[:-16] == text and buffer[-16:] == sealed[-16:]
    with pytest.raises(algkit.InvalidTag):
        aead.open_into(nonce, forged, opened, assoc)
    assert opened == bytes(len(text))


def test_long_messages_are_those_of_cryptography():
    key, text = bytes(range(32)), hashlib.shake_128(b"text").digest(70_001)
    ours, theirs = algkit.aead("gcm(aes)", key), AESGCM(key)
    messages = [(i.to_bytes(12, "big"), text[: i * 777], b"header" * i) for i in range(80)]
    sealed = [theirs.encrypt(*message) for message in messages]
    assert ours.seal_many(messages) == sealed
    assert [ours.seal(*message) for message in messages] == sealed
    assert ours.open_many([(nonce, c, a) for (nonce, _, a), c in zip(messages, sealed)]) == [m[1] for m in messages]


# NIST SP 800-38A, F.2.1 and F.5.1; IEEE 1619-2007, vector 2.
@pytest.mark.parametrize(
    "name, key, iv, plain, cipher",
    [
        (
            "cbc(aes)",
            "2b7e151628aed2a6abf7158809cf4f3c",
            "000102030405060708090a0b0c0d0e0f",
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
        ),
        (
            "ctr(aes)",
            "2b7e151628aed2a6abf7158809cf4f3c",
            "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            "6bc1bee22e409f96e93d7e117393172a",
            "874d6191b620e3261bef6864990db6ce",
        ),
        (
            "xts(aes)",
            "11" * 16 + "22" * 16,
            "3333333333" + "00" * 11,
            "44" * 32,
            "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
        ),
    ],
)
def test_skcipher(name, key, iv, plain, cipher):
    tfm = algkit.skcipher(name, hexed(key))
    iv, plain, cipher = hexed(iv), hexed(plain), hexed(cipher)
    assert tfm.name == name and tfm.iv_size == 16 and tfm.driver
    assert tfm.encrypt(iv, plain) == cipher and tfm.decrypt(iv, cipher) == plain
    assert tfm.encrypt_many([(iv, plain), (iv, plain)]) == [cipher, cipher]
    assert tfm.decrypt_many([(iv, cipher), (iv, cipher)]) == [plain, plain]
    buffer = bytearray(plain)
    tfm.encrypt_into(iv, plain, buffer)
    assert buffer == cipher
    tfm.decrypt_into(iv, buffer, buffer)
    assert buffer == plain


def test_sectors_are_those_of_a_loop_over_cryptography():
    key, image = bytes(range(64)), hashlib.shake_128(b"image").digest(50 * 512)

    def theirs(first, size, step):
        out = []
        for i in range(len(image) // size):
            mode = modes.XTS((first + i * step).to_bytes(16, "little"))
            out.append(Cipher(algorithms.AES(key), mode).encryptor().update(image[i * size : (i + 1) * size]))
        return b"".join(out)

    xts = algkit.skcipher("xts(aes)", key)
    for first, size, step in [(0, 512, 1), (2**40, 512, 1), (7, 1024, 2)]:
        expected = theirs(first, size, step)
        assert xts.encrypt_sectors(first, image, sector_size=size, step=step) == expected
        assert xts.decrypt_sectors(first, expected, sector_size=size, step=step) == image
        buffer = bytearray(image)
        xts.encrypt_sectors_in(first, buffer, sector_size=size, step=step)
        assert buffer == expected
        xts.decrypt_sectors_in(first, buffer, sector_size=size, step=step)
        assert buffer == image
    # IVs that depend on the number in other ways.
    assert xts.encrypt_sectors(2**32 + 5, image, iv="plain") == theirs(5, 512, 1)
    assert xts.encrypt_sectors(9, image, iv="null") == theirs(0, 512, 0)
    for arguments in [{"sector_size": 500}, {"sector_size": 0}, {"iv": "random"}, {"step": 0}]:
        with pytest.raises(algkit.Error):
            xts.encrypt_sectors(0, image, **arguments)
    with pytest.raises(algkit.Error):
        xts.encrypt_sectors(2**64 - 1, image)


@pytest.mark.parametrize("name, other", [("sha256", "sha256"), ("sha512", "sha512"), ("sha3-256", "sha3_256"), ("blake2b-512", "blake2b"), ("md5", "md5")])
def test_hashes_are_those_of_hashlib(name, other):
    text = hashlib.shake_128(b"hashes").digest(10_000)
    for length in [0, 1, 63, 64, 65, 2047, 2048, 10_000]:
        ours, theirs = algkit.hash(name), hashlib.new(other)
        ours.update(text[:10])
        ours.update(memoryview(text)[10:length] if length > 10 else b"")
        theirs.update(text[:10])
        theirs.update(text[10:length])
        half = ours.copy()
        assert ours.digest() == theirs.digest() and ours.hexdigest() == theirs.hexdigest()
        assert (ours.digest_size, ours.block_size) == (theirs.digest_size, theirs.block_size)
        half.update(b"more")
        theirs.update(b"more")
        assert half.digest() == theirs.digest() != ours.digest()
    messages = [text[:i] for i in range(0, 3000, 7)]
    assert algkit.digest_many(name, messages) == [hashlib.new(other, message).digest() for message in messages]


def test_macs():
    mac = algkit.hash("hmac(sha256)", b"what do ya want for nothing?", key=b"Jefe")  # RFC 4231, test case 2
    assert mac.hexdigest() == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    mac.verify(mac.digest())
    for wrong in [bytes(32), mac.digest()[:31], b""]:
        with pytest.raises(algkit.InvalidTag):
            mac.verify(wrong)
    key, block = hexed("2b7e151628aed2a6abf7158809cf4f3c"), hexed("6bc1bee22e409f96e93d7e117393172a")
    assert algkit.hash("cmac(aes)", block, key=key).hexdigest() == "070a16b46b4d4144f79bdd9dd04a287c"  # RFC 4493
    messages = [bytes(i) for i in range(200)]
    digests = [hmac.digest(b"key", message, "sha256") for message in messages]
    assert algkit.digest_many("hmac(sha256)", messages, key=b"key") == digests


def test_random_bytes():
    assert len(algkit.random_bytes(0)) == 0 and algkit.random_bytes(32) != algkit.random_bytes(32)
    rng = algkit.rng("drbg_nopr_hmac_sha256", b"seed")
    buffer = bytearray(5000)
    rng.fill(buffer)
    assert len(set(buffer)) > 200 and rng.bytes(16) != rng.bytes(16)
    for size in [2**63, 2**64 - 1, 2**64, -1]:
        for call in [algkit.random_bytes, rng.bytes]:
            with pytest.raises(OverflowError):
                call(size)
    with pytest.raises(OverflowError, match="9223372036854775808 bytes are more than"):
        algkit.random_bytes(2**63)
    assert rng.name == "stdrng" or rng.driver == "drbg_nopr_hmac_sha256"


def test_list():
    drivers = algkit.list("gcm(aes)")
    assert drivers[0]["driver"] == algkit.aead("gcm(aes)", bytes(16)).driver
    for driver in drivers:
        assert driver["name"] == "gcm(aes)" and driver["type"] == "aead" and driver["maxauthsize"] == 16
        assert (driver["min_keysize"], driver["max_keysize"], driver["ivsize"]) == (16, 32, 12)
    everything = {driver["driver"]: driver for driver in algkit.list()}
    assert len(everything) > 100 and "digestsize" not in everything[drivers[0]["driver"]]
    assert everything["sha256-generic"]["digestsize"] == 32 and everything["sha256-generic"]["timing"] == "constant"


def test_errors_name_what_is_wrong():
    for call, said in [
        (lambda: algkit.aead("aes-gcm", bytes(16)), r"`aes-gcm`; did you mean `gcm\(aes\)`"),
        (lambda: algkit.aead("gcm(aes)", bytes(15)), "15"),
        (lambda: algkit.aead("gcm(aes)", bytes(16)).seal(b"", b"text"), "gcm"),
        (lambda: algkit.aead("gcm(aes)", bytes(16)).open(bytes(12), bytes(15)), "15"),
        (lambda: algkit.skcipher("cbc(aes)", bytes(16)).encrypt(bytes(16), bytes(17)), "17"),
        (lambda: algkit.skcipher("xts(aes)", bytes(64)), "xts"),
        (lambda: algkit.hash("hmac(sha256)"), "hmac"),
        (lambda: algkit.aead("gcm(aes)", bytes(16)).seal_many([(b"", b"text", b"")]), "gcm"),
    ]:
        with pytest.raises(algkit.Error, match=said) as caught:
            call()
        assert isinstance(caught.value, ValueError) and not isinstance(caught.value, algkit.InvalidTag)
    for call in [lambda: algkit.aead("gcm(aes)", "text"), lambda: algkit.Aead(), lambda: algkit.hash("sha256", 5)]:
        with pytest.raises(TypeError):
            call()


def test_buffers_of_all_kinds():
    expected = hashlib.sha256(bytes(range(64)) * 100).digest()
    data = bytes(range(64)) * 100
    shared = mmap.mmap(-1, len(data))
    shared[:] = data
    for buffer in [data, bytearray(data), memoryview(data), array.array("I", data), memoryview(data).cast("Q"), shared]:
        assert algkit.hash("sha256", buffer).digest() == expected
    number, array_of_two_dimensions = ctypes.c_uint32(7), memoryview(data).cast("B", (100, 64))
    assert algkit.hash("sha256", number).digest() == hashlib.sha256(number).digest()
    assert algkit.hash("sha256", array_of_two_dimensions).digest() == expected
    algkit.skcipher("ctr(aes)", bytes(16)).encrypt_into(bytes(16), bytes(4), number)
    assert number.value != 7
    with pytest.raises(BufferError):
        algkit.hash("sha256", memoryview(data)[::2])
    held = bytearray(data)
    cipher = algkit.skcipher("ctr(aes)", bytes(16))
    cipher.encrypt_into(bytes(16), shared, held)
    assert held == cipher.encrypt(bytes(16), data)
    held.extend(b"it is not held any more")
    with pytest.raises(BufferError):
        cipher.encrypt_into(bytes(16), data, data)


def test_buffers_that_overlap():
    cipher, aead = algkit.skcipher("ctr(aes)", bytes(16)), algkit.aead("gcm(aes)", bytes(16))
    buffer = bytearray(100)
    view = memoryview(buffer)
    for call in [
        lambda: cipher.encrypt_into(bytes(16), view[:50], view[1:51]),
        lambda: cipher.encrypt_into(view[:16], view[:50], view[:50]),
        lambda: aead.seal_into(bytes(12), view[20:50], view[4:50]),
        lambda: aead.seal_into(bytes(12), view[:50], view[:66], view[60:70]),
        lambda: aead.seal_into(view[40:52], view[:50], view[:66]),
        lambda: aead.open_into(bytes(12), view[:50], view[10:44]),
        lambda: aead.open_into(bytes(12), view[:50], view[:34], view[30:40]),
    ]:
        with pytest.raises(algkit.Error, match="overlaps"):
            call()
    for call in [
        lambda: cipher.encrypt_into(bytes(16), view[:50], view[50:99]),
        lambda: aead.seal_into(bytes(12), view[:50], view[:50]),
        lambda: aead.open_into(bytes(12), view[:50], view[:50]),
    ]:
        with pytest.raises(algkit.Error, match="`out` has"):
            call()
    assert buffer == bytes(100)
    # The end of one is the beginning of the other.
    cipher.encrypt_into(bytes(16), view[:50], view[50:])
    assert buffer[50:] == cipher.encrypt(bytes(16), bytes(50))
    aead.seal_into(bytes(12), b"", view[:16])
    aead.open_into(bytes(12), view[:16], view[:0])


@pytest.mark.parametrize(
    "work",
    [
        lambda: algkit.hash("sha512").update(bytes(1 << 27)),
        lambda: algkit.skcipher("cbc(serpent)", bytes(16)).encrypt_into(bytes(16), memoryview(ROOM), ROOM),
    ],
)
def test_other_threads_run_meanwhile(work):
    """Another thread wakes again and again while one call lasts; with the interpreter's lock held it would wake once."""
    working, woken = threading.Event(), 0

    def once():
        working.set()
        work()
        working.clear()

    thread = threading.Thread(target=once)
    thread.start()
    working.wait()
    while working.is_set():
        time.sleep(0.001)
        woken += 1
    thread.join()
    assert woken > 5


ROOM = bytearray(1 << 25)
STATE = algkit.hash("sha512")
RNG = algkit.rng()


@pytest.mark.parametrize(
    "work, wait",
    [
        (lambda: STATE.update(bytes(1 << 28)), STATE.hexdigest),
        (lambda: STATE.update(bytes(1 << 28)), lambda: STATE.update(b"short")),
        (lambda: RNG.fill(ROOM), lambda: RNG.bytes(8)),
    ],
)
def test_a_thread_that_waits_for_another_lets_the_others_run(work, wait):
    """One thread works for long on an object, another waits for the object, and a third wakes again and again meanwhile."""
    working, woken = threading.Event(), 0

    def once():
        working.set()
        work()
        working.clear()

    threads = [threading.Thread(target=once), threading.Thread(target=lambda: (time.sleep(0.01), wait()))]
    for thread in threads:
        thread.start()
    working.wait()
    while working.is_set():
        time.sleep(0.001)
        woken += 1
    for thread in threads:
        thread.join()
    assert woken > 25


def test_key_wrap_does_not_lose_its_first_word():
    kw = algkit.skcipher("kw(aes)", bytes(16))
    for call in [
        lambda: kw.encrypt(b"\xa6" * 8, bytes(16)),
        lambda: kw.encrypt_into(b"\xa6" * 8, bytes(16), bytearray(16)),
        lambda: kw.encrypt_many([(b"\xa6" * 8, bytes(16))]),
        lambda: kw.encrypt_sectors(0, bytes(16), sector_size=16),
        lambda: kw.decrypt_sectors(0, bytes(16), sector_size=16),
    ]:
        with pytest.raises(algkit.Error, match="IV|sectors"):
            call()
    with pytest.raises(algkit.Error, match="key stream"):
        algkit.skcipher("chacha20", bytes(32)).encrypt_sectors(0, bytes(1024))


@pytest.mark.parametrize(
    "call",
    [
        "ctr.encrypt_many([(bytes(16), huge)])",
        "ctr.encrypt_many([(huge, bytes(16))])",
        "gcm.seal_many([(bytes(12), huge, b'')])",
        "gcm.open_many([(bytes(12), huge, b'')])",
    ],
)
def test_what_does_not_fit_into_memory_is_an_exception(call):
    # A process that may have 3 GiB of addresses, with a mapping of 2 GiB whose pages are never touched.
    program = f"""
import algkit, mmap, resource
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
huge = mmap.mmap(-1, 2 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
ctr, gcm = algkit.skcipher("ctr(aes)", bytes(16)), algkit.aead("gcm(aes)", bytes(16))
try:
    {call}
except MemoryError:
    print("MemoryError")
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "MemoryError\n"


def test_no_memory_is_reserved_for_what_a_sequence_claims_to_have():
    program = """
import algkit
ctr, gcm = algkit.skcipher("ctr(aes)", bytes(16)), algkit.aead("gcm(aes)", bytes(16))
for items in range(10**12), range(2**62):
    for call in lambda m: algkit.digest_many("sha256", m), gcm.seal_many, gcm.open_many, ctr.encrypt_many, ctr.decrypt_many:
        try:
            call(items)
        except TypeError:
            print("TypeError")
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "TypeError\n" * 10


def test_threads_share_a_transform():
    aead, text = algkit.aead("gcm(aes)", bytes(32)), bytes(100_000)
    expected, wrong = AESGCM(bytes(32)).encrypt(bytes(12), text, b""), []

    def many():
        for _ in range(50):
            if aead.seal(bytes(12), text) != expected:
                wrong.append(1)

    state = algkit.hash("sha256")
    threads = [threading.Thread(target=many) for _ in range(4)]
    threads += [threading.Thread(target=lambda: [state.update(bytes(5000)) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and state.digest() == hashlib.sha256(bytes(200 * 5000)).digest()


def test_nothing_secret_is_printed():
    for made in [algkit.aead("gcm(aes)", b"K" * 16), algkit.skcipher("ctr(aes)", b"K" * 16), algkit.hash("hmac(sha256)", key=b"K" * 16)]:
        assert "Key(..)" in repr(made) and "KK" not in repr(made) and "4b4b" not in repr(made)
