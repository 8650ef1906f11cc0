// Fuzz target: the message reader. An accepted message must survive a round trip: written again and read
// again it gives the same bytes, so nothing that passed the checks can trip the writer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "protocol/messages/rope_codec.h"
#include "takt/core/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace takt::protocol;
  if (size == 0) return 0;
  auto const message_class = (data[0] & 1u) != 0 ? MessageClass::kReliable : MessageClass::kDatagram;
  MessageReader reader;
  auto const first = reader.read(std::as_bytes(std::span(data + 1, size - 1)), message_class);
  if (!first) return 0;
  // A geometry that decodes says the same when it is written again.
  if (auto const* slice = std::get_if<GeometrySlice>(&*first)) {
    if (auto const geometry = decode_geometry(slice->kind, slice->bytes))
      TAKT_ASSERT(encode(*geometry) == slice->bytes);
  }
  // And so does a rope: what was read is on the lattice.
  if (auto const* part = std::get_if<SnapshotPart>(&*first)) {
    auto const slices = decode_rope_slices(part->ropes);
    for (std::size_t i = 0; slices && i < slices->size(); ++i) {
      RopeSlice const& slice = (*slices)[i];
      if (slice.first != 0 || slice.nodes.size() != slice.node_count) continue;
      auto const coded = encode_rope({slice.id, slice.flags, slice.radius, slice.nodes, slice.tensions});
      if (coded.size() > 1) continue;
      auto const back = decode_rope_slices(coded.front());
      TAKT_ASSERT(back && back->front() == slice);
    }
  }
  MessageWriter writer;
  auto const view = writer.write(*first);
  std::vector<std::byte> const bytes(view.begin(), view.end());
  auto const second = reader.read(bytes, MessageClass::kReliable);
  // A hostile encoding can share one vector among many tables; written out, such a message may pass the size
  // cap. That is the only way to fail.
  if (!second) {
    TAKT_ASSERT(second.error() == Error::kTooLong);
    return 0;
  }
  auto const again = writer.write(*second);
  TAKT_ASSERT(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
  return 0;
}
