/* Memory. A pointer to a `struct page` is the address of the page's memory, so there is no array of these structures (`mem_map`). */
#define PAGE_SHIFT 12
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define offset_in_page(p) ((unsigned long)(p) & ~PAGE_MASK)
#define PAGE_ALIGN(n) ALIGN(n, PAGE_SIZE)
#define PageHighMem(page) 0
#define PageSlab(page) 0
#define pfn_to_page(n) ((struct page *)((unsigned long)(n) << PAGE_SHIFT))
#define page_to_pfn(page) ((unsigned long)(page) >> PAGE_SHIFT)
#define page_to_phys(page) ((unsigned long)(page))
#define PHYS_PFN(n) ((n) >> PAGE_SHIFT)
#define nth_page(page, n) ((page) + (n))
struct page { u8 bytes[PAGE_SIZE]; };
struct folio { struct page page; };
#define virt_to_page(p) ((struct page *)((unsigned long)(p) & PAGE_MASK))
#define virt_addr_valid(p) true
#define is_vmalloc_addr(p) false
#define vmalloc_to_page(p) virt_to_page(p)
#define page_address(page) ((void *)(page))
#define kmap_local_page(page) ((void *)(page))
#define kmap_atomic(page) ((void *)(page))
#define memcpy_page(to, to_at, from, from_at, len) memcpy((to)->bytes + (to_at), (from)->bytes + (from_at), len)
#define kunmap_local(at) ((void)(at))
#define kunmap_atomic(at) ((void)(at))
#define flush_dcache_page(page) ((void)(page))
#define ARCH_IMPLEMENTS_FLUSH_DCACHE_PAGE 0
#define ARCH_KMALLOC_MINALIGN __alignof__(unsigned long long)
#define ARCH_DMA_MINALIGN ARCH_KMALLOC_MINALIGN
#define ARCH_SLAB_MINALIGN __alignof__(unsigned long long)
#define GFP_KERNEL 1
#define GFP_ATOMIC 2
#define GFP_DMA 4
#define GFP_NOWAIT 8
#define __GFP_ZERO 16
#define __GFP_NOWARN 0
#define __GFP_NORETRY 0
#define __GFP_NOFAIL 0
#define ZERO_PAGE(at) virt_to_page(lab_zeros)
extern u8 lab_zeros[];
#define KMALLOC_MAX_SIZE (1UL << 22)
#define NUMA_NO_NODE (-1)

/* Memory from the kernel's allocators is not cleared. */
void *lab_memory(size_t len, bool zero);
void kfree(const void *at);
void kfree_sensitive(const void *at);
void *krealloc(const void *at, size_t len, gfp_t flags);
void *kmemdup(const void *from, size_t len, gfp_t flags);
char *kstrdup(const char *s, gfp_t flags);
unsigned long __get_free_pages(gfp_t flags, unsigned int order);
void free_pages(unsigned long at, unsigned int order);
#define __get_free_page(flags) __get_free_pages(flags, 0)
#define get_zeroed_page(flags) __get_free_pages((flags) | __GFP_ZERO, 0)
#define free_page(at) free_pages((unsigned long)(at), 0)
#define alloc_page(flags) ((struct page *)__get_free_page(flags))
#define __free_page(page) free_pages((unsigned long)(page), 0)
static inline void *kmalloc(size_t len, gfp_t flags) { return lab_memory(len, flags & __GFP_ZERO); }
#define alloc_hooks(call) (call)
#define kmalloc_noprof kmalloc
#define kzalloc_noprof kzalloc
static inline void *kzalloc(size_t len, gfp_t flags) { return lab_memory(len, true); }
#define kmalloc_node(len, flags, node) kmalloc(len, flags)
#define kzalloc_node(len, flags, node) kzalloc(len, flags)
#define kvmalloc kmalloc
#define kvzalloc kzalloc
#define kvfree kfree
#define kvfree_sensitive(at, len) kfree_sensitive(at)
#define vmalloc(len) kmalloc(len, GFP_KERNEL)
#define vzalloc(len) kzalloc(len, GFP_KERNEL)
#define vmalloc_node(len, node) vmalloc(len)
#define cpu_to_node(cpu) 0
#define page_to_virt page_address
#define vfree kfree
static inline void *kmalloc_array(size_t n, size_t len, gfp_t flags) {
    size_t all;
    return __builtin_mul_overflow(n, len, &all) ? NULL : kmalloc(all, flags);
}
static inline void *kcalloc(size_t n, size_t len, gfp_t flags) { return kmalloc_array(n, len, flags | __GFP_ZERO); }

/* Per-CPU variables. There is one CPU. */
#define DEFINE_PER_CPU(type, name) __typeof__(type) name
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define alloc_percpu(type) ((type *)kzalloc(sizeof(type), GFP_KERNEL))
#define free_percpu(at) kfree(at)
#define per_cpu_ptr(at, cpu) (at)
#define per_cpu(name, cpu) (name)
#define this_cpu_ptr(at) (at)
#define raw_cpu_ptr(at) (at)
#define get_cpu_ptr(at) (at)
#define put_cpu_ptr(at) ((void)(at))
#define this_cpu_read(name) (name)
#define this_cpu_write(name, value) ((name) = (value))
#define __this_cpu_write this_cpu_write
#define get_cpu() 0
#define put_cpu() barrier()
#define smp_processor_id() 0
#define raw_smp_processor_id() 0
#define num_online_cpus() 1
#define num_possible_cpus() 1
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_online_cpu for_each_possible_cpu

/* Iterators over bytes in pieces, by which `testmgr.c` reads. */
struct kvec { void *iov_base; size_t iov_len; };
struct iov_iter { const struct kvec *piece; size_t at, count; };
enum { ITER_SOURCE = 1 };
static inline void iov_iter_kvec(struct iov_iter *iter, unsigned int to, const struct kvec *pieces, unsigned long n, size_t len) {
    *iter = (struct iov_iter){ pieces, 0, len };
}
static inline size_t iov_iter_count(const struct iov_iter *iter) { return iter->count; }
size_t copy_from_iter(void *to, size_t len, struct iov_iter *iter);
