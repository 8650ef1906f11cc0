#include "protocol/messages/rope_codec.h"

#include <algorithm>
#include <bit>

#include "protocol/wire/bit_stream.h"
#include "protocol/wire/limits.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

constexpr unsigned kLatticeShift = 32 - kRopeLatticeBits;
constexpr std::int64_t kLatticeBound = std::int64_t{1} << (31 + kRopeLatticeBits);  // the world's edge
constexpr unsigned kPlaceBits = 32 + kRopeLatticeBits;  // of a position written in full
// A tension is the upper half of its binary32, counted from that of 2^-7 N; what is smaller is none.
constexpr float kMinTension = 0x1p-7f;
constexpr std::int64_t kMinTensionHalf = 0x3C00;
constexpr std::int64_t kGreatestTensionHalf = 0x7F7F;
constexpr std::int64_t kTensionBound = kGreatestTensionHalf - kMinTensionHalf + 1;
constexpr unsigned kTensionBits = 16;

constexpr unsigned kEscapeOnes = 24;  // as many ones announce a number written as it is
constexpr unsigned kEscapeBits =
    48;  // which any difference of differences fits: four times the lattice, and a sign
constexpr unsigned kSecondNodeK = 10;  // the second node of a slice lies a segment away, of any length
constexpr unsigned kAdaptiveKMax = 32;
constexpr std::uint32_t kWindow = 16;  // numbers after which what came before counts half
/// Maximum bytes of a header and of a node.
constexpr std::size_t kHeaderBytesMax = 5 * 6 + 4 + 2;
constexpr std::size_t kNodeBytesMax = (4 * (kEscapeOnes + kEscapeBits) + 7) / 8;

std::uint64_t zigzag(std::int64_t value) noexcept {
  return value < 0 ? 2 * static_cast<std::uint64_t>(-(value + 1)) + 1 : 2 * static_cast<std::uint64_t>(value);
}
std::int64_t unzigzag(std::uint64_t coded) noexcept {
  auto const half = static_cast<std::int64_t>(coded >> 1);
  return (coded & 1) != 0 ? -half - 1 : half;
}

std::int64_t place_of(std::int64_t raw) noexcept {
  std::int64_t const rounded = (raw >> kLatticeShift) + ((raw >> (kLatticeShift - 1)) & 1);
  return std::min(rounded, kLatticeBound - 1);
}

std::int64_t code_of_tension(float tension) noexcept {
  float const size = tension < 0 ? -tension : tension;
  if (size < kMinTension) return 0;
  std::int64_t const half = (std::int64_t{std::bit_cast<std::uint32_t>(size)} + 0x8000) >> 16;
  std::int64_t const code = std::min(half, kGreatestTensionHalf) - kMinTensionHalf + 1;
  return tension < 0 ? -code : code;
}
float tension_of(std::int64_t code) noexcept {
  if (code == 0) return 0;
  std::int64_t const half = (code < 0 ? -code : code) - 1 + kMinTensionHalf;
  float const size = std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
  return code < 0 ? -size : size;
}

// The mean of the numbers so far says how many low bits of the next are written as they are.
class Adaptation {
 public:
  [[nodiscard]] unsigned k() const noexcept {
    unsigned k = 0;
    while (k < kAdaptiveKMax && (std::uint64_t{count_} << k) < sum_) ++k;
    return k;
  }
  void note(std::uint64_t coded) noexcept {
    sum_ += coded;
    if (++count_ < kWindow) return;
    sum_ >>= 1;
    count_ >>= 1;
  }

 private:
  std::uint64_t sum_ = 64;
  std::uint32_t count_ = 2;
};

void put_rice(BitWriter& out, std::uint64_t coded, unsigned k) {
  std::uint64_t const ones = coded >> k;
  if (ones >= kEscapeOnes) {
    out.put((std::uint64_t{1} << kEscapeOnes) - 1, kEscapeOnes);
    out.put(coded, kEscapeBits);
    return;
  }
  out.put((std::uint64_t{1} << ones) - 1, static_cast<unsigned>(ones) + 1);
  out.put(coded & ((std::uint64_t{1} << k) - 1), k);
}
std::uint64_t get_rice(BitReader& in, unsigned k) noexcept {
  unsigned const ones = in.get_ones(kEscapeOnes);
  if (ones == kEscapeOnes) return in.get(kEscapeBits);
  return (std::uint64_t{ones} << k) | in.get(k);
}

// One channel of a slice: what the next number is expected to be, and how its difference from that is
// written. Both directions.
class Channel {
 public:
  Channel(std::int64_t min, std::int64_t greatest, unsigned plain_bits) noexcept
      : min_(min), greatest_(greatest), plain_bits_(plain_bits) {}

  void put(BitWriter& out, std::int64_t value) {
    if (seen_ == 0) {
      out.put(static_cast<std::uint64_t>(value + (std::int64_t{1} << (plain_bits_ - 1))), plain_bits_);
    } else {
      std::uint64_t const coded = zigzag(value - expected());
      put_rice(out, coded, k());
      if (seen_ > 1) adaptation_.note(coded);
    }
    note(value);
  }
  // False: not a number that this channel has.
  [[nodiscard]] bool get(BitReader& in, std::int64_t& value) noexcept {
    if (seen_ == 0) {
      value = static_cast<std::int64_t>(in.get(plain_bits_)) - (std::int64_t{1} << (plain_bits_ - 1));
    } else {
      std::uint64_t const coded = get_rice(in, k());
      value = expected() + unzigzag(coded);
      if (seen_ > 1) adaptation_.note(coded);
    }
    if (!in.ok() || value < min_ || value > greatest_) return false;
    note(value);
    return true;
  }

