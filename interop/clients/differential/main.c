#include "differential.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct kind {
    const char *name;
    void (*run)(void);
    unsigned weight;
};

/* Operations that algkit must carry out as the kernel does. */
static const struct kind served[] = {
    {"skcipher", skcipher_operation, 270}, {"aead", aead_operation, 170},       {"aead-walk", aead_walk_operation, 80},
    {"hash", hash_operation, 170},         {"rng", rng_operation, 15},          {"key", key_operation, 70},
    {"name", name_operation, 30},          {"control", control_operation, 80},  {"parent", parent_operation, 40},
    {"size", size_operation, 12},          {"socket", socket_operation, 8},     {"calls", calls_operation, 60},
    {"aio", aio_operation, 45},            {"splice", splice_operation, 50},    {"share", share_operation, 30},
    {"wait", wait_operation, 3},           {"registry", registry_operation, 40},
};

/* Operations that algkit leaves out (docs/run.md). */
static const struct kind left_out[] = {
    {"fork", fork_operation, 10},
    {"misfit", misfit_operation, 5},
    {"number", number_operation, 5},
};

/* differential LIST SEED COUNT [FIRST]: operations FIRST … FIRST+COUNT-1 of that list (served or left-out) and seed, one
 * line each. */
int main(int argc, char **argv)
{
    bool is_left_out = argc > 1 && !strcmp(argv[1], "left-out");
    if (argc < 4 || (!is_left_out && strcmp(argv[1], "served"))) {
        fprintf(stderr, "usage: %s served|left-out SEED COUNT [FIRST]\n", argv[0]);
        return 2;
    }
    const struct kind *kinds = is_left_out ? left_out : served;
    const unsigned kinds_len = is_left_out ? COUNT(left_out) : COUNT(served);
    const uint64_t start = strtoull(argv[2], NULL, 0);
    const unsigned long count = strtoul(argv[3], NULL, 0), first = argc > 4 ? strtoul(argv[4], NULL, 0) : 0;
    in_arena = mmap(NULL, 2 * ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (in_arena == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    out_arena = in_arena + ARENA;
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0); /* lines before a crash are printed */
    unsigned weights = 0;
    for (unsigned k = 0; k < kinds_len; k++)
        weights += kinds[k].weight;
    for (unsigned long i = first; i < first + count; i++) {
        seed(start, i);
        unsigned k = 0, at = below(weights);
        while (at >= kinds[k].weight)
            at -= kinds[k++].weight;
        say("%lu %s", i, kinds[k].name);
        kinds[k].run();
        end_line();
    }
    printf("operations %lu, steps %lu\n", count, steps);
    return 0;
}
