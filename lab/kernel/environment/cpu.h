/* The CPU: its features by the kernel's numbers, and its vector registers, which a process may always use. */
void kernel_fpu_begin(void);
void kernel_fpu_end(void);
#define kernel_neon_begin kernel_fpu_begin
#define kernel_neon_end kernel_fpu_end
#define irq_fpu_usable() true
#define may_use_simd() true
#define cpu_relax() barrier()

#ifdef CONFIG_X86_64
#include <asm/cpufeatures.h>
#define VFM_MAKE(vendor, family, model) ((vendor) << 16 | (family) << 8 | (model))
#include <asm/intel-family.h>
extern u32 lab_features[];
#define boot_cpu_has(bit) (lab_features[(bit) / 32] >> ((bit) % 32) & 1)
#define static_cpu_has boot_cpu_has
#define cpu_feature_enabled boot_cpu_has
/* Drivers with vectors of 256 and 512 bits ask which registers the kernel saves. For this process, these are the registers that the host saves. */
enum { XFEATURE_MASK_SSE = 2, XFEATURE_MASK_YMM = 4, XFEATURE_MASK_AVX512 = 0xe0 };
bool cpu_has_xfeatures(u64 wanted, const char **missing);
struct x86_cpu_id { u32 feature, model; };
#define X86_MATCH_FEATURE(bit, data) { .feature = bit }
#define X86_MATCH_VFM(vfm, data) { .model = vfm }
const struct x86_cpu_id *x86_match_cpu(const struct x86_cpu_id *match);
struct cpuinfo_x86 { u32 x86, x86_vendor, x86_model, x86_vfm; };
extern struct cpuinfo_x86 boot_cpu_data;
enum { X86_VENDOR_INTEL = 0, X86_VENDOR_AMD = 2 };
#endif

#ifdef CONFIG_ARM64
bool lab_has(const char *feature);
#define cpu_have_named_feature(name) lab_has(#name)
#define module_cpu_feature_match(name, function) \
    static int lab_if_##function(void) { return lab_has(#name) ? function() : -ENODEV; } \
    module_init(lab_if_##function)
#define system_supports_fpsimd() true
struct cpu_feature { int bit; };
#define cpu_feature(name) 0
#endif
