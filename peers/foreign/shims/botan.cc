/* Botan 3 by its C++ interface. Some modes end a message in a vector of their own; these get all but its end in place. */
#include "plugin.h"
#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#include <algorithm>
#include <memory>
#include <string>

namespace {

struct State {
    explicit State(const peer_case& of) : c(of) {}

    peer_case c;
    std::unique_ptr<Botan::BlockCipher> block;
    std::unique_ptr<Botan::StreamCipher> stream;
    std::unique_ptr<Botan::Cipher_Mode> mode;
    std::unique_ptr<Botan::HashFunction> hash;
    std::unique_ptr<Botan::MessageAuthenticationCode> mac;
    Botan::AEAD_Mode* aead = nullptr; // `mode`, if it is one
    size_t iv_at = 0, iv_len = 16;
    size_t in_place = 0; // the number of bytes of the message that are processed in place
    Botan::secure_vector<uint8_t> end;
};

State& of(void* state)
{
    return *static_cast<State*>(state);
}

bool ecb(void* state, const uint8_t (*)[32], uint8_t* text, uint8_t (*)[64])
{
    State& s = of(state);
    const size_t blocks = s.c.size / s.block->block_size();
    s.c.op == PEER_ENCRYPT ? s.block->encrypt_n(text, text, blocks) : s.block->decrypt_n(text, text, blocks);
    return true;
}

bool stream(void* state, const uint8_t (*ivs)[32], uint8_t* text, uint8_t (*)[64])
{
    State& s = of(state);
    if (s.c.rekey)
        s.stream->set_key(s.c.key, s.c.key_len);
    s.stream->set_iv(ivs[0], s.iv_len);
    s.stream->cipher1(text, s.c.size);
    return true;
}

bool chacha20(void* state, const uint8_t (*ivs)[32], uint8_t* text, uint8_t (*)[64])
{
    State& s = of(state);
    s.stream->set_iv(ivs[0] + PEER_CHACHA20_NONCE, 12);
    s.stream->seek(64);
    s.stream->cipher1(text, s.c.size);
    return true;
}

bool mode(void* state, const uint8_t (*ivs)[32], uint8_t* text, uint8_t (*outs)[64])
{
    State& s = of(state);
    const size_t rest = s.c.size - s.in_place;
    const bool opening = s.aead && s.c.op == PEER_DECRYPT;
    try {
        if (s.c.rekey)
            s.mode->set_key(s.c.key, s.c.key_len);
        if (s.aead)
            s.aead->set_associated_data(s.c.assoc, s.c.assoc_len);
        s.mode->start(ivs[0] + s.iv_at, s.iv_len);
        if (s.in_place)
            s.mode->process(text, s.in_place);
        const uint8_t* from = text + s.in_place;
        s.end.assign(from, from + rest + (opening ? 16 : 0));
        s.mode->finish(s.end);
    } catch (const std::exception&) {
        return false;
    }
    std::copy_n(s.end.data(), rest, text + s.in_place);
    if (s.aead && !opening)
        std::copy_n(s.end.data() + rest, 16, outs[0]);
    return true;
}

bool digest(void* state, const uint8_t (*)[32], uint8_t* text, uint8_t (*outs)[64])
{
    State& s = of(state);
    s.hash->update(text, s.c.size);
    s.hash->final(outs[0]);
    return true;
}

bool mac(void* state, const uint8_t (*)[32], uint8_t* text, uint8_t (*outs)[64])
{
    State& s = of(state);
    s.mac->update(text, s.c.size);
    s.mac->final(outs[0]);
    return true;
}

/* A one-time key is set for each message. */
bool poly1305(void* state, const uint8_t (*ivs)[32], uint8_t* text, uint8_t (*outs)[64])
{
    State& s = of(state);
    s.mac->set_key(s.c.key, s.c.key_len);
    return mac(state, ivs, text, outs);
}

peer_run* make_stream(State& s, const std::string& name, size_t iv_len, peer_run* run)
{
    s.stream = Botan::StreamCipher::create_or_throw(name);
    s.stream->set_key(s.c.key, s.c.key_len);
    s.iv_len = iv_len;
    return run;
}

peer_run* make_mode(State& s, const std::string& name, size_t iv_len)
{
    const auto dir = s.c.op == PEER_ENCRYPT ? Botan::Cipher_Dir::Encryption : Botan::Cipher_Dir::Decryption;
    s.mode = Botan::Cipher_Mode::create_or_throw(name, dir);
    s.mode->set_key(s.c.key, s.c.key_len);
    s.aead = dynamic_cast<Botan::AEAD_Mode*>(s.mode.get());
    s.iv_len = iv_len;
    const size_t last = s.aead ? 0 : s.mode->minimum_final_size(), unit = s.mode->update_granularity();
    if (!s.mode->requires_entire_message() && s.c.size > last)
        s.in_place = (s.c.size - last) / unit * unit;
    s.end.reserve(s.c.size + 64);
    return mode;
}

peer_run* make_mac(State& s, const std::string& name, peer_run* run)
{
    s.mac = Botan::MessageAuthenticationCode::create_or_throw(name);
    s.mac->set_key(s.c.key, s.c.key_len);
    return run;
}

std::string digest_name(const std::string& name)
{
    static const std::string names[][2] = {
        {"sha1", "SHA-1"}, {"sha224", "SHA-224"}, {"sha256", "SHA-256"}, {"sha384", "SHA-384"},
        {"sha512", "SHA-512"}, {"sha3-256", "SHA-3(256)"}, {"sha3-512", "SHA-3(512)"},
        {"blake2b-512", "BLAKE2b(512)"}, {"blake2s-256", "BLAKE2s(256)"},
    };
    for (const auto& [ours, botans] : names)
        if (name == ours)
            return botans;
    return "";
}

peer_run* make(State& s)
{
    const std::string mode = s.c.mode, cipher = s.c.cipher, digest_of = digest_name(cipher);
    if (cipher == "aes" || cipher == "serpent") {
        const size_t bits = 8 * s.c.key_len / (mode == "xts" ? 2 : 1);
        const std::string name = cipher == "serpent" ? "Serpent" : "AES-" + std::to_string(bits);
        if (mode == "ecb") {
            s.block = Botan::BlockCipher::create_or_throw(name);
            s.block->set_key(s.c.key, s.c.key_len);
            return ecb;
        }
        if (mode == "ctr")
            return make_stream(s, "CTR-BE(" + name + ")", 16, stream);
        if (mode == "cmac")
            return make_mac(s, "CMAC(" + name + ")", mac);
        if (mode == "cbc")
            return make_mode(s, name + "/CBC/NoPadding", 16);
        if (mode == "xts")
            return make_mode(s, name + "/XTS", 16);
        if (mode == "gcm")
            return make_mode(s, name + "/GCM", 12);
        s.iv_at = mode == "ccm" ? PEER_CCM_NONCE : 0;
        if (mode == "ccm")
            return make_mode(s, name + "/CCM(16,2)", 13);
        return nullptr;
    }
    if (mode == "rfc7539")
        return make_mode(s, "ChaCha20Poly1305", 12);
    if (mode == "hmac" && !digest_of.empty())
        return make_mac(s, "HMAC(" + digest_of + ")", mac);
    if (!mode.empty())
        return nullptr;
    if (cipher == "chacha20")
        return make_stream(s, "ChaCha(20)", 12, chacha20);
    if (cipher == "xchacha20")
        return make_stream(s, "ChaCha(20)", 24, stream);
    if (cipher == "poly1305")
        return make_mac(s, "Poly1305", poly1305);
    if (digest_of.empty())
        return nullptr;
    s.hash = Botan::HashFunction::create_or_throw(digest_of);
    return digest;
}

void release(void* state)
{
    delete static_cast<State*>(state);
}

} // namespace

bool peer_make(const peer_case* c, peer_work* work)
{
    auto state = std::make_unique<State>(*c);
    *work = {make(*state), release, nullptr, 1};
    if (work->run)
        work->state = state.release();
    return work->run != nullptr;
}

const char* peer_version()
{
    return Botan::short_version_cstr();
}
