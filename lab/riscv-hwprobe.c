// The system call riscv_hwprobe, for programs under an emulator that does not have it (QEMU 8.2 does, 7.2 does not).
// Preloaded into a program, it stands in front of the C library's `syscall`.
//
// It tries an instruction of each extension, once and before the program has threads, and answers with those that were not illegal. So a program finds what the
// option -cpu gives it, as under a kernel on such a CPU. Zkt, constant time, cannot be found out by trying, and an emulator does
// not have it: it is answered so that the drivers can be tested.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>

enum { HWPROBE = 258, IMA_EXT_0 = 4, ZKT = 1 << 16 };

static sigjmp_buf illegal;
static void caught(int signal) { siglongjmp(illegal, signal); }

#define TRY(extension, instruction, operands) \
    static void instruction(void) { \
        __asm__ volatile(".option push\n.option arch, +" #extension "\n" #instruction " " operands "\n.option pop"); \
    }
TRY(zbb, rev8, "zero, a0")
TRY(zbkc, clmul, "zero, a0, a0")
TRY(zbkc, clmulh, "zero, a0, a0")
TRY(zknd, aes64dsm, "zero, a0, a0")
TRY(zkne, aes64esm, "zero, a0, a0")
TRY(zknh, sha512sig0, "zero, a0")

// The bits of the answer (asm/hwprobe.h), and what has to run for each.
static const struct { uint64_t bit; void (*try[2])(void); } extensions[] = {
    {1 << 4, {rev8}}, {1 << 9, {clmul, clmulh}}, {1 << 11, {aes64dsm}}, {1 << 12, {aes64esm}}, {1 << 13, {sha512sig0}},
};

static volatile uint64_t bits = ZKT;

__attribute__((constructor)) static void try_all(void) {
    struct sigaction action = {.sa_handler = caught}, before;
    sigaction(SIGILL, &action, &before);
    static volatile unsigned i;
    for (i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (sigsetjmp(illegal, 1)) continue;
        for (int n = 0; n < 2 && extensions[i].try[n]; n++) extensions[i].try[n]();
        bits |= extensions[i].bit;
    }
    sigaction(SIGILL, &before, 0);
}

struct pair { int64_t key; uint64_t value; };

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (number == HWPROBE) {
        struct pair *pairs = (struct pair *)a[0];
        for (long i = 0; i < a[1]; i++) {
            if (pairs[i].key == IMA_EXT_0) pairs[i].value = bits;
            else pairs[i].key = -1;
        }
        return 0;
    }
    register long a0 __asm__("a0") = a[0], a1 __asm__("a1") = a[1], a2 __asm__("a2") = a[2];
    register long a3 __asm__("a3") = a[3], a4 __asm__("a4") = a[4], a5 __asm__("a5") = a[5], a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
    if (a0 < 0 && a0 >= -4095) { errno = -a0; return -1; }
    return a0;
}
