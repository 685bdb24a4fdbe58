/*
 * Seals a message and opens it again, then seals it in two parts.
 *
 *     cc seal.c $(pkg-config --cflags --libs algkit)
 */
#include <algkit.h>
#include <stdio.h>
#include <string.h>

static int report(void)
{
    fprintf(stderr, "seal: %s\n", algkit_error_text());
    return 1;
}

int main(void)
{
    static const char header[] = "header", text[] = "attack at dawn";
    unsigned char key[32] = { 0 }, nonce[12] = { 0 }; /* a real program draws the key at random, and counts nonces */
    unsigned char sealed[sizeof text], opened[sizeof text], parts[sizeof text], tag[16], again[16];
    algkit_aead *aead;
    algkit_aead_state *state = NULL;

    if (algkit_aead_new("gcm(aes)", key, sizeof key, &aead))
        return report();
    printf("%s, %u\n", algkit_aead_info(aead)->name, (unsigned)algkit_aead_info(aead)->max_tag_size);
    if (algkit_aead_encrypt(aead, nonce, sizeof nonce, header, sizeof header, text, sealed, sizeof text, tag, sizeof tag))
        return report();
    if (algkit_aead_decrypt(aead, nonce, sizeof nonce, header, sizeof header, sealed, opened, sizeof text, tag, sizeof tag))
        return report();
    printf("%s\n", (const char *)opened);

    sealed[0] ^= 1;
    if (algkit_aead_decrypt(aead, nonce, sizeof nonce, header, sizeof header, sealed, opened, sizeof text, tag, sizeof tag)
        != ALGKIT_EBADMSG)
        return 1;
    printf("%s\n", algkit_error_text());
    sealed[0] ^= 1;

    /* The same message, of which the second half comes later. */
    if (algkit_aead_start(aead, nonce, sizeof nonce, &state) || algkit_aead_assoc(state, header, sizeof header)
        || algkit_aead_update(state, text, parts, 7) || algkit_aead_update(state, text + 7, parts + 7, sizeof text - 7)
        || algkit_aead_finish(state, again, sizeof again))
        return report();
    printf("%s\n", memcmp(parts, sealed, sizeof parts) || memcmp(again, tag, sizeof tag) ? "another" : "the same");
    algkit_aead_state_free(state);
    algkit_aead_free(aead);
    return 0;
}
