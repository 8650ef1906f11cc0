// Fuzz target: the memory of a ring that a hostile program writes, against the reader and the writer of this
// side. Bit 0 of the first byte: 0 = the reader, 1 = the writer. Then operations: a byte, of which bits 0-2
// are the kind, and its numbers, little-endian:
//
//     0  position of the other side: 8 bytes
//     1  the other side's position moves: 2 bytes
//     2  bytes of the ring: offset 2 bytes, count 1 byte, then as many bytes
//     3  read or write: count 2 bytes
//     4  words of the waits: 4 bytes each
//     5  this side waits: a byte says how, then looks at the wait of the other side
//
// Bytes that the reader gives are split into frames and verified, as by the service.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "service/wire/frame.h"
#include "service/wire/ring.h"
#include "service/wire/values.h"
#include "takt/core/assert.h"

namespace {

using namespace takt::service;

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }
  // Missing bytes are 0.
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    auto const part = take(size);
    for (std::size_t i = 0; i < part.size(); ++i) value |= std::uint64_t{part[i]} << (8 * i);
    return value;
  }
  std::span<const std::uint8_t> take(std::size_t size) {
    auto const part = bytes_.first(std::min(size, bytes_.size()));
    bytes_ = bytes_.subspan(part.size());
    return part;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

class Side {
 public:
  void set_position(bool is_writer, std::uint64_t value) { position_of_other(is_writer).store(value); }
  void move_position(bool is_writer, std::uint64_t by) { position_of_other(is_writer).fetch_add(by); }
  void set_bytes(std::size_t offset, std::span<const std::uint8_t> from) {
    for (std::size_t i = 0; i < from.size(); ++i)
      bytes_[(offset + i) % bytes_.size()] = static_cast<std::byte>(from[i]);
  }
  void set_waits(std::uint64_t reader, std::uint64_t writer) {
    head_.reader_wait.store(static_cast<std::uint32_t>(reader));
    head_.writer_wait.store(static_cast<std::uint32_t>(writer));
  }
  void wait(bool is_writer, RingWait how) {
    bool const waits = is_writer ? writer_.begin_wait(how) : reader_.begin_wait(how);
    TAKT_ASSERT(!waits || !(is_writer ? writer_.has_room() : reader_.has_bytes()) || is_broken(is_writer));
    RingWait const other = is_writer ? writer_.take_reader_wait() : reader_.take_writer_wait();
    TAKT_ASSERT(other == RingWait::kAwake || other == RingWait::kFutex || other == RingWait::kSocket);
  }

  // False when the stream is no stream of frames.
  bool read(std::size_t count) {
    bool const was_broken = reader_.is_broken();
    std::vector<std::byte> out(count);  // exactly, so that no byte behind it is written unseen
    std::size_t const got = reader_.read(out);
    TAKT_ASSERT(got <= count && got <= bytes_.size() && (!was_broken || got == 0));
    for (std::size_t i = 0; i < got; ++i) TAKT_ASSERT(out[i] == bytes_[(done_ + i) % bytes_.size()]);
    done_ += got;
    if (got > 0) TAKT_ASSERT(head_.read.load() == done_);
    std::span<const std::byte> rest = std::span(out).first(got);
    while (!rest.empty()) {
      auto const room = stream_.room();
      std::size_t const part = std::min(rest.size(), room.size());
      std::ranges::copy(rest.first(part), room.begin());
      stream_.add(part);
      rest = rest.subspan(part);
      std::span<const std::byte> message;
      while (stream_.next(message)) (void)verify<wire::Request>(message.data(), message.size());
      if (stream_.fault() != FrameFault::kNone) return false;
    }
    return true;
  }

  void write(std::size_t count) {
    bool const was_broken = writer_.is_broken();
    std::vector<std::byte> in(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<std::byte>(done_ + i);
    std::vector<std::byte> expected(bytes_.begin(), bytes_.end());
    std::size_t const fit = writer_.write(in);
    TAKT_ASSERT(fit <= count && fit <= bytes_.size() && (!was_broken || fit == 0));
    for (std::size_t i = 0; i < fit; ++i) expected[(done_ + i) % expected.size()] = in[i];
    TAKT_ASSERT(expected == bytes_);
    done_ += fit;
    if (fit > 0) TAKT_ASSERT(head_.written.load() == done_);
  }

 private:
  std::atomic<std::uint64_t>& position_of_other(bool is_writer) {
    return is_writer ? head_.read : head_.written;
  }
  [[nodiscard]] bool is_broken(bool is_writer) const {
    return is_writer ? writer_.is_broken() : reader_.is_broken();
  }

  RingHead head_;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kRingBytesMin);
  RingReader reader_{head_, bytes_};
  RingWriter writer_{head_, bytes_};
  std::uint64_t done_ = 0;  // bytes read or written
  FrameBuffer stream_{1u << 16u};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  bool const is_writer = (data[0] & 1u) != 0;
  Input input({data + 1, size - 1});
  auto const side = std::make_unique<Side>();
  while (!input.is_empty()) {
    switch (input.number(1) & 7u) {
      case 0: side->set_position(is_writer, input.number(8)); break;
      case 1: side->move_position(is_writer, input.number(2)); break;
      case 2: {
        std::size_t const offset = input.number(2);
        side->set_bytes(offset, input.take(input.number(1)));
        break;
      }
      case 3: {
        std::size_t const count = input.number(2);
        if (is_writer)
          side->write(count);
        else if (!side->read(count))
          return 0;
        break;
      }
      case 4: {
        std::uint64_t const reader = input.number(4);
        side->set_waits(reader, input.number(4));
        break;
      }
      default: side->wait(is_writer, static_cast<RingWait>(input.number(1) % 3)); break;
    }
  }
  return 0;
}
