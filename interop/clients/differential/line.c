#define _GNU_SOURCE
#include "differential.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned long steps;
static char text[1 << 16];
static size_t used;

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    if (n > 0)
        used = used + n < sizeof text ? used + n : sizeof text - 1;
}

long outcome(long result)
{
    steps++;
    if (result >= 0) {
        say("=%ld", result);
    } else {
        const char *name = strerrorname_np(errno);
        if (name)
            say("=%s", name);
        else
            say("=errno %d", errno);
    }
    return result;
}

void digest(const uint8_t *data, size_t len)
{
    say(":");
    if (len <= 16) {
        for (size_t i = 0; i < len; i++)
            say("%02x", data[i]);
        return;
    }
    uint64_t fnv = 0xcbf29ce484222325; /* FNV-1a: the data is not chosen by an adversary */
    for (size_t i = 0; i < len; i++)
        fnv = (fnv ^ data[i]) * 0x100000001b3;
    say("#%016llx", (unsigned long long)fnv);
}

size_t said(void)
{
    return used;
}

const char *since(size_t before)
{
    return text + before;
}

void end_line(void)
{
    text[used] = 0;
    puts(text);
    used = 0;
}
