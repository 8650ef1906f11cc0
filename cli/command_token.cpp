// takt token: the keys that a back end and its servers share, and connect tokens of them (docs/TOKENS.md).
// Keys and tokens are read from files and stdin, never from the command line, which other users can list.
#include <CLI/CLI.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/endpoint_text.h"
#include "cli/file_claims.h"
#include "cli/folder_lock.h"
#include "cli/number_option.h"
#include "cli/output_file.h"
#include "cli/path_option.h"
#include "cli/subcommand.h"
#include "cli/token_text.h"
#include "net/clock.h"
#include "net/entropy.h"
#include "server/file_bytes.h"
#include "server/token_key_file.h"
#include "takt/crypto/connect_token.h"

namespace takt::cli {
namespace {

constexpr std::uint64_t kMaxInspectedFileBytes = 16 * 1024;
constexpr std::chrono::seconds kKeygenPatience{10};  // for other keygens, which take milliseconds each

struct KeygenOptions {
  std::string keys_path;
  bool drop_oldest = false;
};

struct MintOptions {
  std::string keys_path;
  std::string out_path = "-";
  std::uint32_t key_id = 0;  // 0 = the newest
  std::uint64_t expires_in_s = 3600;
  std::string role = "player";
  std::vector<std::string> modes{"snapshot", "rollback", "lockstep", "predicted"};
  std::string user_data;
  crypto::TokenClaims claims;
};

struct InspectOptions {
  std::string token_path;
  std::string keys_path;
  std::vector<std::string> servers;
  bool json = false;
};

std::string readable(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }

void wipe_text(std::string& text) { crypto::wipe(std::as_writable_bytes(std::span(text))); }

// Writes a secret text, which is then wiped.
bool write_secret(OutputFile& file, std::string& text) {
  bool const written = file.write(std::as_bytes(std::span(text))) && file.close();
  wipe_text(text);
  if (!written) print_error(file.failure());
  return written;
}

std::string key_file_text(const crypto::TokenKeys& keys) {
  std::string text;
  text.reserve(crypto::TokenKeys::kMaxKeys * 64 + 128);  // a text that grows would leave keys in freed memory
  text += "# Keys of connect tokens: whoever has a line can join as anybody. The greatest id mints.\n";
  for (std::uint32_t const id : keys.ids()) text += crypto::token_key_line(id, *keys.find(id));
  return text;
}

crypto::SecretKey draw_key() {
  std::array<std::byte, crypto::SecretKey::kBytes> bytes{};
  net::draw_bytes(bytes);
  crypto::SecretKey key(bytes);
  crypto::wipe(bytes);
  return key;
}

int generate_key(const KeygenOptions& options) {
  FileClaims claims;
  claims.add_output("keys", options.keys_path, OutputKind::kFile);
  if (auto const checked = claims.check(); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  auto const lock = FolderLock::take(options.keys_path, kKeygenPatience);  // to the end: see FolderLock
  if (!lock) return print_error(message(lock.error())), kExitBadInput;
  crypto::TokenKeys keys;
  if (find_output_place(options.keys_path).kind == FilePlace::Kind::kFile) {
    auto loaded = server::load_token_keys(options.keys_path);
    if (!loaded) return print_error(message(loaded.error())), kExitBadInput;
    keys = *std::move(loaded);
  }
  if (keys.size() == crypto::TokenKeys::kMaxKeys) {
    if (!options.drop_oldest)
      return print_error(options.keys_path +
                         ": has four keys, the most allowed; --drop-oldest removes the first, and its tokens "
                         "stop working"),
             kExitBadInput;
    keys.remove_oldest();
  }
  std::uint32_t const id = keys.newest_id() + 1;
  auto const added = keys.add(id, draw_key());
  if (!added)
    return print_error(options.keys_path +
                       ": has a key with the greatest id, 4294967295; write its ids anew"),
           kExitBadInput;
  auto file = OutputFile::create(options.keys_path, Latecomer::kReplace, Readers::kOwner);
  if (!file) return print_error(message(file.error())), kExitBadInput;
  std::string text = key_file_text(keys);
  if (!write_secret(*file, text)) return kExitFailed;
  std::fprintf(stderr, "%s: key %u is new; give the file to every server before the back end mints with it\n",
               program_name().c_str(), static_cast<unsigned>(id));
  return kExitDone;
}

crypto::TokenClaims claims_of(const MintOptions& options) {
  crypto::TokenClaims claims = options.claims;
  claims.issued_s = net::unix_now_s();
  claims.expires_s = claims.issued_s + options.expires_in_s;
  claims.role = options.role == "spectator" ? crypto::TokenRole::kSpectator : crypto::TokenRole::kPlayer;
  claims.modes = 0;
  for (const std::string& mode : options.modes) {
    claims.modes |= mode == "snapshot"   ? crypto::kTokenModeSnapshot
                    : mode == "rollback" ? crypto::kTokenModeRollback
                    : mode == "lockstep" ? crypto::kTokenModeLockstep
                                         : crypto::kTokenModePredicted;
  }
  auto const user_data = std::as_bytes(std::span(options.user_data));
  claims.user_data.assign(user_data.begin(), user_data.end());
  return claims;
}

int mint(const MintOptions& options) {
  FileClaims files;
  files.add_input("--keys", readable(options.keys_path));
  files.add_output("--out", options.out_path, OutputKind::kFile);
  if (auto const checked = files.check(); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  auto const keys = server::load_token_keys(options.keys_path);
  if (!keys) return print_error(message(keys.error())), kExitBadInput;
  std::uint32_t const key_id = options.key_id != 0 ? options.key_id : keys->newest_id();
  for (const std::string& server : options.claims.servers)
    if (!parse_endpoint(server))
      return print_error("--server " + server + ": write HOST:PORT, as clients and the server write it"),
             kExitBadInput;
  std::array<std::byte, crypto::kTokenRandomBytes> random{};
  net::draw_bytes(random);
  auto const token = crypto::mint_token(claims_of(options), *keys, key_id, random);
  crypto::wipe(random);
  if (!token && token.error() == crypto::Error::kWrongKey)
    return print_error(options.keys_path + ": has no key" +
                       (key_id == 0 ? "; 'token keygen' makes one" : ' ' + std::to_string(key_id))),
           kExitBadInput;
  if (!token)
    return print_error(
               "a claim is outside its range: --name has at most 32 bytes of UTF-8 without control "
               "characters, --user-data 256 bytes, --server 8 texts of ASCII and some 600 bytes in all"),
           kExitBadInput;
  auto file = OutputFile::create(options.out_path, Latecomer::kReplace, Readers::kOwner);
  if (!file) return print_error(message(file.error())), kExitBadInput;
  std::string text = token_text(*token);
  text += '\n';
  return write_secret(*file, text) ? kExitDone : kExitFailed;
}

// Constant time: both comparisons are made.
bool are_equal(const crypto::SessionKeys& a, const crypto::SessionKeys& b) {
  bool const to_server = a.client_to_server == b.client_to_server;
  bool const to_client = a.server_to_client == b.server_to_client;
  return to_server && to_client;
}

int inspect(const InspectOptions& options) {
  Result<std::string, server::FileError> text =
      server::read_file(readable(options.token_path), kMaxInspectedFileBytes, options.token_path);
  if (!text) return print_error(message(text.error())), kExitBadInput;
  auto const token = crypto::read_token_text(*text);
  wipe_text(*text);
  if (!token)
    return print_error(options.token_path +
                       ": no connect token of this version: " + std::string(message(token.error()))),
           kExitBadInput;
  InspectedToken result{crypto::read_token_header(token->sealed).value(), net::unix_now_s(), {}, {}};
  if (!options.keys_path.empty()) {
    auto const keys = server::load_token_keys(options.keys_path);
    if (!keys) return print_error(message(keys.error())), kExitBadInput;
    std::vector<std::string> const& names = options.servers.empty() ? result.header.servers : options.servers;
    auto opened = crypto::open_token(token->sealed, *keys, names, result.now_s);
    if (!opened) {
      result.refusal = message(opened.error());
    } else if (!are_equal(opened->keys, token->keys)) {
      result.refusal = "the client's keys are not those of the sealed token";
    } else {
      result.claims = std::move(opened->claims);
    }
  }
  print_token(result, options.json);
  if (result.refusal)
    return print_error(options.token_path + ": " + std::string(*result.refusal)), kExitFailed;
  return kExitDone;
}

void add_keygen(CLI::App& token, Action& action) {
  auto const options = std::make_shared<KeygenOptions>();
  CLI::App* const command =
      token.add_subcommand("keygen", "Make a key, or add a newer one to those of a file");
  add_path(*command, "keys", options->keys_path, PathKind::kFile, "File of up to four keys, - = stdout")
      ->required();
  command->add_flag("--drop-oldest", options->drop_oldest, "Of four keys, remove the oldest");
  command->callback([options, &action] { action = [options] { return generate_key(*options); }; });
}

void add_mint(CLI::App& token, Action& action) {
  auto const options = std::make_shared<MintOptions>();
  crypto::TokenClaims& claims = options->claims;
  CLI::App* const command = token.add_subcommand("mint", "Mint a connect token for one player");
  add_path(*command, "--keys", options->keys_path, PathKind::kFile, "File of 'token keygen', - = stdin")
      ->required();
  add_path(*command, "--out", options->out_path, PathKind::kFile, "Write the token to this file, - = stdout")
      ->capture_default_str();
  add_number(*command, "--key", options->key_id, 1, UINT32_MAX, "Id of the key (default: the newest)");
  add_number(*command, "--user", claims.user_id, 1, UINT64_MAX, "Account of the player")->required();
  add_number(*command, "--room", claims.room_id, 0, UINT64_MAX, "The room, 0 = any")->capture_default_str();
  command->add_option("--name", claims.player_name, "Name of the player in the room, at most 32 bytes");
  command->add_option("--role", options->role, "The part that the client takes")
      ->check(CLI::IsMember({"player", "spectator"}))
      ->capture_default_str();
  command->add_flag("--admin", claims.admin, "The player may pause, step and load scenes");
  command->add_option("--mode", options->modes, "An allowed replication mode (default: all)")
      ->check(CLI::IsMember({"snapshot", "rollback", "lockstep", "predicted"}));
  add_number(*command, "--bodies", claims.bodies_max, 0, UINT32_MAX,
             "Bodies that the player may own, 0 = as the room")
      ->capture_default_str();
  add_number(*command, "--commands", claims.commands_per_s_max, 0, UINT32_MAX,
             "Commands a second, 0 = as the room")
      ->capture_default_str();
  add_number(*command, "--grace", claims.reconnect_grace_s, 0, 86'400,
             "Seconds for which the player may be away and come back")
      ->capture_default_str();
  add_number(*command, "--expires-in", options->expires_in_s, 1, 31'536'000,
             "Seconds until the token expires")
      ->capture_default_str();
  command->add_option("--server", claims.servers, "HOST:PORT of a server that accepts it (default: any)");
  command->add_option("--user-data", options->user_data, "Text for the game, at most 256 bytes");
  command->callback([options, &action] { action = [options] { return mint(*options); }; });
}

void add_inspect(CLI::App& token, Action& action) {
  auto const options = std::make_shared<InspectOptions>();
  CLI::App* const command = token.add_subcommand(
      "inspect", "Print the content of a token, and with keys check it as a server does");
  add_path(*command, "token", options->token_path, PathKind::kFile, "File of 'token mint', - = stdin")
      ->required();
  CLI::Option* const keys =
      add_path(*command, "--keys", options->keys_path, PathKind::kFile, "File of 'token keygen'");
  command->add_option("--server", options->servers, "HOST:PORT of the server (default: one that it lists)")
      ->needs(keys);
  command->add_flag("--json", options->json, "One JSON object instead of text");
  command->callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace

void add_token(CLI::App& app, Action& action) {
  CLI::App* const token =
      app.add_subcommand("token", "Keys and connect tokens, with which players prove who they are");
  token->require_subcommand(1);
  add_keygen(*token, action);
  add_mint(*token, action);
  add_inspect(*token, action);
}

}  // namespace takt::cli
