//! Numbers and layouts of the kernel's interface (`linux/if_alg.h`, `linux/socket.h`), and parsers of
//! what clients pass. Integers are in the CPU's byte order.
