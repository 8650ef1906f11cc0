#include "takt/sim/command.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/commands/input_encoding.h"
#include "sim/state/byte_fields.h"
#include "takt/core/assert.h"

namespace takt::sim {
namespace {

template <std::size_t Index = 0>
bool decode_alternative(FieldReader& fields, std::size_t index, Command& out) {
  if constexpr (Index < std::variant_size_v<Command>) {
    if (index != Index) return decode_alternative<Index + 1>(fields, index, out);
    fields(out.emplace<Index>());
    return fields.ok();
  } else {
    return false;
  }
}

}  // namespace

std::string_view name_of(const Command& command) noexcept {
  constexpr auto kNames = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array{std::variant_alternative_t<Index, Command>::kName...};
  }
  (std::make_index_sequence<std::variant_size_v<Command>>());
  return kNames[command.index()];
}

bool is_recordable(const Command& command) noexcept {
  auto const fits = []<class Field>(const Field& field) {
    if constexpr (std::is_same_v<Field, std::string> || std::is_same_v<Field, std::vector<std::byte>>)
      return field.size() <= kMaxDecodedBytes;
    else if constexpr (requires { field.size(); })
      return field.size() <= kMaxDecodedElements;
    else
      return true;
  };
  auto const fits_all = [&]<class C>(const C& c) {
    return std::apply([&](const auto&... field) { return (fits(field) && ...); }, C::fields(c));
  };
  return std::visit(fits_all, command);
}

void encode(const Input& input, std::vector<std::byte>& out) {
  ByteWriter writer(out);
  writer.put(input.tick);
  encode_without_tick(input, writer);
}

void encode_without_tick(const Input& input, ByteWriter& writer) {
  TAKT_ASSERT(is_recordable(input.command));
  FieldWriter archive(writer);
  writer.put(input.player);
  writer.put(input.sequence);
  writer.put(static_cast<std::uint8_t>(input.command.index() + 1));
  std::visit([&](const auto& command) { archive(command); }, input.command);
}

Result<Input, SimError> decode_input(ByteReader& reader) {
  auto const tick = reader.get<std::uint64_t>();
  return decode_input_of_tick(tick, reader);
}

Result<Input, SimError> decode_input_of_tick(std::uint64_t tick, ByteReader& reader) {
  Input input;
  FieldReader archive(reader);
  input.tick = tick;
  input.player = reader.get<PlayerId>();
  input.sequence = reader.get<std::uint32_t>();
  auto const kind = reader.get<std::uint8_t>();
  if (!reader.ok() || kind == 0 || !decode_alternative(archive, kind - 1u, input.command))
    return SimError::kInputMalformed;
  return input;
}

void sort_inputs(std::vector<Input>& inputs) {
  std::stable_sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) {
    return a.player != b.player ? a.player < b.player : a.sequence < b.sequence;
  });
}

}  // namespace takt::sim
