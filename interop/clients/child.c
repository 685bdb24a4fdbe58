/* Prints whether it is served, by looking for a hash that no kernel has. */
#include <linux/if_alg.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "keccak-256"};
    int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);
    puts(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 ? "served" : "alone");
    return 0;
}
