/* Starts a program in one of all possible ways, with an empty environment: starts WAY PROGRAM. With `errors`, prints the
 * results of calls with invalid arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *nothing[] = {NULL};

static void start(const char *way, char *program, char **arguments, char **environment)
{
    if (!strcmp(way, "execve"))
        execve(program, arguments, environment);
    else if (!strcmp(way, "execv"))
        execv(program, arguments);
    else if (!strcmp(way, "execvp"))
        execvp(program, arguments);
    else if (!strcmp(way, "execvpe"))
        execvpe(program, arguments, environment);
    else if (!strcmp(way, "execl"))
        execl(program, program, "1", "2", "3", "4", "5", "6", "7", "8", NULL);
    else if (!strcmp(way, "execlp"))
        execlp(program, program, "1", "2", "3", "4", "5", "6", "7", NULL);
    else if (!strcmp(way, "execle"))
        execle(program, program, "1", "2", "3", "4", "5", "6", NULL, environment);
    else if (!strcmp(way, "fexecve"))
        fexecve(open(program, O_RDONLY), arguments, environment);
    else if (!strcmp(way, "execveat"))
        execveat(AT_FDCWD, program, arguments, environment, 0);
    else if (!strcmp(way, "syscall"))
        syscall(SYS_execve, program, arguments, environment);
    else
        fprintf(stderr, "no such way: %s\n", way);
    perror(way);
    _exit(1);
}

static int errors(void)
{
    static char long_string[1 << 17], *many[1 << 12] = {"A=1"};
    char *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *arguments[] = {"x", NULL}, *bad[] = {"A=1", hole, NULL}, *with_hole[] = {"LD_PRELOAD=", hole, NULL};
    memset(long_string, 'x', sizeof long_string - 1);
    for (unsigned i = 1; i < 4095; i++)
        many[i] = long_string;
    struct {
        const char *path;
        char **arguments, **environment;
    } calls[] = {
        {NULL, arguments, nothing},
        {hole, arguments, nothing},
        {"/no/such/program", arguments, nothing},
        {"/etc/passwd/x", arguments, nothing},
        {"/", arguments, nothing},
        {"/etc/passwd", arguments, nothing},
        {"", arguments, nothing},
        {"/bin/true", (char **)hole, nothing},
        {"/bin/true", arguments, (char **)hole},
        {"/bin/true", arguments, (char **)1},
        {"/bin/true", arguments, bad},
        {"/bin/true", arguments, with_hole},
        {"/bin/true", arguments, many},
        {"/dev/null", arguments, nothing},
    };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        pid_t child;
        errno = 0;
        int answer = execve(calls[i].path, calls[i].arguments, calls[i].environment);
        printf("%u: execve %d %s\n", i, answer, strerror(errno));
        answer = execveat(AT_FDCWD, calls[i].path, calls[i].arguments, calls[i].environment, AT_EMPTY_PATH);
        printf("%u: execveat %d %s\n", i, answer, strerror(errno));
        /* The C library looks at these itself, and ends the program. */
        if (calls[i].path == NULL || calls[i].arguments == (char **)hole)
            continue;
        answer = posix_spawn(&child, calls[i].path, NULL, NULL, calls[i].arguments, calls[i].environment);
        printf("%u: posix_spawn %s\n", i, strerror(answer));
    }
    printf("fexecve %d %s\n", fexecve(-1, arguments, nothing), strerror(errno));
    printf("execvp %d %s\n", execvp("no-such-program", arguments), strerror(errno));
    printf("execl %d %s\n", execl("/no/such/program", "x", "1", "2", "3", "4", "5", "6", NULL), strerror(errno));
    return 0;
}

int main(int count, char **given)
{
    if (count == 2 && !strcmp(given[1], "errors"))
        return errors();
    const char *way = given[1];
    char *program = given[2], *arguments[] = {program, NULL};
    int status;
    pid_t child;
    clearenv();
    if (!strncmp(way, "posix_spawn", 11)) {
        int answer = way[11] ? posix_spawnp(&child, program, NULL, NULL, arguments, nothing)
                             : posix_spawn(&child, program, NULL, NULL, arguments, nothing);
        if (answer) {
            fprintf(stderr, "%s: %s\n", way, strerror(answer));
            return 1;
        }
    } else if (!strcmp(way, "vfork")) {
        if ((child = vfork()) == 0) {
            execve(program, arguments, nothing);
            _exit(1);
        }
    } else if ((child = fork()) == 0) {
        start(way, program, arguments, nothing);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
