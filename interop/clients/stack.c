/* Makes requests to all drivers of hashes, ciphers, AEADs and generators in a thread with a stack of 64 KiB. All of them compute on that
 * stack, and the list of drivers makes them test themselves there. A larger need ends the program by SIGSEGV. */
#include "check.h"
#include <linux/if_alg.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static unsigned made, answered;
static uint8_t text[1 << 16], into[(1 << 16) + 64];

static void set_key(int transform)
{
    static const int lengths[] = {32, 16, 64, 24, 20, 36, 8, 40, 48, 4, 1088};
    uint8_t key[1088];
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = 7 * i + 3;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (setsockopt(transform, SOL_ALG, ALG_SET_KEY, key, lengths[i]) == 0)
            return;
}

static void request(const char *type, const char *driver, unsigned iv_len)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG};
    if (strlen(driver) >= sizeof address.salg_name)
        return;
    strcpy((char *)address.salg_type, type);
    strcpy((char *)address.salg_name, driver);
    int transform = socket(AF_ALG, SOCK_SEQPACKET, 0);
    CHECK(transform >= 0 && bind(transform, (struct sockaddr *)&address, sizeof address) == 0);
    set_key(transform);
    int op = accept(transform, NULL, NULL);
    CHECK(op >= 0);
    struct {
        struct cmsghdr head;
        uint32_t op, pad;
        struct cmsghdr iv_head;
        uint32_t iv_len;
        uint8_t iv[40];
    } c = {.head = {CMSG_LEN(4), SOL_ALG, ALG_SET_OP},
           .op = ALG_OP_ENCRYPT,
           .iv_head = {CMSG_LEN(4 + iv_len), SOL_ALG, ALG_SET_IV},
           .iv_len = iv_len,
           .iv = {1}};
    struct iovec piece = {text, sizeof text};
    struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &c,
                       .msg_controllen = CMSG_SPACE(4) + CMSG_SPACE(4 + iv_len)};
    ssize_t wanted = sizeof text;
    if (!strcmp(type, "hash")) {
        m.msg_controllen = 0;
        wanted = 64;
    } else if (!strcmp(type, "rng")) {
        wanted = 128;
    } else if (!strcmp(type, "aead")) {
        wanted = sizeof into;
    }
    made++;
    if (!strcmp(type, "rng") || sendmsg(op, &m, 0) == sizeof text)
        answered += recv(op, into, wanted, MSG_DONTWAIT) > 0;
    CHECK(close(op) == 0 && close(transform) == 0);
}

static void *all(void *unused)
{
    FILE *list = fopen("/proc/crypto", "r");
    CHECK(list);
    char line[256], driver[128] = "", type[32] = "";
    unsigned iv_len = 0;
    while (fgets(line, sizeof line, list)) {
        sscanf(line, "driver : %127s", driver);
        sscanf(line, "type : %31s", type);
        sscanf(line, "ivsize : %u", &iv_len);
        if (*line != '\n')
            continue;
        if (!strcmp(type, "shash") || !strcmp(type, "ahash"))
            strcpy(type, "hash");
        if (iv_len <= 36 && (!strcmp(type, "hash") || !strcmp(type, "skcipher") || !strcmp(type, "aead") || !strcmp(type, "rng")))
            request(type, driver, iv_len);
        iv_len = 0;
    }
    fclose(list);
    return unused;
}

int main(void)
{
    pthread_attr_t with;
    pthread_t thread;
    CHECK(pthread_attr_init(&with) == 0 && pthread_attr_setstacksize(&with, 64 << 10) == 0);
    CHECK(pthread_create(&thread, &with, all, NULL) == 0 && pthread_join(thread, NULL) == 0);
    /* Some take other keys or texts. */
    CHECK(made > 50 && answered > made / 10 * 8);
    return done();
}
