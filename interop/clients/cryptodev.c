/* /dev/crypto, by the published interface of cryptodev-linux: sessions, ciphers, hashes and GCM. */
#include "check.h"
#include "crypto/cryptodev.h"
#include "vectors.h"
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    uint8_t key[16], iv[16], text[128], out[128], back[128], tag[16];
    int device = open("/dev/crypto", O_RDWR | O_CLOEXEC);
    CHECK(device >= 0);
    uint32_t clone = 0;
    CHECK(ioctl(device, CRIOGET, &clone) == 0 && (int)clone >= 0 && (int)clone != device);
    close(clone);

    unhex(key, SP38A_KEY);
    unhex(text, SP38A_TEXT);
    struct session_op s = {.cipher = CRYPTO_AES_CBC, .keylen = 16, .key = key};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    unhex(iv, SP38A_IV);
    struct crypt_op c = {s.ses, COP_ENCRYPT, COP_FLAG_WRITE_IV, 32, text, out, NULL, iv};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0);
    c.src = text + 32, c.dst = out + 32; /* continues with the IV that was written */
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, SP38A_CBC));
    unhex(iv, SP38A_IV);
    c = (struct crypt_op){s.ses, COP_DECRYPT, 0, 64, out, back, NULL, iv};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && !memcmp(back, text, 64));
    c.len = 15;
    CHECK(ioctl(device, CIOCCRYPT, &c) == -1 && errno == EINVAL);
    CHECK(ioctl(device, CIOCFSESSION, &s.ses) == 0);
    CHECK(ioctl(device, CIOCCRYPT, &c) == -1 && errno == EINVAL);

    s = (struct session_op){.mac = CRYPTO_SHA2_256};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    c = (struct crypt_op){s.ses, COP_ENCRYPT, 0, 3, (uint8_t *)"abc", NULL, out, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, SHA256_ABC));
    c = (struct crypt_op){s.ses, COP_ENCRYPT, COP_FLAG_UPDATE, 1, (uint8_t *)"a", NULL, NULL, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0);
    c = (struct crypt_op){s.ses, COP_ENCRYPT, COP_FLAG_UPDATE, 2, (uint8_t *)"bc", NULL, NULL, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0);
    memset(out, 0, 32);
    c = (struct crypt_op){s.ses, COP_ENCRYPT, COP_FLAG_FINAL, 0, NULL, NULL, out, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, SHA256_ABC));

    s = (struct session_op){.mac = CRYPTO_SHA2_256_HMAC, .mackeylen = 4, .mackey = (uint8_t *)JEFE};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    c = (struct crypt_op){s.ses, COP_ENCRYPT, 0, strlen(JEFE_TEXT), (uint8_t *)JEFE_TEXT, NULL, out, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, JEFE_SHA256));

    unhex(key, GCM_KEY);
    unhex(iv, GCM_IV);
    uint8_t aad[32];
    size_t aad_len = unhex(aad, GCM_AAD), len = unhex(text, GCM_TEXT);
    s = (struct session_op){.cipher = CRYPTO_AES_GCM, .keylen = 16, .key = key};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    struct crypt_auth_op a = {s.ses, COP_ENCRYPT, 0, len, aad_len, aad, text, out, tag, 16, iv, 12};
    CHECK(ioctl(device, CIOCAUTHCRYPT, &a) == 0 && is(out, GCM_SEALED GCM_TAG));
    a = (struct crypt_auth_op){s.ses, COP_DECRYPT, 0, len + 16, aad_len, aad, out, back, tag, 16, iv, 12};
    CHECK(ioctl(device, CIOCAUTHCRYPT, &a) == 0 && !memcmp(back, text, len));
    out[0] ^= 1;
    CHECK(ioctl(device, CIOCAUTHCRYPT, &a) == -1 && errno == EBADMSG);
    CHECK(ioctl(device, _IO('c', 200), NULL) == -1);
    close(device);
    return done();
}
