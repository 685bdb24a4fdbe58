// Runs a program as on another CPU: `as-cpu LEAVES… COMMAND [ARGUMENT…]`. LEAVES are the twelve registers of CPUID's leaves 0, 1 and 7
// (EAX, EBX, ECX, EDX of each), in hexadecimal.
//
// The CPU raises an exception at CPUID (CPUID faulting, ARCH_SET_CPUID in arch_prctl(2)), and this program, which traces the other,
// answers in its place. So all code in the process sees the other CPU, from the dynamic linker on. Of the features that the leaves
// list, the program sees those that this CPU has too. XGETBV raises no exception: it tells of registers of which CPUID tells nothing,
// as on a CPU whose hypervisor hides features.
#include <asm/prctl.h>
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CPUID = 0xa20f, SYSCALL = 0x050f, XSAVE = 1 << 26, OSXSAVE = 1 << 27, KERNEL = 0x80 };

static uint32_t leaf0[4], leaf1[4], leaf7[4];

static void fail(const char *what) {
    fprintf(stderr, "as-cpu: %s: %s\n", what, strerror(errno));
    exit(2);
}

// What CPUID returns for a leaf and a subleaf.
static void answer(uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
    __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
    if (leaf == 0) {
        memcpy(r, leaf0, sizeof leaf0);
    } else if (leaf == 1) {
        r[0] = leaf1[0]; // family and model; EBX has the number of the CPU that executes this
        r[2] &= leaf1[2] | (leaf1[2] & XSAVE ? OSXSAVE : 0);
        r[3] &= leaf1[3];
    } else if (leaf == 7 && subleaf == 0 && leaf0[0] >= 7) {
        r[0] = 0; // other subleaves were not recorded
        for (int i = 1; i < 4; i++) r[i] &= leaf7[i];
    } else if (leaf < 0x40000000 && (leaf == 7 || leaf > leaf0[0])) {
        memset(r, 0, 4 * sizeof *r);
    }
}

// Lets a stopped process, which has a new program, execute arch_prctl(ARCH_SET_CPUID, 0).
static void hide(pid_t pid) {
    struct user_regs_struct saved, regs;
    int status;
    // The first step ends execve.
    if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) fail("execve");
    if (ptrace(PTRACE_GETREGS, pid, 0, &saved)) fail("registers");
    errno = 0;
    long code = ptrace(PTRACE_PEEKTEXT, pid, saved.rip, 0);
    if (errno || ptrace(PTRACE_POKETEXT, pid, saved.rip, (code & ~0xffffL) | SYSCALL)) fail("code");
    regs = saved;
    regs.orig_rax = -1;
    regs.rax = SYS_arch_prctl;
    regs.rdi = ARCH_SET_CPUID;
    regs.rsi = 0;
    if (ptrace(PTRACE_SETREGS, pid, 0, &regs) || ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, __WALL) != pid
        || !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, pid, 0, &regs)) fail("arch_prctl");
    if (regs.rax != 0) {
        fputs("as-cpu: this CPU or its hypervisor has no CPUID faulting (cpuid_fault in /proc/cpuinfo)\n", stderr);
        exit(2);
    }
    if (ptrace(PTRACE_POKETEXT, pid, saved.rip, code) || ptrace(PTRACE_SETREGS, pid, 0, &saved)) fail("registers");
}

// Executes CPUID for a process that has got SIGSEGV, if that was the reason; returns whether it was.
static int emulated(pid_t pid) {
    siginfo_t info;
    struct user_regs_struct regs;
    uint32_t r[4];
    if (ptrace(PTRACE_GETSIGINFO, pid, 0, &info) || info.si_code != KERNEL || ptrace(PTRACE_GETREGS, pid, 0, &regs)) return 0;
    errno = 0;
    if ((uint16_t)ptrace(PTRACE_PEEKTEXT, pid, regs.rip, 0) != CPUID || errno) return 0;
    answer(regs.rax, regs.rcx, r);
    regs.rax = r[0], regs.rbx = r[1], regs.rcx = r[2], regs.rdx = r[3];
    regs.rip += 2;
    return !ptrace(PTRACE_SETREGS, pid, 0, &regs);
}

int main(int argc, char **argv) {
    if (argc < 14) return fputs("usage: as-cpu LEAVES… COMMAND [ARGUMENT…]\n", stderr), 2;
    uint32_t *leaves[] = {leaf0, leaf1, leaf7};
    for (int i = 0; i < 12; i++) leaves[i / 4][i % 4] = strtoul(argv[1 + i], NULL, 16);
    pid_t first = fork();
    if (first < 0) fail("fork");
    if (first == 0) {
        raise(SIGSTOP);
        execvp(argv[13], argv + 13);
        fprintf(stderr, "as-cpu: %s: %s\n", argv[13], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status;
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
    waitpid(first, &status, WUNTRACED);
    if (ptrace(PTRACE_SEIZE, first, 0, options)) fail("ptrace");
    kill(first, SIGCONT);
    // Signals of the terminal are for the program.
    signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN);
    int result = 2;
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            if (pid == first) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int sig = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_STOP && (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)) {
            ptrace(PTRACE_LISTEN, pid, 0, 0);
            continue;
        }
        if (event == PTRACE_EVENT_EXEC) hide(pid);
        if (event || sig == SIGTRAP || (sig == SIGSEGV && emulated(pid))) sig = 0;
        ptrace(PTRACE_CONT, pid, 0, sig);
    }
    return result;
}
