#include "protocol/messages/repeated_inputs.h"

#include <algorithm>
#include <cstring>

#include "schemas/repeated_inputs_generated.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

/// A buffer of RepeatedInputs has 24 bytes; other writers may pad it.
constexpr std::size_t kBytesMax = 64;
/// Root offset and the identifier of the union's messages, which a table's bytes cannot have in its place: a
/// vtable begins with its size.
constexpr std::size_t kHeadBytes = 8;
constexpr std::uint64_t kStepMax = 3;

// The value nearest to `near` that has these low 16 bits.
template <class T>
T nearest(T near, std::uint16_t low) noexcept {
  auto const distance =
      static_cast<std::int16_t>(static_cast<std::uint16_t>(low - static_cast<std::uint16_t>(near)));
  if (distance < 0 && near < static_cast<T>(-distance)) return low;  // the nearest would be below 0
  return static_cast<T>(near + static_cast<T>(distance));
}

}  // namespace

std::optional<RepeatedInputs> repeated_inputs(std::span<const Input> inputs, std::uint64_t server_tick) {
  if (inputs.empty() || inputs.size() > kRepeatedInputsMax) return std::nullopt;
  std::uint64_t const tick = inputs.front().tick;
  if ((tick > server_tick ? tick - server_tick : server_tick - tick) > kRepeatedTicksAwayMax)
    return std::nullopt;
  RepeatedInputs out;
  out.sequence = static_cast<std::uint16_t>(inputs.front().sequence);
  out.tick = static_cast<std::uint16_t>(inputs.front().tick);
  out.count = static_cast<std::uint8_t>(inputs.size());
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    std::uint64_t const step = inputs[i].tick - inputs[i - 1].tick;  // modulo 2^64: falling ticks become huge
    if (inputs[i].sequence != inputs[i - 1].sequence + 1 || step > kStepMax) return std::nullopt;
    out.steps[i - 1] = static_cast<std::uint8_t>(step);
  }
  return out;
}

void write_repeated_inputs(const RepeatedInputs& inputs, std::vector<std::byte>& out) {
  TAKT_ASSERT(inputs.count >= 1 && inputs.count <= kRepeatedInputsMax);
  unsigned steps = inputs.count - 1u;
  for (std::size_t i = 0; i < inputs.steps.size(); ++i) steps |= unsigned{inputs.steps[i]} << (2 + 2 * i);
  wire::Repeats const repeats(inputs.sequence, inputs.tick, static_cast<std::uint8_t>(steps));
  flatbuffers::FlatBufferBuilder builder(kBytesMax);
  builder.Finish(wire::CreateRepeatedInputs(builder, &repeats));
  auto const* const bytes = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  out.assign(bytes, bytes + builder.GetSize());
}

std::optional<RepeatedInputs> read_repeated_inputs(std::span<const std::byte> bytes) {
  if (bytes.size() <= kHeadBytes || bytes.size() > kBytesMax) return std::nullopt;
  if (std::memcmp(bytes.data() + 4, "TKTP", 4) == 0) return std::nullopt;
  alignas(8) std::array<std::uint8_t, kBytesMax> aligned{};
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  constexpr flatbuffers::uoffset_t kDepthMax = 4;
  flatbuffers::Verifier verifier(aligned.data(), bytes.size(), kDepthMax, 1);
  if (!verifier.VerifyBuffer<wire::RepeatedInputs>(nullptr)) return std::nullopt;
  auto const* const repeats = flatbuffers::GetRoot<wire::RepeatedInputs>(aligned.data())->inputs();
  if (repeats == nullptr) return std::nullopt;
  RepeatedInputs out;
  out.sequence = repeats->sequence();
  out.tick = repeats->tick();
  out.count = static_cast<std::uint8_t>((repeats->steps() & 3u) + 1);
  for (std::size_t i = 0; i < out.steps.size(); ++i)
    out.steps[i] = static_cast<std::uint8_t>(unsigned{repeats->steps()} >> (2 + 2 * i) & 3u);
  return out;
}

Inputs expand(const RepeatedInputs& inputs, const Command& command, std::uint32_t near_sequence,
              std::uint64_t near_tick) {
  Inputs out;
  Input input{nearest(near_tick, inputs.tick), nearest(near_sequence, inputs.sequence), command};
  for (std::size_t i = 0; i < inputs.count; ++i) {
    if (i > 0) {
      ++input.sequence;
      input.tick += inputs.steps[i - 1];
    }
    out.inputs.push_back(input);
  }
  return out;
}

}  // namespace takt::protocol
