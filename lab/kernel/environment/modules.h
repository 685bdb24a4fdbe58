/* Modules: when the workbench starts, it calls the functions that `module_init` names, in the order of linking. */
typedef int (*initcall_t)(void);
struct lab_module { const char *file; initcall_t start; };
#define lab_starts(function) \
    static const struct lab_module lab_module_##function __used __aligned(8) __section("lab_modules") = { __FILE__, function };
#define module_init(function) lab_starts(function)
#define subsys_initcall(function) lab_starts(function)
#define arch_initcall(function) lab_starts(function)
#define late_initcall(function) lab_starts(function)
#define early_initcall(function) lab_starts(function)
#define module_exit(function) static void (*const lab_exit_##function)(void) __maybe_unused = function;
#define __init
#define __exit
#define __initdata
#define __initconst
#define __exitdata
#define __ro_after_init
#define __read_mostly
#define __cacheline_aligned
#define ____cacheline_aligned __aligned(64)
#define SMP_CACHE_BYTES 64
#define L1_CACHE_BYTES 64

/* A parameter can be set by its name while the modules start. */
struct lab_parameter { const char *name, *type; void *at; };
#define lab_parameter_of(name, type, at) \
    static const struct lab_parameter lab_parameter_##name __used __aligned(8) __section("lab_parameters") = { #name, #type, at };
#define module_param_named(name, at, type, mode) lab_parameter_of(name, type, &at)
#define module_param(name, type, mode) lab_parameter_of(name, type, &name)
#define core_param(name, at, type, mode) lab_parameter_of(name, type, &at)

struct module { char name[56]; };
#define THIS_MODULE ((struct module *)NULL)
#define MODULE_LICENSE(text)
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_VERSION(text)
#define MODULE_ALIAS(text)
#define __MODULE_INFO(tag, name, info) struct lab_nothing
#define MODULE_SOFTDEP(text)
#define MODULE_PARM_DESC(name, text)
#define MODULE_IMPORT_NS(name)
#define MODULE_DEVICE_TABLE(type, name) static const void *const lab_table_##name __maybe_unused = name
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define EXPORT_SYMBOL_NS(name, space)
#define EXPORT_SYMBOL_NS_GPL(name, space)
#define KBUILD_MODNAME "lab"
static inline bool try_module_get(struct module *module) { return true; }
static inline void __module_get(struct module *module) {}
static inline void module_put(struct module *module) {}
static inline bool module_sig_ok(struct module *module) { return true; }
static inline const char *module_name(struct module *module) { return "kernel"; }
static inline unsigned int module_refcount(struct module *module) { return 0; }
#define try_then_request_module(found, ...) (found)
#define request_module(...) no_printk(__VA_ARGS__)
