/* Checks for the clients: a failed check prints its place and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks;

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        checks++;                                                                                   \
        if (!(condition)) {                                                                         \
            fprintf(stderr, "%s:%d: not so: %s (errno %s)\n", __FILE__, __LINE__, #condition,       \
                    strerror(errno));                                                               \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

/* Bytes from hexadecimal digits; returns how many. */
static inline size_t unhex(uint8_t *to, const char *digits)
{
    size_t n = 0;
    for (unsigned byte; sscanf(digits + 2 * n, "%2x", &byte) == 1; n++)
        to[n] = byte;
    return n;
}

/* Whether bytes are those that hexadecimal digits stand for. */
static inline int is(const uint8_t *bytes, const char *digits)
{
    uint8_t expected[1024];
    size_t n = unhex(expected, digits);
    return !memcmp(bytes, expected, n);
}

static inline int done(void)
{
    printf("%u checks\n", checks);
    return 0;
}

#endif
