/* Operations on bits: the functions that <linux/bitops.h> expects of an architecture, by the compiler's built-in functions. */
#include <asm-generic/bitops/builtin-__ffs.h>
#include <asm-generic/bitops/builtin-__fls.h>
#include <asm-generic/bitops/builtin-ffs.h>
#include <asm-generic/bitops/builtin-fls.h>
#include <asm-generic/bitops/fls64.h>
#include <asm-generic/bitops/ffz.h>
#include <asm-generic/bitops/non-atomic.h>
#include <asm-generic/bitops/non-instrumented-non-atomic.h>
#include <asm-generic/bitops/const_hweight.h>
#define __arch_hweight8 __builtin_popcount
#define __arch_hweight16 __builtin_popcount
#define __arch_hweight32 __builtin_popcount
#define __arch_hweight64 __builtin_popcountll
static inline bool test_and_set_bit(long nr, volatile unsigned long *at) { return arch___test_and_set_bit(nr, at); }
static inline bool test_and_clear_bit(long nr, volatile unsigned long *at) { return arch___test_and_clear_bit(nr, at); }
static inline void set_bit(long nr, volatile unsigned long *at) { arch___set_bit(nr, at); }
static inline void clear_bit(long nr, volatile unsigned long *at) { arch___clear_bit(nr, at); }
