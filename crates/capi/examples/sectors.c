/*
 * Encrypts standard input as dm-crypt's aes-xts-plain64 does with sectors of 512 bytes; bytes after the last whole
 * sector are an error.
 *
 *     sectors KEY-FILE <plaintext >ciphertext          the key has 32 or 64 bytes
 */
#include <algkit.h>
#include <stdio.h>

enum { SECTOR = 512, AT_ONCE = 256 };

int main(int argc, char **argv)
{
    static unsigned char buffer[AT_ONCE * SECTOR];
    unsigned char key[64];
    size_t len;
    FILE *file;
    algkit_skcipher *xts;
    struct algkit_sectors sectors = { 0, 1, SECTOR, ALGKIT_IV_PLAIN64 };

    if (argc != 2 || !(file = fopen(argv[1], "rb"))) {
        fprintf(stderr, "usage: sectors KEY-FILE\n");
        return 2;
    }
    len = fread(key, 1, sizeof key, file);
    fclose(file);
    if (algkit_skcipher_new("xts(aes)", key, len, &xts)) {
        fprintf(stderr, "sectors: %s\n", algkit_error_text());
        return 1;
    }
    while ((len = fread(buffer, 1, sizeof buffer, stdin)) > 0) {
        if (algkit_skcipher_encrypt_sectors(xts, &sectors, buffer, len)) {
            fprintf(stderr, "sectors: %s\n", algkit_error_text());
            return 1;
        }
        sectors.first += len / SECTOR;
        if (fwrite(buffer, 1, len, stdout) != len)
            return 1;
    }
    if (ferror(stdin)) {
        perror("sectors");
        return 1;
    }
    algkit_skcipher_free(xts);
    return fflush(stdout) != 0;
}
