/* Kernel threads and work items run to their end where they are started. */
struct task_struct { int pid; char comm[16]; };
extern struct task_struct lab_task;
#define current (&lab_task)
#define signal_pending(task) 0
#define fatal_signal_pending(task) 0
struct task_struct *lab_run(int (*function)(void *), void *data);
__noreturn void lab_exit(void);
#define kthread_run(function, data, ...) lab_run(function, data)
#define kthread_exit(status) lab_exit()
#define module_put_and_kthread_exit(status) lab_exit()
#define schedule_timeout_interruptible(time) ((void)(time))

struct work_struct { void (*function)(struct work_struct *); };
struct workqueue_struct;
typedef void (*work_func_t)(struct work_struct *);
enum { WQ_UNBOUND = 2, WQ_MEM_RECLAIM = 8, WQ_CPU_INTENSIVE = 32 };
#define INIT_WORK(work, to) ((void)((work)->function = (to)))
#define alloc_workqueue(name, ...) ((struct workqueue_struct *)(name))
#define destroy_workqueue(queue) ((void)(queue))
bool lab_queue(struct work_struct *work);
#define queue_work(queue, work) lab_queue(work)
#define queue_work_on(cpu, queue, work) lab_queue(work)
#define schedule_work(work) lab_queue(work)
#define flush_work(work) ((void)(work))
#define cancel_work_sync(work) ((void)(work))

struct notifier_block { int (*notifier_call)(struct notifier_block *, unsigned long, void *); struct notifier_block *next; };
struct blocking_notifier_head { struct notifier_block *head; };
#define BLOCKING_NOTIFIER_HEAD(name) struct blocking_notifier_head name
enum { NOTIFY_DONE = 0, NOTIFY_OK = 1, NOTIFY_STOP = 0x8001, NOTIFY_BAD = 0x8002, NOTIFY_STOP_MASK = 0x8000 };
int blocking_notifier_chain_register(struct blocking_notifier_head *chain, struct notifier_block *block);
int blocking_notifier_chain_unregister(struct blocking_notifier_head *chain, struct notifier_block *block);
int blocking_notifier_call_chain(struct blocking_notifier_head *chain, unsigned long what, void *data);

/* Time, in ticks of 10 ms and in cycles. */
#define HZ 100
#define jiffies lab_jiffies()
unsigned long lab_jiffies(void);
#define time_before(a, b) ((long)((a) - (b)) < 0)
#define time_after(a, b) time_before(b, a)
typedef unsigned long long cycles_t;
typedef s64 ktime_t;
cycles_t get_cycles(void);
u64 ktime_get_ns(void);
#define ktime_get_real_ns ktime_get_ns
#define ktime_get() ((ktime_t)ktime_get_ns())
#define random_get_entropy() get_cycles()
void msleep(unsigned int milliseconds);
#define mdelay msleep

void get_random_bytes(void *at, size_t len);
#define rng_is_initialized() true
#define wait_for_random_bytes() 0
#define get_random_bytes_wait(at, len) ({ get_random_bytes(at, len); 0; })
static inline u64 get_random_u64(void) { u64 n; get_random_bytes(&n, sizeof n); return n; }
#define get_random_u32() ((u32)get_random_u64())
#define get_random_u16() ((u16)get_random_u64())
#define get_random_u8() ((u8)get_random_u64())
#define get_random_u32_below(limit) ((u32)(get_random_u64() % (limit)))
#define get_random_u32_inclusive(low, high) ((low) + get_random_u32_below((high) - (low) + 1))
struct rnd_state { u64 state; };
static inline u32 prandom_u32_state(struct rnd_state *rng) {
    rng->state = rng->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return rng->state >> 32;
}
static inline void prandom_seed_state(struct rnd_state *rng, u64 seed) { rng->state = seed; }
void prandom_bytes_state(struct rnd_state *rng, void *at, size_t len);

/* Files and netlink, which nothing reads here. */
struct seq_file;
__printf(2, 3) static inline void seq_printf(struct seq_file *file, const char *text, ...) {}
static inline void seq_puts(struct seq_file *file, const char *text) {}
static inline void seq_putc(struct seq_file *file, char c) {}
struct sk_buff;
#define nla_put(skb, type, len, data) (-EMSGSIZE)
struct rtattr { unsigned short rta_len, rta_type; };
enum { RTA_ALIGNTO = 4 };
#define RTA_ALIGN(len) ALIGN(len, RTA_ALIGNTO)
#define RTA_LENGTH(len) (RTA_ALIGN(sizeof(struct rtattr)) + (len))
#define RTA_SPACE(len) RTA_ALIGN(RTA_LENGTH(len))
#define RTA_DATA(at) ((void *)((u8 *)(at) + RTA_LENGTH(0)))
#define RTA_PAYLOAD(at) ((int)(at)->rta_len - RTA_LENGTH(0))
#define RTA_OK(at, len) ((len) >= (int)sizeof(struct rtattr) && (at)->rta_len >= sizeof(struct rtattr) && (at)->rta_len <= (len))
struct ctl_table { const char *procname; void *data; int maxlen; umode_t mode; void *proc_handler; };
