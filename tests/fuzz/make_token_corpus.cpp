// Writes the seeds of the corpus of token_fuzz.cpp. Run by hand when the format of tokens changes.
//
// usage: make_token_corpus tests/fuzz/corpus
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "takt/crypto/connect_token.h"

namespace {

using namespace takt::crypto;

void save(const std::filesystem::path& file, char mode, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary);
  out.put(mode);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_token_corpus tests/fuzz/corpus\n", stderr);
    return 2;
  }
  std::filesystem::path const folder = std::filesystem::path(argv[1]) / "token";
  std::filesystem::create_directories(folder);
  TokenKeys keys;  // those of token_fuzz.cpp
  keys.add(1, SecretKey(std::array<std::byte, SecretKey::kBytes>{})).value();
  TokenClaims claims;
  claims.user_id = 1;
  claims.expires_s = 2000;
  for (char const* const name : {"plain", "full"}) {
    if (std::string_view(name) == "full") {
      claims.player_name = "Ada";
      claims.servers = {"a:1", "c:3"};
      claims.user_data.resize(5);
    }
    auto const token = mint_token(claims, keys, 1, std::array<std::byte, kTokenRandomBytes>{}).value();
    std::string_view const sealed(reinterpret_cast<const char*>(token.sealed.data()), token.sealed.size());
    save(folder / (std::string("text_") + name), 0, token_text(token));
    save(folder / (std::string("sealed_") + name), 1, sealed);
    // The claims of a mode that seals are in clear. Zeros stand for them: fields and sizes of 0.
    std::string open(sealed);
    std::size_t const clear = 44 + (claims.servers.empty() ? 0 : 8);
    std::fill(open.begin() + static_cast<std::ptrdiff_t>(clear), open.end() - 16, '\0');
    open[clear] = 1;       // user id
    open[clear + 26] = 1;  // modes
    open[clear + 27] = static_cast<char>(claims.player_name.size());
    open[clear + 40] = static_cast<char>(claims.user_data.size());
    save(folder / (std::string("claims_") + name), 3, open);
  }
  save(folder / "keys", 0, token_key_line(1, *keys.find(1)) + token_key_line(4, *keys.find(1)));
  return 0;
}