 private:
  [[nodiscard]] std::int64_t expected() const noexcept { return seen_ == 1 ? last_ : 2 * last_ - before_; }
  [[nodiscard]] unsigned k() const noexcept { return seen_ == 1 ? kSecondNodeK : adaptation_.k(); }
  void note(std::int64_t value) noexcept {
    before_ = last_;
    last_ = value;
    ++seen_;
  }

  std::int64_t min_;
  std::int64_t greatest_;
  unsigned plain_bits_;
  std::int64_t last_ = 0;
  std::int64_t before_ = 0;
  std::uint32_t seen_ = 0;
  Adaptation adaptation_;
};

struct Channels {
  Channel x{-kLatticeBound, kLatticeBound - 1, kPlaceBits};
  Channel y{-kLatticeBound, kLatticeBound - 1, kPlaceBits};
  Channel z{-kLatticeBound, kLatticeBound - 1, kPlaceBits};
  Channel tension{-kTensionBound, kTensionBound, kTensionBits};
};

void put_varint(ByteWriter& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) out.put(static_cast<std::uint8_t>(value | 0x80));
  out.put(static_cast<std::uint8_t>(value));
}
std::uint32_t get_varint(ByteReader& in, bool& ok) noexcept {
  std::uint32_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    auto const byte = in.get<std::uint8_t>();
    if (shift == 28 && byte > 0x0F) break;
    value |= std::uint32_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  ok = false;
  return 0;
}

}  // namespace

std::vector<std::vector<std::byte>> encode_rope(const RopeState& rope) {
  std::size_t const count = rope.nodes.size();
  TAKT_ASSERT(count >= 1 && count <= kRopeNodesMax && rope.tensions.size() == count - 1);
  std::vector<std::vector<std::byte>> slices;
  std::vector<std::byte> payload;
  for (std::size_t first = 0; first < count;) {
    payload.clear();
    BitWriter bits(payload);
    Channels channels;
    std::size_t at = first;
    for (; at < count && payload.size() + kNodeBytesMax + kHeaderBytesMax < kRopeSliceBytesMax; ++at) {
      Position const& node = rope.nodes[at];
      channels.x.put(bits, place_of(node.x));
      channels.y.put(bits, place_of(node.y));
      channels.z.put(bits, place_of(node.z));
      if (at + 1 < count) channels.tension.put(bits, code_of_tension(rope.tensions[at]));
    }
    bits.finish();
    ByteWriter out(slices.emplace_back());
    put_varint(out, static_cast<std::uint32_t>(rope.id));
    put_varint(out, static_cast<std::uint32_t>(rope.id >> 32));
    put_varint(out, static_cast<std::uint32_t>(count));
    put_varint(out, static_cast<std::uint32_t>(first));
    put_varint(out, static_cast<std::uint32_t>(at - first));
    put_varint(out, rope.flags);
    out.put(rope.radius);
    put_varint(out, static_cast<std::uint32_t>(payload.size()));
    out.put_bytes(payload);
    first = at;
  }
  return slices;
}

Result<std::vector<RopeSlice>, Error> decode_rope_slices(std::span<const std::byte> bytes) {
  std::vector<RopeSlice> slices;
  ByteReader in(bytes);
  while (in.remaining() > 0) {
    bool ok = true;
    std::uint32_t const index = get_varint(in, ok);
    std::uint32_t const generation = get_varint(in, ok);
    RopeSlice slice;
    slice.id = (RopeId{generation} << 32) | index;
    slice.node_count = get_varint(in, ok);
    slice.first = get_varint(in, ok);
    std::uint32_t const count = get_varint(in, ok);
    slice.flags = get_varint(in, ok);
    slice.radius = in.get<float>();
    BitReader bits(in.get_bytes(get_varint(in, ok)));
    if (!ok || !in.ok() || generation == 0 || index >= kRopeIndexMax || slice.node_count > kRopeNodesMax)
      return Error::kOutOfRange;
    if (slice.first >= slice.node_count || count < 1 || count > slice.node_count - slice.first)
      return Error::kOutOfRange;
    if (!(slice.radius - slice.radius == 0.0f)) return Error::kNotFinite;
    Channels channels;
    for (std::uint32_t at = slice.first; at < slice.first + count; ++at) {
      std::int64_t x = 0;
      std::int64_t y = 0;
      std::int64_t z = 0;
      if (!channels.x.get(bits, x) || !channels.y.get(bits, y) || !channels.z.get(bits, z))
        return Error::kOutOfRange;
      slice.nodes.push_back({x << kLatticeShift, y << kLatticeShift, z << kLatticeShift});
      if (at + 1 == slice.node_count) continue;
      std::int64_t tension = 0;
      if (!channels.tension.get(bits, tension)) return Error::kOutOfRange;
      slice.tensions.push_back(tension_of(tension));
    }
    if (!bits.is_at_end()) return Error::kOutOfRange;
    slices.push_back(std::move(slice));
  }
  return slices;
}

}  // namespace takt::protocol
