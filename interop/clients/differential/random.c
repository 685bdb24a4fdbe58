#include "differential.h"

static uint64_t state;

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t any(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void seed(uint64_t seed, uint64_t operation)
{
    state = seed * 0xd1342543de82ef95 + 1;
    state = any() ^ operation;
    state = any();
}

unsigned below(unsigned n)
{
    return any() % n;
}

bool chance(unsigned percent)
{
    return below(100) < percent;
}

size_t length(void)
{
    static const uint16_t edges[] = {0,   0,   1,   7,   8,   15,  16,   16,   17,   31,   32,  32,
                                     33,  47,  48,  63,  64,  65,  80,   112,  127,  128,  129, 240,
                                     255, 256, 257, 511, 512, 513, 1024, 4080, 4095, 4096, 4097};
    switch (below(10)) {
    case 0:
        return below(600);
    case 1:
        return below(9000);
    case 2:
    case 3:
        return 16 * below(20);
    default:
        return edges[below(COUNT(edges))];
    }
}

void fill(uint8_t *to, size_t len)
{
    while (len) {
        uint64_t word = any();
        for (unsigned i = 0; i < 8 && len; i++, len--)
            *to++ = word >> 8 * i;
    }
}
