/* The parts of the rest of the kernel that Linux's drivers and crypto core use, for one process with one CPU and no interrupts. Each header in `../answered`
 * includes this one; all others are the kernel's own. */
#ifndef LAB_KERNEL_H
#define LAB_KERNEL_H
#ifndef __ASSEMBLY__

#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/limits.h>
#include <linux/linkage.h>
#include <linux/stddef.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#include <stdarg.h>

#include "printing.h"
#include "modules.h"
#include <linux/minmax.h>
#include <linux/math.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include "locks.h"
#include "memory.h"
#include "tasks.h"
#include "cpu.h"

#endif
#endif
