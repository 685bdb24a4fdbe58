"""The Linux kernel's crypto API in user space.

Ask for an algorithm by the kernel's name, and get the fastest constant-time driver that this CPU can run and that has passed its
self-test.

A buffer is an object with contiguous memory: `bytes`, `bytearray`, `memoryview`, `mmap`, an array. A call uses it without a copy, and
releases the interpreter's lock for 2048 bytes or more. So no other thread may write to a buffer that a call reads or writes.
"""

import builtins
from typing import Literal, NotRequired, Sequence, TypedDict, final
from typing_extensions import Buffer

__all__ = [
    "Aead", "Error", "Hash", "InvalidTag", "Rng", "Skcipher", "__version__", "aead", "digest_many", "hash", "list", "random_bytes",
    "rng", "skcipher",
]

__version__: str

class Error(ValueError):
    """A name, a key or a length that is wrong; the text names it."""

class InvalidTag(Error):
    """The text is not authentic: the tag, the text, the associated data, the nonce or the key is not the one of the sender."""

_SectorIv = Literal["null", "plain", "plain64", "plain64be", "benbi"]
"""How the IV of a sector is made from its number. The names are dm-crypt's."""

@final
class Aead:
    """A keyed AEAD. Threads can share it. Its key is wiped when it is freed."""

    @property
    def name(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def nonce_size(self) -> int: ...
    @property
    def tag_size(self) -> int: ...
    def seal(self, nonce: Buffer, data: Buffer, assoc: Buffer | None = None, /) -> bytes:
        """Returns the ciphertext of `data`, followed by the tag. Never use a nonce twice under one key."""

    def open(self, nonce: Buffer, data: Buffer, assoc: Buffer | None = None, /) -> bytes:
        """Returns the text that `seal` has encrypted. Raises `InvalidTag` if it is not authentic."""

    def seal_into(self, nonce: Buffer, data: Buffer, out: Buffer, assoc: Buffer | None = None, /) -> None:
        """`seal` into `out`, which has `len(data) + tag_size` bytes. Both buffers begin at the same address, or do not overlap."""

    def open_into(self, nonce: Buffer, data: Buffer, out: Buffer, assoc: Buffer | None = None, /) -> None:
        """`open` into `out`, which has `len(data) - tag_size` bytes, with the same rule. After `InvalidTag`, `out` holds zeros."""

    def seal_many(self, messages: Sequence[tuple[Buffer, Buffer, Buffer]], /) -> builtins.list[bytes]:
        """`seal` of many messages in one call: tuples of a nonce, a text and associated data."""

    def open_many(self, messages: Sequence[tuple[Buffer, Buffer, Buffer]], /) -> builtins.list[bytes | None]:
        """`open` of many messages in one call. A message that is not authentic is `None`."""

@final
class Skcipher:
    """A keyed cipher in a mode. It does not authenticate. Threads can share it. Its key is wiped when it is freed."""

    @property
    def name(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def iv_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def encrypt(self, iv: Buffer, data: Buffer, /) -> bytes:
        """Encrypts a message. `iv` is not changed, so this refuses `kw(aes)`, which returns a part of its result there."""

    def decrypt(self, iv: Buffer, data: Buffer, /) -> bytes: ...
    def encrypt_into(self, iv: Buffer, data: Buffer, out: Buffer, /) -> None:
        """`encrypt` into `out`, which has the length of `data`. Both buffers begin at the same address, or do not overlap."""

    def decrypt_into(self, iv: Buffer, data: Buffer, out: Buffer, /) -> None:
        """`decrypt` into `out`, which has the length of `data`, with the same rule."""

    def encrypt_many(self, messages: Sequence[tuple[Buffer, Buffer]], /) -> builtins.list[bytes]:
        """`encrypt` of many messages in one call: tuples of an IV and a text."""

    def decrypt_many(self, messages: Sequence[tuple[Buffer, Buffer]], /) -> builtins.list[bytes]:
        """`decrypt` of many messages in one call."""

    def encrypt_sectors(
        self, first: int, data: Buffer, /, *, sector_size: int = 512, iv: _SectorIv = "plain64", step: int = 1
    ) -> bytes:
        """Encrypts consecutive sectors. The first has the number `first`, and each next number is greater by `step`. dm-crypt counts in
        units of 512 bytes, so its sectors of 4096 bytes have a step of 8. Key wrap is refused, and so are stream ciphers whose
        sectors would share their key stream, as `chacha20` with `plain64` and a step of 1."""

    def decrypt_sectors(
        self, first: int, data: Buffer, /, *, sector_size: int = 512, iv: _SectorIv = "plain64", step: int = 1
    ) -> bytes: ...
    def encrypt_sectors_in(
        self, first: int, buffer: Buffer, /, *, sector_size: int = 512, iv: _SectorIv = "plain64", step: int = 1
    ) -> None:
        """`encrypt_sectors` in place."""

    def decrypt_sectors_in(
        self, first: int, buffer: Buffer, /, *, sector_size: int = 512, iv: _SectorIv = "plain64", step: int = 1
    ) -> None:
        """`decrypt_sectors` in place."""

@final
class Hash:
    """A hash or MAC with the methods of `hashlib`'s. Threads can share it. A child of `os.fork` must not use a hash that another thread of
    its parent was working on, since it would wait for that thread for ever; `hashlib` has the same rule."""

    @property
    def name(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Buffer, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Hash: ...
    def verify(self, tag: Buffer, /) -> None:
        """Raises `InvalidTag` if `tag` is not the digest. The time does not depend on where they differ."""

@final
class Rng:
    """A seeded random number generator. Threads can share it. A child of `os.fork` must not use a generator that another thread of its
    parent was using at that moment, since it would wait for that thread for ever; `random_bytes` has no such limit."""

    @property
    def name(self) -> str: ...
    @property
    def driver(self) -> str: ...
    def bytes(self, size: int, /) -> builtins.bytes: ...
    def fill(self, buffer: Buffer, /) -> None: ...

class _Driver(TypedDict):
    """The fields of `algkit list --json`. Sizes are in bytes. A size that a type of algorithm does not have is absent."""

    name: str
    driver: str
    type: str
    priority: int
    timing: str
    cpu: builtins.list[str]
    usable: bool
    selftest: str
    blocksize: NotRequired[int]
    min_keysize: NotRequired[int]
    max_keysize: NotRequired[int]
    ivsize: NotRequired[int]
    maxauthsize: NotRequired[int]
    digestsize: NotRequired[int]

def aead(name: str, key: Buffer, /) -> Aead:
    """Makes an AEAD by its name: `gcm(aes)`, `rfc7539(chacha20,poly1305)`, …"""

def skcipher(name: str, key: Buffer, /) -> Skcipher:
    """Makes a cipher in a mode by its name: `xts(aes)`, `ctr(aes)`, `cbc(serpent)`, …"""

def hash(name: str, data: Buffer | None = None, /, *, key: Buffer | None = None) -> Hash:
    """Begins a hash by its name: `sha256`, `blake2b-512`, …; or, with a key, a MAC: `hmac(sha256)`, `cmac(aes)`, …"""

def digest_many(name: str, messages: Sequence[Buffer], /, *, key: Buffer | None = None) -> builtins.list[bytes]:
    """The digests of many messages in one call."""

def rng(name: str = "stdrng", seed: Buffer | None = None, /) -> Rng:
    """A random number generator. The DRBGs take entropy from the operating system at each request; `seed` is a personalization string."""

def random_bytes(size: int, /) -> bytes:
    """Random bytes of `stdrng`."""

def list(name: str | None = None, /) -> builtins.list[_Driver]:
    """The drivers of an algorithm, with the one that serves first; without a name, all registered drivers."""
