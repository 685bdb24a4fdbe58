/* The published interface of /dev/crypto (cryptodev-linux, crypto/cryptodev.h): numbers and structures, as far as they are used here. */
#ifndef CRYPTODEV_H
#define CRYPTODEV_H

#include <stdint.h>
#include <sys/ioctl.h>

enum {
    CRYPTO_DES_CBC = 1,
    CRYPTO_3DES_CBC = 2,
    CRYPTO_BLF_CBC = 3,
    CRYPTO_CAST_CBC = 4,
    CRYPTO_AES_CBC = 11,
    CRYPTO_ARC4 = 12,
    CRYPTO_MD5 = 13,
    CRYPTO_SHA1 = 14,
    CRYPTO_SHA2_256_HMAC = 18,
    CRYPTO_AES_CTR = 21,
    CRYPTO_AES_ECB = 23,
    CRYPTO_AES_GCM = 50,
    CRYPTO_CAMELLIA_CBC = 101,
    CRYPTO_RIPEMD160 = 102,
    CRYPTO_SHA2_224 = 103,
    CRYPTO_SHA2_256 = 104,
    CRYPTO_SHA2_384 = 105,
    CRYPTO_SHA2_512 = 106,
};

enum { COP_ENCRYPT, COP_DECRYPT };
#define COP_FLAG_UPDATE (1 << 0)
#define COP_FLAG_FINAL (1 << 1)
#define COP_FLAG_WRITE_IV (1 << 2)
#define SIOP_FLAG_KERNEL_DRIVER_ONLY 1
#define CRYPTODEV_MAX_ALG_NAME 64
#define HASH_MAX_LEN 64

struct session_op {
    uint32_t cipher, mac, keylen;
    uint8_t *key;
    uint32_t mackeylen;
    uint8_t *mackey;
    uint32_t ses;
};

struct session_info_op {
    uint32_t ses;
    struct alg_info {
        char cra_name[CRYPTODEV_MAX_ALG_NAME], cra_driver_name[CRYPTODEV_MAX_ALG_NAME];
    } cipher_info, hash_info;
    uint16_t alignmask;
    uint32_t flags;
};

struct crypt_op {
    uint32_t ses;
    uint16_t op, flags;
    uint32_t len;
    uint8_t *src, *dst, *mac, *iv;
};

struct crypt_auth_op {
    uint32_t ses;
    uint16_t op, flags;
    uint32_t len, auth_len;
    uint8_t *auth_src, *src, *dst, *tag;
    uint32_t tag_len;
    uint8_t *iv;
    uint32_t iv_len;
};

struct cphash_op {
    uint32_t dst_ses, src_ses;
};

#define CRIOGET _IOWR('c', 101, uint32_t)
#define CIOCGSESSION _IOWR('c', 102, struct session_op)
#define CIOCFSESSION _IOW('c', 103, uint32_t)
#define CIOCCRYPT _IOWR('c', 104, struct crypt_op)
#define CIOCGSESSINFO _IOWR('c', 107, struct session_info_op)
#define CIOCAUTHCRYPT _IOWR('c', 109, struct crypt_auth_op)
#define CIOCCPHASH _IOW('c', 112, struct cphash_op)

#endif
