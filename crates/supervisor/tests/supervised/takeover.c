/* Takes its parent over, and exits with 0 if it cannot: as its tracer, or by its descriptors. */
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    if (ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0)
        return 1;
    int parent = syscall(SYS_pidfd_open, getppid(), 0);
    for (int fd = 0; fd < 64; fd++)
        if (syscall(SYS_pidfd_getfd, parent, fd, 0) >= 0)
            return 2;
    return parent < 0 ? 3 : 0;
}
