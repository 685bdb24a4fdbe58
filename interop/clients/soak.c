/* Runs hostile and honest programs under one supervisor, and measures how long the honest ones wait and how much memory the supervisor
 * takes.
 *
 * soak [SECONDS]: starts eight hostile and two honest programs. Every ten seconds, and at the end, it prints the supervisor's memory. At
 * the end, it prints for each honest program the number of rounds (a file opened, a request of cbc(aes)), the longest wait of both
 * calls and when that was, and a histogram of the waits. An eleventh program asks for nothing and sleeps for a millisecond again and
 * again. How much later it woke, and when, shows how long the machine itself lets programs wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* AES-128-CBC of SP 800-38A, F.2.1: key, IV, first block of plaintext and of ciphertext. */
static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const uint8_t iv[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t text[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
static const uint8_t secret[16] = {0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d};

/* The numbers of waits of up to 1 ms, 2 ms, 4 ms, and so on. */
#define CLASSES 11

struct honest {
    unsigned long rounds, waits[CLASSES];
    struct worst {
        double wait, at;
    } open, request;
    int failed;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Remembers a wait of `wait` seconds that ended at `at`, if none was longer. */
static void remember(struct worst *worst, double wait, double at)
{
    if (wait > worst->wait)
        *worst = (struct worst){wait, at};
}

static void stand_by(struct worst *worst)
{
    for (;;) {
        double start = now();
        usleep(1000);
        double woken = now();
        remember(worst, woken - start - 1e-3, woken);
    }
}

static int operation(const char *type, const char *name, const void *its_key)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG};
    snprintf((char *)address.salg_type, sizeof address.salg_type, "%s", type);
    snprintf((char *)address.salg_name, sizeof address.salg_name, "%s", name);
    int transform = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), socket = -1;
    if (transform >= 0 && bind(transform, (struct sockaddr *)&address, sizeof address) == 0 &&
        (!its_key || setsockopt(transform, SOL_ALG, ALG_SET_KEY, its_key, 16) == 0))
        socket = accept4(transform, NULL, NULL, SOCK_CLOEXEC);
    close(transform);
    return socket;
}

static void be_honest(struct honest *self)
{
    int cbc = operation("skcipher", "cbc(aes)", key);
    char control[CMSG_SPACE(4) + CMSG_SPACE(20)] __attribute__((aligned(8))) = {0};
    struct iovec piece = {(void *)text, 16};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_OP};
    memcpy(CMSG_DATA(c), &(uint32_t){ALG_OP_ENCRYPT}, 4);
    c = CMSG_NXTHDR(&message, c);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(20), .cmsg_level = SOL_ALG, .cmsg_type = ALG_SET_IV};
    memcpy(CMSG_DATA(c), &(uint32_t){16}, 4);
    memcpy(CMSG_DATA(c) + 4, iv, 16);
    for (;; self->rounds++) {
        uint8_t result[16] = {0};
        double start = now();
        int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
        double opened = now();
        if (file < 0 || sendmsg(cbc, &message, 0) != 16 || read(cbc, result, 16) != 16 || memcmp(result, secret, 16)) {
            self->failed = errno ? errno : -1;
            return;
        }
        double done = now();
        close(file);
        const double both[2] = {opened - start, done - opened};
        for (int i = 0; i < 2; i++) {
            int class = 0;
            while (class < CLASSES - 1 && both[i] > 1e-3 * (1 << class))
                class++;
            self->waits[class]++;
        }
        remember(&self->open, opened - start, opened);
        remember(&self->request, done - opened, done);
        usleep(500);
    }
}

static void *send_page(void *page)
{
    int hash = operation("hash", "sha256", NULL);
    send(hash, page, 4096, MSG_MORE);
    return NULL;
}

/* Threads that wait for a page that is never provided, until the process ends. */
static void stick(void)
{
    struct uffdio_api api = {.api = UFFD_API};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register where = {{(uintptr_t)page, 4096}, UFFDIO_REGISTER_MODE_MISSING, 0};
    int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
    if (ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &where) < 0) {
        perror("soak: userfaultfd");
        _exit(1);
    }
    for (int i = 0; i < 12; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, send_page, page);
    }
    usleep(300000);
    _exit(0);
}

static void on_alarm(int signal)
{
    (void)signal;
}

