/* The functions that the headers of `environment` declare and libc does not have. */
#include <environment/kernel.h>
#include <linux/scatterlist.h>

struct task_struct lab_task = { .pid = 1, .comm = "lab" };
u8 lab_zeros[PAGE_SIZE] __aligned(PAGE_SIZE);

bool lab_queue(struct work_struct *work) {
    work->function(work);
    return true;
}

void kernel_fpu_begin(void) {}
void kernel_fpu_end(void) {}

int blocking_notifier_chain_register(struct blocking_notifier_head *chain, struct notifier_block *block) {
    block->next = chain->head;
    chain->head = block;
    return 0;
}

int blocking_notifier_chain_unregister(struct blocking_notifier_head *chain, struct notifier_block *block) {
    struct notifier_block **at = &chain->head;
    while (*at != block) at = &(*at)->next;
    *at = block->next;
    return 0;
}

int blocking_notifier_call_chain(struct blocking_notifier_head *chain, unsigned long what, void *data) {
    int answer = NOTIFY_DONE;
    for (struct notifier_block *block = chain->head; block && !(answer & NOTIFY_STOP_MASK); block = block->next)
        answer = block->notifier_call(block, what, data);
    return answer;
}

void *memchr_inv(const void *at, int byte, size_t len) {
    for (const u8 *p = at; len--; p++)
        if (*p != (u8)byte) return (void *)p;
    return NULL;
}

size_t copy_from_iter(void *to, size_t len, struct iov_iter *iter) {
    size_t done = 0;
    for (size_t n; done < len && iter->count; done += n, iter->at += n, iter->count -= n) {
        for (; iter->at == iter->piece->iov_len; iter->at = 0) iter->piece++;
        n = min3(len - done, iter->piece->iov_len - iter->at, iter->count);
        memcpy(to + done, iter->piece->iov_base + iter->at, n);
    }
    return done;
}

void prandom_bytes_state(struct rnd_state *rng, void *at, size_t len) {
    for (u8 *p = at; len--;) *p++ = prandom_u32_state(rng);
}

/* Lists of pieces of memory. */
struct scatterlist *sg_next(struct scatterlist *sg) {
    if (sg_is_last(sg)) return NULL;
    sg++;
    return sg_is_chain(sg) ? sg_chain_ptr(sg) : sg;
}

int sg_nents(struct scatterlist *sg) {
    int n = 0;
    for (; sg; sg = sg_next(sg)) n++;
    return n;
}

int sg_nents_for_len(struct scatterlist *sg, u64 len) {
    int n = 0;
    for (u64 sum = 0; sum < len; sg = sg_next(sg), n++) {
        if (!sg) return -EINVAL;
        sum += sg->length;
    }
    return n;
}

struct scatterlist *sg_last(struct scatterlist *sg, unsigned int n) {
    for (struct scatterlist *next; (next = sg_next(sg)); sg = next);
    return sg;
}

void sg_init_table(struct scatterlist *sg, unsigned int n) {
    memset(sg, 0, n * sizeof *sg);
    sg_init_marker(sg, n);
}

void sg_init_one(struct scatterlist *sg, const void *at, unsigned int len) {
    sg_init_table(sg, 1);
    sg_set_buf(sg, at, len);
}

/* `miter` shows a list page by page. */
void sg_miter_start(struct sg_mapping_iter *miter, struct scatterlist *sg, unsigned int n, unsigned int flags) {
    *miter = (struct sg_mapping_iter){ .piter = { .sg = sg, .__nents = n }, .__flags = flags };
}

bool sg_miter_next(struct sg_mapping_iter *miter) {
    struct sg_page_iter *at = &miter->piter;
    miter->__offset += miter->consumed;
    while (at->sg && at->__nents && miter->__offset == at->sg->length) {
        at->sg = sg_next(at->sg);
        at->__nents--;
        miter->__offset = 0;
    }
    if (!at->sg || !at->__nents) return false;
    miter->addr = sg_virt(at->sg) + miter->__offset;
    miter->page = virt_to_page(miter->addr);
    miter->length = min_t(size_t, at->sg->length - miter->__offset, PAGE_SIZE - offset_in_page(miter->addr));
    miter->consumed = miter->length;
    return true;
}

void sg_miter_stop(struct sg_mapping_iter *miter) {}

/* `acompress.c` asks for synchronous compression, which is not compiled here. */
struct crypto_tfm;
struct acomp_req;
int crypto_init_scomp_ops_async(struct crypto_tfm *tfm) { return -ENOSYS; }
struct acomp_req *crypto_acomp_scomp_alloc_ctx(struct acomp_req *request) { return NULL; }
void crypto_acomp_scomp_free_ctx(struct acomp_req *request) {}
