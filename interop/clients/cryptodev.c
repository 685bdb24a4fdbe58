/* /dev/crypto, by the published interface of cryptodev-linux: sessions, ciphers, hashes and GCM. */
#include "check.h"
#include "vectors.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct session {
    uint32_t cipher, mac, key_len;
    const uint8_t *key;
    uint32_t mac_key_len;
    const uint8_t *mac_key;
    uint32_t id;
};
struct crypt {
    uint32_t session;
    uint16_t op, flags;
    uint32_t len;
    const uint8_t *src;
    uint8_t *dst, *mac, *iv;
};
struct auth_crypt {
    uint32_t session;
    uint16_t op, flags;
    uint32_t len, auth_len;
    const uint8_t *auth_src, *src;
    uint8_t *dst, *tag;
    uint32_t tag_len;
    uint8_t *iv;
    uint32_t iv_len;
};
#define CRIOGET _IOWR('c', 101, uint32_t)
#define CIOCGSESSION _IOWR('c', 102, struct session)
#define CIOCFSESSION _IOW('c', 103, uint32_t)
#define CIOCCRYPT _IOWR('c', 104, struct crypt)
#define CIOCAUTHCRYPT _IOWR('c', 109, struct auth_crypt)
enum { AES_CBC = 11, SHA1 = 14, SHA2_256_HMAC = 18, AES_GCM = 50, SHA2_256 = 104 };
enum { ENCRYPT, DECRYPT };
enum { UPDATE = 1 << 0, FINAL = 1 << 1, WRITE_IV = 1 << 2 };

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
    struct session s = {.cipher = AES_CBC, .key_len = 16, .key = key};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    unhex(iv, SP38A_IV);
    struct crypt c = {s.id, ENCRYPT, WRITE_IV, 32, text, out, NULL, iv};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0);
    c.src = text + 32, c.dst = out + 32; /* the IV that was written goes on */
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, SP38A_CBC));
    unhex(iv, SP38A_IV);
    c = (struct crypt){s.id, DECRYPT, 0, 64, out, back, NULL, iv};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && !memcmp(back, text, 64));
    c.len = 15;
    CHECK(ioctl(device, CIOCCRYPT, &c) == -1 && errno == EINVAL);
    CHECK(ioctl(device, CIOCFSESSION, &s.id) == 0);
    CHECK(ioctl(device, CIOCCRYPT, &c) == -1 && errno == EINVAL);

    s = (struct session){.mac = SHA2_256};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    c = (struct crypt){s.id, ENCRYPT, 0, 3, (uint8_t *)"abc", NULL, out, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, SHA256_ABC));
    c = (struct crypt){s.id, ENCRYPT, UPDATE, 1, (uint8_t *)"a", NULL, NULL, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0);
    c = (struct crypt){s.id, ENCRYPT, UPDATE, 2, (uint8_t *)"bc", NULL, NULL, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0);
    memset(out, 0, 32);
    c = (struct crypt){s.id, ENCRYPT, FINAL, 0, NULL, NULL, out, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, SHA256_ABC));

    s = (struct session){.mac = SHA2_256_HMAC, .mac_key_len = 4, .mac_key = (uint8_t *)JEFE};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    c = (struct crypt){s.id, ENCRYPT, 0, strlen(JEFE_TEXT), (uint8_t *)JEFE_TEXT, NULL, out, NULL};
    CHECK(ioctl(device, CIOCCRYPT, &c) == 0 && is(out, JEFE_SHA256));

    unhex(key, GCM_KEY);
    unhex(iv, GCM_IV);
    uint8_t aad[32];
    size_t aad_len = unhex(aad, GCM_AAD), len = unhex(text, GCM_TEXT);
    s = (struct session){.cipher = AES_GCM, .key_len = 16, .key = key};
    CHECK(ioctl(device, CIOCGSESSION, &s) == 0);
    struct auth_crypt a = {s.id, ENCRYPT, 0, len, aad_len, aad, text, out, tag, 16, iv, 12};
    CHECK(ioctl(device, CIOCAUTHCRYPT, &a) == 0 && is(out, GCM_SEALED GCM_TAG));
    a = (struct auth_crypt){s.id, DECRYPT, 0, len + 16, aad_len, aad, out, back, tag, 16, iv, 12};
    CHECK(ioctl(device, CIOCAUTHCRYPT, &a) == 0 && !memcmp(back, text, len));
    out[0] ^= 1;
    CHECK(ioctl(device, CIOCAUTHCRYPT, &a) == -1 && errno == EBADMSG);
    CHECK(ioctl(device, _IO('c', 200), NULL) == -1);
    close(device);
    return done();
}
