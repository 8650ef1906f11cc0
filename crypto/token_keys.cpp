#include "takt/crypto/token_keys.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "crypto/base64url.h"

namespace takt::crypto {
namespace {

std::string_view trimmed(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Adds the key of a line; an empty line and a comment add nothing.
Result<Unit, Error> add_line(std::string_view line, TokenKeys& keys) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return Unit{};
  std::uint32_t id = 0;
  auto const [end, failure] = std::from_chars(line.data(), line.data() + line.size(), id);
  auto const rest = line.substr(static_cast<std::size_t>(end - line.data()));
  if (failure != std::errc{} || rest.empty() || (rest.front() != ' ' && rest.front() != '\t'))
    return Error::kMalformed;
  std::array<std::byte, SecretKey::kBytes> bytes{};
  if (decode_base64url(trimmed(rest), bytes) != bytes.size()) {
    wipe(bytes);
    return Error::kMalformed;
  }
  SecretKey key(bytes);
  wipe(bytes);
  return keys.add(id, std::move(key));
}

}  // namespace

Result<Unit, Error> TokenKeys::add(std::uint32_t id, SecretKey key) {
  if (id == 0) return Error::kOutOfRange;
  if (find(id) != nullptr) return Error::kDuplicate;
  if (entries_.size() == kMaxKeys) return Error::kTableFull;
  auto const after = std::ranges::upper_bound(entries_, id, {}, &Entry::id);
  entries_.insert(after, Entry{id, std::move(key)});
  return Unit{};
}

void TokenKeys::remove_oldest() {
  if (!entries_.empty()) entries_.erase(entries_.begin());
}

std::uint32_t TokenKeys::newest_id() const noexcept { return entries_.empty() ? 0 : entries_.back().id; }

std::vector<std::uint32_t> TokenKeys::ids() const {
  std::vector<std::uint32_t> ids;
  for (const Entry& entry : entries_) ids.push_back(entry.id);
  return ids;
}

const SecretKey* TokenKeys::find(std::uint32_t id) const noexcept {
  auto const found = std::ranges::find(entries_, id, &Entry::id);
  return found == entries_.end() ? nullptr : &found->key;
}

Result<TokenKeys, TokenKeysFault> read_token_keys(std::string_view text) {
  TokenKeys keys;
  for (int line = 1; !text.empty(); ++line) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    Result<Unit, Error> const added = add_line(text.substr(0, end), keys);
    if (!added) return TokenKeysFault{line, added.error()};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return keys;
}

std::string token_key_line(std::uint32_t id, const SecretKey& key) {
  std::string line = std::to_string(id) + ' ';
  append_base64url(key.reveal(), line);
  return line + '\n';
}

}  // namespace takt::crypto