static void be_hostile(int kind)
{
    static uint8_t large[1 << 20];
    for (unsigned long n = 0;; n++) {
        int sockets[300], status;
        switch (kind) {
        case 0: /* opening and closing */
            close(operation("hash", "sha256", NULL));
            break;
        case 1: { /* long requests */
            int hash = operation("hash", "wp512", NULL);
            for (int i = 0; i < 20; i++)
                send(hash, large, sizeof large, MSG_MORE);
            close(hash);
            break;
        }
        case 2: /* a buffer in a page that is never provided */
            if (fork() == 0)
                stick();
            wait(&status);
            break;
        case 3: /* children, each with a socket */
            if (fork() == 0) {
                operation("hash", "sha1", NULL);
                _exit(0);
            }
            wait(&status);
            break;
        case 4: { /* random arguments */
            int hash = operation("hash", "sha256", NULL);
            for (int i = 0; i < 1000; i++)
                syscall((long[]){SYS_sendmsg, SYS_recvmsg, SYS_setsockopt, SYS_ioctl, SYS_writev, SYS_bind}[random() % 6], hash,
                        random() % 3 ? (uintptr_t)large + random() % 4096 : (uintptr_t)random(), random() % 64, random() % 64,
                        random() % 64, MSG_DONTWAIT);
            close(hash);
            break;
        }
        case 5: { /* calls that signals interrupt */
            struct sigaction action = {.sa_handler = on_alarm};
            struct itimerval timer = {{0, 200}, {0, 200}};
            sigaction(SIGALRM, &action, NULL);
            setitimer(ITIMER_REAL, &timer, NULL);
            int hash = operation("hash", "sha256", NULL);
            for (int i = 0; i < 100; i++)
                send(hash, large, 100, MSG_MORE);
            close(hash);
            break;
        }
        case 6: { /* a new name in each request */
            static const char *hashes[] = {"sha1", "sha256", "sha512", "md5", "sha3-256", "blake2b-512", "wp512", "rmd160"};
            static const char *ciphers[] = {"aes", "camellia", "serpent", "twofish", "cast5", "des3_ede", "blowfish", "sm4"};
            static const char *modes[] = {"cbc", "ctr", "rfc3686(ctr", "xts", "lrw", "pcbc"};
            char name[64];
            snprintf(name, sizeof name, "authenc(hmac(%s),%s(%s))", hashes[random() % 8], modes[random() % 6], ciphers[random() % 8]);
            close(operation("aead", name, NULL));
            break;
        }
        default: /* as many sockets as possible */
            for (int i = 0; i < 300; i++)
                sockets[i] = socket(AF_ALG, SOCK_SEQPACKET, 0);
            for (int i = 0; i < 300; i++)
                close(sockets[i]);
        }
    }
}

static long memory(void)
{
    char path[64], line[256];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%d/status", getppid());
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmRSS: %ld", &kib);
    if (status)
        fclose(status);
    return kib;
}

int main(int argc, char **argv)
{
    const int seconds = argc > 1 ? atoi(argv[1]) : 60;
    struct honest *honest = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct worst *bystander = &honest[2].open;
    const double start = now();
    pid_t children[11];
    for (int i = 0; i < 11; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (i < 2)
                be_honest(&honest[i]);
            else if (i == 10)
                stand_by(bystander);
            else
                be_hostile(i - 2);
            _exit(0);
        }
    }
    for (int second = 0; second < seconds; second++) {
        if (second % 10 == 0) {
            printf("after %4d s: %6ld KiB\n", second, memory());
            fflush(stdout);
        }
        sleep(1);
    }
    printf("after %4d s: %6ld KiB\n", seconds, memory());
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        printf("honest %d: %lu rounds, worst wait %.1f ms for open (after %.1f s), %.1f ms for a request (after %.1f s)", i,
               honest[i].rounds, honest[i].open.wait * 1e3, honest[i].open.at - start, honest[i].request.wait * 1e3,
               honest[i].request.at - start);
        printf(honest[i].failed ? "; FAILED: %s\n" : "\n", strerror(honest[i].failed));
        failed |= honest[i].failed;
    }
    printf("without any request: woken %.1f ms late (after %.1f s)\n", bystander->wait * 1e3, bystander->at - start);
    for (int class = 0; class < CLASSES; class++) {
        unsigned long waits = honest[0].waits[class] + honest[1].waits[class];
        if (waits)
            printf("%s %4d ms: %8lu waits\n", class < CLASSES - 1 ? "up to" : "above", 1 << (class < CLASSES - 1 ? class : class - 1), waits);
    }
    for (int i = 0; i < 11; i++)
        kill(children[i], SIGKILL);
    while (wait(NULL) > 0)
        ;
    return failed ? 1 : 0;
}
