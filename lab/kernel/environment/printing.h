/* Messages, assertions and strings. The functions are libc's. */
#define KERN_EMERG ""
#define KERN_ALERT ""
#define KERN_CRIT ""
#define KERN_ERR ""
#define KERN_WARNING ""
#define KERN_NOTICE ""
#define KERN_INFO ""
#define KERN_DEBUG ""
#define KERN_CONT ""
#ifndef pr_fmt
#define pr_fmt(text) text
#endif
__printf(1, 2) int printk(const char *text, ...);
#define _printk printk
#define pr_err(text, ...) printk(pr_fmt(text), ##__VA_ARGS__)
#define pr_warn pr_err
#define pr_notice pr_err
#define pr_info pr_err
#define pr_cont(text, ...) printk(text, ##__VA_ARGS__)
#define no_printk(text, ...) ({ if (0) printk(text, ##__VA_ARGS__); 0; })
#define pr_debug(text, ...) no_printk(pr_fmt(text), ##__VA_ARGS__)
#define pr_devel pr_debug
#define pr_err_once pr_err
#define pr_warn_once pr_err
#define pr_info_once pr_err
#define printk_once printk
#define pr_err_ratelimited pr_err
#define pr_warn_ratelimited pr_err
#define pr_info_ratelimited pr_err
void print_hex_dump(const char *level, const char *prefix, int type, int row, int group, const void *bytes, size_t len, bool ascii);
enum { DUMP_PREFIX_NONE, DUMP_PREFIX_ADDRESS, DUMP_PREFIX_OFFSET };

/* A bug ends the program where it is found: a debugger stops there. */
__noreturn void lab_bug(const char *file, int line, const char *what);
#define BUG() lab_bug(__FILE__, __LINE__, "BUG")
#define BUG_ON(what) do { if (unlikely(what)) lab_bug(__FILE__, __LINE__, #what); } while (0)
void lab_warn(const char *file, int line, const char *what);
#define WARN_ON(what) ({ bool lab_wrong = !!(what); if (unlikely(lab_wrong)) lab_warn(__FILE__, __LINE__, #what); lab_wrong; })
#define WARN_ON_ONCE WARN_ON
#define WARN(what, text, ...) ({ bool lab_bad = WARN_ON(what); if (lab_bad) printk(text, ##__VA_ARGS__); lab_bad; })
#define WARN_ONCE WARN
__noreturn __printf(1, 2) void panic(const char *text, ...);

void *memcpy(void *to, const void *from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *at, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);
void *memchr_inv(const void *at, int byte, size_t len);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t len);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *part);
static inline bool strstarts(const char *s, const char *begin) { return !strncmp(s, begin, strlen(begin)); }
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t len);
ssize_t strscpy(char *to, const char *from, size_t room);
#define strlcpy strscpy
size_t strlcat(char *to, const char *from, size_t room);
__printf(3, 4) int snprintf(char *to, size_t room, const char *text, ...);
__printf(3, 4) int scnprintf(char *to, size_t room, const char *text, ...);
__printf(2, 3) int sprintf(char *to, const char *text, ...);
__printf(2, 3) char *kasprintf(gfp_t flags, const char *text, ...);
int sscanf(const char *s, const char *text, ...);
int isalnum(int c);
int isdigit(int c);
int isspace(int c);
#define isalnum(c) (isalnum)((unsigned char)(c))
static inline void memzero_explicit(void *at, size_t len) { memset(at, 0, len); barrier_data(at); }
#define unsafe_memcpy(to, from, len, why) memcpy(to, from, len)
static inline const char *str_yes_no(bool yes) { return yes ? "yes" : "no"; }
static inline const char *str_plural(size_t n) { return n == 1 ? "" : "s"; }
