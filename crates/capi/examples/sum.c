/*
 * Prints the digest of standard input: sum sha256 <FILE. With no argument, lists the hashes that take no key.
 */
#include <algkit.h>
#include <stdio.h>
#include <string.h>

static int report(void)
{
    fprintf(stderr, "sum: %s\n", algkit_error_text());
    return 1;
}

static int list(void)
{
    algkit_list *drivers;
    const struct algkit_info *driver;
    size_t i;

    if (algkit_list_new(NULL, &drivers))
        return report();
    for (i = 0; (driver = algkit_list_get(drivers, i)) != NULL; i++)
        if (!strcmp(driver->type, "hash") && driver->min_key_size == 0 && driver->usable)
            printf("%-16s %-32s %u\n", driver->name, driver->driver, driver->priority);
    algkit_list_free(drivers);
    return 0;
}

int main(int argc, char **argv)
{
    static unsigned char buffer[65536];
    unsigned char digest[64];
    size_t len, i;
    algkit_hash *hash;
    algkit_hash_state *state;

    if (argc < 2)
        return list();
    if (algkit_hash_new(argv[1], NULL, 0, &hash) || algkit_hash_start(hash, &state))
        return report();
    while ((len = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        if (algkit_hash_update(state, buffer, len))
            return report();
    if (ferror(stdin)) {
        perror("sum");
        return 1;
    }
    len = algkit_hash_info(hash)->digest_size;
    if (len > sizeof digest || algkit_hash_finish(state, digest, len))
        return report();
    for (i = 0; i < len; i++)
        printf("%02x", digest[i]);
    printf("\n");
    algkit_hash_state_free(state);
    algkit_hash_free(hash);
    return 0;
}
