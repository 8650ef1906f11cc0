#include "sim/recording/tick_record.h"

#include <algorithm>
#include <utility>

#include "sim/commands/input_encoding.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::sim {
namespace {

constexpr std::size_t kGroup = 8;

bool acts_before(const Input& a, const Input& b) noexcept {
  return std::pair(a.player, a.sequence) < std::pair(b.player, b.sequence);
}

// Packed bytes: for each 8 bytes one byte with a bit per byte that is not 0, then those bytes. Commands have
// numbers of fixed width, of which half of the bytes are 0.
void pack(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
  for (std::size_t at = 0; at < bytes.size(); at += kGroup) {
    auto const group = bytes.subspan(at, std::min(kGroup, bytes.size() - at));
    std::size_t const mask_at = out.size();
    out.push_back(std::byte{0});
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (group[i] == std::byte{0}) continue;
      out[mask_at] |= std::byte{1} << static_cast<int>(i);
      out.push_back(group[i]);
    }
  }
}

// The end of the last group is not known here: it comes out with zeros behind it.
bool unpack(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
  for (std::size_t at = 0; at < bytes.size();) {
    auto const mask = static_cast<unsigned>(bytes[at++]);
    for (unsigned i = 0; i < kGroup; ++i) {
      std::byte value{0};
      if ((mask >> i & 1u) != 0) {
        if (at == bytes.size() || bytes[at] == std::byte{0}) return false;  // one record has one encoding
        value = bytes[at++];
      }
      out.push_back(value);
    }
  }
  return true;
}

}  // namespace

// Before packing: u8 number of ticks by which the hash is older than tick + 1, plus 1, or 0 without a hash;
// u64 hash if there is one; u32 number of inputs; the inputs.
void encode(const TickRecord& record, std::vector<std::byte>& out) {
  auto const is_sound = [&](const Input& input) { return input.tick == record.tick; };
  TAKT_ASSERT(std::ranges::all_of(record.inputs, is_sound));
  TAKT_ASSERT(std::ranges::adjacent_find(record.inputs, [](const Input& a, const Input& b) {
                return !acts_before(a, b);
              }) == record.inputs.end());
  if (record.inputs.empty() && !record.hash) return;
  std::vector<std::byte> plain;
  ByteWriter writer(plain);
  std::uint8_t age = 0;
  if (record.hash) {
    TAKT_ASSERT(record.hash->tick <= record.tick + 1 && record.tick + 1 - record.hash->tick < 255);
    age = static_cast<std::uint8_t>(record.tick + 2 - record.hash->tick);
  }
  writer.put(age);
  if (record.hash) writer.put(record.hash->hash);
  writer.put(static_cast<std::uint32_t>(record.inputs.size()));
  for (const Input& input : record.inputs) encode_without_tick(input, writer);
  pack(plain, out);
}

Result<TickRecord, SimError> decode_tick_record(std::uint64_t tick, std::span<const std::byte> bytes) {
  TickRecord record;
  record.tick = tick;
  if (bytes.empty()) return record;
  if (bytes.size() > kTickRecordBytesMax) return SimError::kTooLarge;
  std::vector<std::byte> plain;
  if (!unpack(bytes, plain)) return SimError::kTickRecordMalformed;
  ByteReader reader(plain);
  if (auto const age = reader.get<std::uint8_t>(); age != 0) {
    if (tick + 2 < age) return SimError::kTickRecordMalformed;
    record.hash = StateHash{tick + 2 - age, reader.get<std::uint64_t>()};
  }
  auto const count = reader.get<std::uint32_t>();
  if (!reader.ok() || (count == 0 && !record.hash)) return SimError::kTickRecordMalformed;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto input = decode_input_of_tick(tick, reader);
    bool const is_sound = input.ok() && (i == 0 || acts_before(record.inputs.back(), *input));
    if (!is_sound) return SimError::kTickRecordMalformed;
    record.inputs.push_back(*std::move(input));
  }
  if (reader.remaining() >= kGroup) return SimError::kTickRecordMalformed;
  for (std::byte const rest : reader.get_bytes(reader.remaining()))
    if (rest != std::byte{0}) return SimError::kTickRecordMalformed;
  return record;
}

}  // namespace takt::sim
