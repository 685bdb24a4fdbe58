/* Locks never wait: the workbench enters the kernel's code with one thread at a time. A wait for an event that has not happened would never end, so it is a bug. */
typedef struct { } spinlock_t;
typedef struct { } raw_spinlock_t;
struct mutex { };
struct rw_semaphore { };
struct lock_class_key { };
#define __SPIN_LOCK_UNLOCKED(name) { }
#define DEFINE_SPINLOCK(name) spinlock_t name
#define DEFINE_MUTEX(name) struct mutex name
#define DECLARE_RWSEM(name) struct rw_semaphore name
#define lab_lock(name, type) static inline void name(type *lock) {}
#define spin_lock_init(lock) ((void)(lock))
lab_lock(spin_lock, spinlock_t) lab_lock(spin_unlock, spinlock_t) lab_lock(spin_lock_bh, spinlock_t) lab_lock(spin_unlock_bh, spinlock_t)
#define spin_lock_irqsave(lock, flags) ((void)(lock), (flags) = 0)
#define spin_unlock_irqrestore(lock, flags) ((void)(lock), (void)(flags))
#define mutex_init(lock) ((void)(lock))
#define mutex_destroy(lock) ((void)(lock))
lab_lock(mutex_lock, struct mutex) lab_lock(mutex_unlock, struct mutex)
static inline int mutex_lock_interruptible(struct mutex *lock) { return 0; }
#define init_rwsem(lock) ((void)(lock))
lab_lock(down_read, struct rw_semaphore) lab_lock(up_read, struct rw_semaphore) lab_lock(down_write, struct rw_semaphore) lab_lock(up_write, struct rw_semaphore)
#define lockdep_assert_held(lock) ((void)(lock))
#define lockdep_set_class(lock, key) ((void)(lock))

#define preempt_disable() barrier()
#define preempt_enable() barrier()
#define migrate_disable() barrier()
#define migrate_enable() barrier()
#define local_bh_disable() barrier()
#define local_bh_enable() barrier()
#define local_irq_save(flags) ((flags) = 0)
#define local_irq_restore(flags) ((void)(flags))
#define local_irq_disable() barrier()
#define local_irq_enable() barrier()
#define irqs_disabled() 0
#define in_interrupt() 0
#define in_atomic() 0
#define in_hardirq() 0
#define in_task() 1
#define in_nmi() 0
#define rcu_read_lock() barrier()
#define rcu_read_unlock() barrier()
#define synchronize_rcu() barrier()
#define might_sleep() barrier()
#define might_sleep_if(when) barrier()
#define cond_resched() 0
#define need_resched() 0

typedef struct { int counter; } refcount_t;
#define REFCOUNT_INIT(n) { n }
#define lab_count(type, name) \
    static inline int name##_read(const type *at) { return READ_ONCE(at->counter); } \
    static inline void name##_set(type *at, int n) { WRITE_ONCE(at->counter, n); } \
    static inline void name##_inc(type *at) { at->counter++; } \
    static inline void name##_dec(type *at) { at->counter--; } \
    static inline bool name##_dec_and_test(type *at) { return --at->counter == 0; } \
    static inline bool name##_inc_not_zero(type *at) { return at->counter && ++at->counter; }
lab_count(atomic_t, atomic)
lab_count(refcount_t, refcount)
static inline void atomic64_set(atomic64_t *at, s64 n) { at->counter = n; }
static inline s64 atomic64_inc_return(atomic64_t *at) { return ++at->counter; }
static inline int atomic_inc_return(atomic_t *at) { return ++at->counter; }
#define cmpxchg(at, old, new) ({ __typeof__(*(at)) lab_was = *(at); if (lab_was == (old)) *(at) = (new); lab_was; })
#define xchg(at, new) ({ __typeof__(*(at)) lab_was = *(at); *(at) = (new); lab_was; })

struct completion { unsigned int done; };
#define DECLARE_COMPLETION_ONSTACK(name) struct completion name = { 0 }
#define COMPLETION_INITIALIZER_ONSTACK(name) { 0 }
#define DECLARE_COMPLETION(name) struct completion name = { 0 }
static inline void init_completion(struct completion *c) { c->done = 0; }
static inline void reinit_completion(struct completion *c) { c->done = 0; }
static inline void complete(struct completion *c) { c->done++; }
static inline void complete_all(struct completion *c) { c->done = UINT_MAX / 2; }
#define wait_for_completion(c) BUG_ON(!(c)->done)
#define wait_for_completion_killable_timeout(c, time) ({ BUG_ON(!(c)->done); 1L; })
#define wait_for_completion_interruptible(c) ({ BUG_ON(!(c)->done); 0; })
#define wait_for_completion_killable(c) wait_for_completion_interruptible(c)

/* A static key, by which the kernel patches a branch into its code, is a test of a variable. */
struct static_key { bool on; };
struct static_key_true { bool on; };
struct static_key_false { bool on; };
#define DEFINE_STATIC_KEY_FALSE(name) struct static_key_false name = { false }
#define DEFINE_STATIC_KEY_TRUE(name) struct static_key_true name = { true }
#define DEFINE_STATIC_KEY_FALSE_RO DEFINE_STATIC_KEY_FALSE
#define DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name
#define static_branch_likely(key) likely((key)->on)
#define static_branch_unlikely(key) unlikely((key)->on)
#define static_branch_enable(key) ((void)((key)->on = true))
#define static_branch_disable(key) ((void)((key)->on = false))
#define DEFINE_STATIC_CALL(name, function) static __typeof__(&function) lab_call_##name = function
#define static_call(name) lab_call_##name
#define static_call_update(name, function) ((void)(lab_call_##name = function))
#define DO_ONCE(function, ...) DO_ONCE_LITE(function, ##__VA_ARGS__)
#define DO_ONCE_LITE(function, ...) ({ static bool lab_done; if (!lab_done) { lab_done = true; function(__VA_ARGS__); } true; })
