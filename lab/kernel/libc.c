/* Functions of the kernel that libc provides, under the kernel's names. */
#define _GNU_SOURCE
#include <ctype.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Messages go to stderr. */
int printk(const char *text, ...) {
    va_list args;
    va_start(args, text);
    int n = vfprintf(stderr, text, args);
    va_end(args);
    return n;
}

void panic(const char *text, ...) {
    va_list args;
    va_start(args, text);
    vfprintf(stderr, text, args);
    abort();
}

void lab_bug(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: BUG: %s\n", file, line, what);
    abort();
}

void lab_warn(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: WARNING: %s\n", file, line, what);
}

void print_hex_dump(const char *level, const char *prefix, int type, int row, int group, const void *bytes, size_t len, bool ascii) {
    const uint8_t *p = bytes;
    for (size_t i = 0; i < len; i++) fprintf(stderr, "%s%02x%s", i % row ? "" : prefix, p[i], i % row == row - 1 || i == len - 1 ? "\n" : " ");
}

/* The kernel's allocations are aligned to their own size, if that is a power of two; drivers rely on it for vectors. */
void *lab_memory(size_t len, bool zero) {
    size_t align = len < 16 || len & (len - 1) ? 16 : len > 4096 ? 4096 : len;
    void *at;
    if (posix_memalign(&at, align, len)) return NULL;
    return zero ? memset(at, 0, len) : at;
}
void kfree(const void *at) { free((void *)at); }
void kfree_sensitive(const void *at) {
    if (at) explicit_bzero((void *)at, malloc_usable_size((void *)at));
    free((void *)at);
}
void *kmemdup(const void *from, size_t len, unsigned flags) {
    void *to = lab_memory(len, false);
    return to ? memcpy(to, from, len) : to;
}
unsigned long __get_free_pages(unsigned flags, unsigned order) {
    void *at = aligned_alloc(4096, 4096ul << order);
    return (unsigned long)(flags & 16 ? memset(at, 0, 4096ul << order) : at);
}
void free_pages(unsigned long at, unsigned order) { free((void *)at); }

long strscpy(char *to, const char *from, size_t room) {
    size_t len = strnlen(from, room);
    if (!room) return -7;
    memcpy(to, from, len == room ? len - 1 : len);
    to[len == room ? len - 1 : len] = 0;
    return len == room ? -7 : (long)len;
}

/* A kernel thread runs where it is started. It may end itself before its function returns. */
static jmp_buf *running;
extern char lab_task;
void *lab_run(int (*function)(void *), void *data) {
    jmp_buf end, *outer = running;
    running = &end;
    if (!setjmp(end)) function(data);
    running = outer;
    return &lab_task;
}
void lab_exit(void) { longjmp(*running, 1); }

uint64_t ktime_get_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}
unsigned long lab_jiffies(void) { return ktime_get_ns() / 10000000; }
unsigned long long get_cycles(void) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return ktime_get_ns();
#endif
}
void msleep(unsigned milliseconds) { usleep(milliseconds * 1000); }
void get_random_bytes(void *at, size_t len) {
    for (ssize_t n; len; at += n, len -= n)
        if ((n = getrandom(at, len > 256 ? 256 : len, 0)) < 0) abort();
}

#ifdef __x86_64__
#include <cpuid.h>
/* The kernel numbers CPU features in words of 32 bits. These words are CPUID's. */
uint32_t lab_features[32];
struct { uint32_t family, vendor, model, vfm; } boot_cpu_data;
static const struct { uint32_t leaf, subleaf; int reg, word; } leaves[] = {
    { 1, 0, 3, 0 }, { 0x80000001, 0, 3, 1 }, { 1, 0, 2, 4 }, { 0x80000001, 0, 2, 6 }, { 7, 0, 1, 9 }, { 7, 1, 0, 12 }, { 7, 0, 2, 16 }, { 7, 0, 3, 18 },
};
static uint64_t xcr0;
__attribute__((constructor)) static void features(void) {
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        uint32_t r[4] = { 0 };
        __get_cpuid_count(leaves[i].leaf, leaves[i].subleaf, &r[0], &r[1], &r[2], &r[3]);
        lab_features[leaves[i].word] = r[leaves[i].reg];
    }
    uint32_t low = 0, high = 0, eax, ebx, ecx, edx;
    __cpuid(0, eax, ebx, ecx, edx);
    boot_cpu_data.vendor = ebx == signature_INTEL_ebx ? 0 : 2;
    __cpuid(1, eax, ebx, ecx, edx);
    boot_cpu_data.family = (eax >> 8 & 15) + (eax >> 20 & 255);
    boot_cpu_data.model = (eax >> 4 & 15) | (eax >> 12 & 0xf0);
    boot_cpu_data.vfm = boot_cpu_data.vendor << 16 | boot_cpu_data.family << 8 | boot_cpu_data.model;
    if (lab_features[4] >> 27 & 1) __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    xcr0 = (uint64_t)high << 32 | low;
}
bool cpu_has_xfeatures(uint64_t wanted, const char **missing) {
    if (missing) *missing = "vector registers";
    return (xcr0 & wanted) == wanted;
}
struct x86_cpu_id { uint32_t feature, model; };
const struct x86_cpu_id *x86_match_cpu(const struct x86_cpu_id *match) {
    for (; match->feature || match->model; match++)
        if (match->model ? match->model == boot_cpu_data.vfm : lab_features[match->feature / 32] >> match->feature % 32 & 1) return match;
    return NULL;
}
#endif

#ifdef __aarch64__
#include <sys/auxv.h>
bool lab_has(const char *feature) {
    static const struct { const char *name; unsigned bit; } bits[] = {
        { "ASIMD", 1 }, { "AES", 3 }, { "PMULL", 4 }, { "SHA1", 5 }, { "SHA2", 6 }, { "SHA3", 17 }, { "SM3", 18 }, { "SM4", 19 }, { "SHA512", 21 },
    };
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (!strcmp(bits[i].name, feature)) return getauxval(AT_HWCAP) >> bits[i].bit & 1;
    return false;
}
#endif
