/* Tests TLS by libssl: each suite of the provider, with algkit in the server, in the client and in both. All bytes have to arrive in
 * both directions, and changed records have to be refused. usage: tls          (OPENSSL_MODULES says where algkit.so is) */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 1500000

static const char *what = "";

static void fail(const char *text, int line) {
    fprintf(stderr, "tls.c:%d: %s: %s\n", line, what, text);
    ERR_print_errors_fp(stderr);
    exit(1);
}
#define CHECK(condition) do { if (!(condition)) fail(#condition, __LINE__); } while (0)

static const struct { int version; const char *suite; unsigned long long options; } rows[] = {
    { TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256", 0 },
    { TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384", 0 },
    { TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256", 0 },
    { TLS1_3_VERSION, "TLS_AES_128_CCM_SHA256", 0 },
    { TLS1_3_VERSION, "TLS_AES_128_CCM_8_SHA256", 0 },
    { TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256", 0 },
    { TLS1_2_VERSION, "ECDHE-RSA-AES256-GCM-SHA384", 0 },
    { TLS1_2_VERSION, "ECDHE-RSA-CHACHA20-POLY1305", 0 },
    { TLS1_2_VERSION, "AES128-CCM", 0 },
    { TLS1_2_VERSION, "AES256-CCM8", 0 },
    { TLS1_2_VERSION, "ARIA128-GCM-SHA256", 0 },
    { TLS1_2_VERSION, "AES128-SHA", 0 },
    { TLS1_2_VERSION, "AES128-SHA", SSL_OP_NO_ENCRYPT_THEN_MAC },
    { TLS1_2_VERSION, "AES256-SHA256", 0 },
    { TLS1_2_VERSION, "AES256-SHA256", SSL_OP_NO_ENCRYPT_THEN_MAC },
    { TLS1_2_VERSION, "ECDHE-RSA-AES256-SHA384", SSL_OP_NO_ENCRYPT_THEN_MAC },
    { TLS1_2_VERSION, "CAMELLIA128-SHA", 0 },
    { TLS1_2_VERSION, "CAMELLIA256-SHA256", SSL_OP_NO_ENCRYPT_THEN_MAC },
    { TLS1_1_VERSION, "AES128-SHA", SSL_OP_NO_ENCRYPT_THEN_MAC },
    { TLS1_VERSION, "AES256-SHA", SSL_OP_NO_ENCRYPT_THEN_MAC },
    { TLS1_VERSION, "AES256-SHA", 0 },
};

static EVP_PKEY *key;
static X509 *certificate;

static void make_certificate(void) {
    X509_NAME *name = X509_NAME_new();
    key = EVP_RSA_gen(2048);
    certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -100);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 10000);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    X509_set_subject_name(certificate, name);
    X509_set_issuer_name(certificate, name);
    X509_NAME_free(name);
    X509_set_pubkey(certificate, key);
    CHECK(X509_sign(certificate, key, EVP_sha256()));
}

static SSL *side(OSSL_LIB_CTX *library, int server, size_t row) {
    SSL_CTX *ctx = SSL_CTX_new_ex(library, "?provider=algkit", server ? TLS_server_method() : TLS_client_method());
    SSL *ssl;
    CHECK(ctx);
    SSL_CTX_set_security_level(ctx, 0);
    SSL_CTX_set_options(ctx, rows[row].options);
    CHECK(SSL_CTX_set_min_proto_version(ctx, rows[row].version) && SSL_CTX_set_max_proto_version(ctx, rows[row].version));
    CHECK(rows[row].version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(ctx, rows[row].suite) : SSL_CTX_set_cipher_list(ctx, rows[row].suite));
    if (server) CHECK(SSL_CTX_use_certificate(ctx, certificate) && SSL_CTX_use_PrivateKey(ctx, key));
    ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    if (server) SSL_set_accept_state(ssl); else SSL_set_connect_state(ssl);
    return ssl;
}

static unsigned char sent[BYTES], got[BYTES];

/* Moves all bytes from one end to the other, in writes of many lengths. */
static void move(SSL *from, SSL *to) {
    size_t written = 0, read = 0, n;
    while (read < BYTES) {
        size_t next = written > 500000 && written < 900000 ? 200000 : 1 + written * 7 % 17000; /* several records at once */
        if (next > BYTES - written) next = BYTES - written;
        if (next && SSL_write_ex(from, sent + written, next, &n)) written += n;
        while (SSL_read_ex(to, got + read, BYTES - read, &n)) read += n;
        CHECK(SSL_get_error(to, 0) == SSL_ERROR_WANT_READ);
    }
    CHECK(memcmp(sent, got, BYTES) == 0);
    memset(got, 0, BYTES);
}

int main(void) {
    OSSL_LIB_CTX *libraries[2];
    OSSL_PROVIDER *providers[3];
    EVP_CIPHER *cipher;
    int connections = 0;
    for (int i = 0; i < 2; i++) {
        libraries[i] = OSSL_LIB_CTX_new();
        CHECK(providers[i] = OSSL_PROVIDER_load(libraries[i], "default"));
    }
    CHECK(providers[2] = OSSL_PROVIDER_load(libraries[1], "algkit"));
    for (int i = 0; i < 2; i++) {
        cipher = EVP_CIPHER_fetch(libraries[1], i ? "AES-128-CBC-HMAC-SHA1" : "AES-128-GCM", "?provider=algkit");
        CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "algkit") == 0);
        EVP_CIPHER_free(cipher);
    }
    make_certificate();
    for (size_t i = 0; i < BYTES; i++) sent[i] = (unsigned char)(i * i >> 7);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
    for (int who = 1; who < 4; who++) {
        SSL *server, *client;
        BIO *a, *b;
        unsigned char buffer[200];
        size_t n;
        what = rows[row].suite;
        server = side(libraries[who & 1], 1, row);
        client = side(libraries[who >> 1], 0, row);
        CHECK(BIO_new_bio_pair(&a, 40000, &b, 40000));
        SSL_set_bio(server, a, a);
        SSL_set_bio(client, b, b);
        for (int i = 0; i < 20 && (SSL_do_handshake(client) != 1) | (SSL_do_handshake(server) != 1); i++)
            if (SSL_get_error(client, -1) == SSL_ERROR_SSL || SSL_get_error(server, -1) == SSL_ERROR_SSL) break;
        CHECK(SSL_is_init_finished(server) && SSL_is_init_finished(client));
        move(client, server);
        move(server, client);
        /* A record that was changed is refused. */
        CHECK(SSL_write_ex(client, sent, 100, &n));
        CHECK((n = (size_t)BIO_read(SSL_get_rbio(server), buffer, sizeof buffer)) > 100);
        buffer[n - 1 - (size_t)who] ^= 1;
        {
            BIO *memory = BIO_new_mem_buf(buffer, (int)n);
            SSL_set0_rbio(server, memory);
            CHECK(!SSL_read_ex(server, got, sizeof got, &n) && SSL_get_error(server, 0) == SSL_ERROR_SSL);
            ERR_clear_error();
        }
        SSL_free(server);
        SSL_free(client);
        connections++;
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    for (int i = 2; i >= 0; i--) OSSL_PROVIDER_unload(providers[i]);
    for (int i = 0; i < 2; i++) OSSL_LIB_CTX_free(libraries[i]);
    printf("%d connections\n", connections);
    return 0;
}
