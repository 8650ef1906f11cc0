#include "protocol/confirmed/confirmed_batch.h"

#include <limits>
#include <utility>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

/// Epoch, first tick and number of ticks have at most 5, 10 and 3 bytes.
constexpr std::size_t kHeadBytesMax = 18;

std::size_t bytes_of_number(std::uint64_t value) noexcept {
  std::size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

void put_number(std::uint64_t value, std::vector<std::byte>& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

bool get_number(ByteReader& reader, std::uint64_t& out) noexcept {
  out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    auto const byte = reader.get<std::uint8_t>();
    if (!reader.ok() || (shift == 63 && byte > 1)) return false;
    out |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

std::size_t ConfirmedBatch::memory_bytes() const noexcept {
  constexpr std::size_t kRecordBytes = sizeof(TickBytes) + 32;  // and a block of memory
  std::size_t bytes = 0;
  for (const TickBytes& one : records) bytes += kRecordBytes + one.record.size();
  return bytes;
}

std::uint64_t write_batch(const ConfirmedLog& log, std::uint32_t epoch, std::uint64_t first,
                          std::uint64_t end, std::size_t bytes_max, std::vector<std::byte>& out) {
  TAKT_ASSERT(first >= log.first_tick() && first < end && end <= log.end_tick());
  std::size_t bytes = kHeadBytesMax;
  std::uint64_t stop = first;
  for (std::uint64_t after = first; stop < end && stop - first < kConfirmedTicksMax; ++stop) {
    std::size_t const record = log.at(stop).record.size();
    if (record == 0) continue;
    bytes += bytes_of_number(stop - after) + bytes_of_number(record) + record;
    if (bytes > bytes_max && stop != first) break;
    after = stop + 1;
  }
  out.clear();
  put_number(epoch, out);
  put_number(first, out);
  put_number(stop - first, out);
  std::uint64_t after = first;
  for (std::uint64_t tick = first; tick < stop; ++tick) {
    std::vector<std::byte> const& record = log.at(tick).record;
    if (record.empty()) continue;
    put_number(tick - after, out);
    put_number(record.size(), out);
    out.insert(out.end(), record.begin(), record.end());
    after = tick + 1;
  }
  return stop;
}

Result<ConfirmedBatch, Error> read_batch(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  ConfirmedBatch batch;
  std::uint64_t epoch = 0;
  std::uint64_t count = 0;
  if (!get_number(reader, epoch) || !get_number(reader, batch.first_tick) || !get_number(reader, count))
    return Error::kBadLayout;
  if (epoch > std::numeric_limits<std::uint32_t>::max() || count == 0 || count > kConfirmedTicksMax ||
      batch.first_tick > std::numeric_limits<std::uint64_t>::max() - 2 * kConfirmedTicksMax)
    return Error::kOutOfRange;
  batch.epoch = static_cast<std::uint32_t>(epoch);
  batch.end_tick = batch.first_tick + count;
  std::uint64_t tick = batch.first_tick;
  while (reader.remaining() > 0) {
    std::uint64_t gap = 0;
    std::uint64_t size = 0;
    if (!get_number(reader, gap) || !get_number(reader, size)) return Error::kBadLayout;
    if (gap >= batch.end_tick - tick || size == 0 || size > reader.remaining()) return Error::kBadLayout;
    auto const record = reader.get_bytes(static_cast<std::size_t>(size));
    batch.records.push_back({tick + gap, {record.begin(), record.end()}});
    tick += gap + 1;
  }
  return batch;
}

}  // namespace takt::protocol
