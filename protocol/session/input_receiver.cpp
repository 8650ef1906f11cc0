#include "protocol/session/input_receiver.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace takt::protocol {
namespace {

std::int32_t margin_of(std::uint64_t input_tick, std::uint64_t current_tick) noexcept {
  auto const clamp = [](std::uint64_t ticks) {
    return static_cast<std::int32_t>(
        std::min<std::uint64_t>(ticks, std::numeric_limits<std::int32_t>::max()));
  };
  return input_tick >= current_tick ? clamp(input_tick - current_tick) : -clamp(current_tick - input_tick);
}

}  // namespace

InputReceiver::InputReceiver(std::uint32_t inputs_per_s, std::uint32_t burst, std::uint64_t now_us)
    : places_(kInputWindow), bucket_(inputs_per_s, burst, now_us) {}

InputReceiver::Place* InputReceiver::claim(std::uint32_t sequence, Counters& counters) {
  if (sequence < next_) {
    counters.add(Counter::kInputDuplicate);
    return nullptr;
  }
  if (sequence - next_ >= kInputWindow) {
    counters.add(Counter::kInputOutOfWindow);
    return nullptr;
  }
  Place& place = places_[sequence % kInputWindow];
  if (place.filled) {
    counters.add(Counter::kInputDuplicate);
    return nullptr;
  }
  place.filled = true;
  return &place;
}

InputReceiver::Taken InputReceiver::handle_inputs(std::uint64_t now_us, std::uint64_t current_tick,
                                                  Inputs&& message, Counters& counters) {
  for (Input& input : message.inputs) {
    Place* place = claim(input.sequence, counters);
    if (place == nullptr) continue;
    std::int32_t const margin = margin_of(input.tick, current_tick);
    if (!has_margin_ || margin < margin_.ticks) margin_ = {margin, current_tick};
    has_margin_ = true;
    place->valid = true;
    place->input = std::move(input);
  }
  for (std::uint32_t const sequence : message.invalid_sequences) {
    Place* place = claim(sequence, counters);
    if (place == nullptr) continue;
    counters.add(Counter::kInputInvalid);
    place->valid = false;
  }
  Taken taken;
  for (;;) {
    Place& place = places_[next_ % kInputWindow];
    if (!place.filled) break;
    place.filled = false;
    if (place.valid) {
      last_command_ = place.input.command;
    } else {
      last_command_.reset();
    }
    if (!place.valid) {
      taken.refused.push_back(
          {next_, CommandStatus::kRefusedInvalid, current_tick, CommandRefusal::kMalformed, {}});
    } else if (!bucket_.take(now_us)) {
      counters.add(Counter::kInputRate);
      taken.refused.push_back(
          {next_, CommandStatus::kRefusedRate, current_tick, CommandRefusal::kServerRate, {}});
    } else {
      taken.inputs.push_back(std::move(place.input));
    }
    ++next_;
  }
  return taken;
}

// An acknowledgement may get lost: the next one repeats its margin until there is a newer one.
InputReceiver::Margin InputReceiver::take_margin() noexcept {
  has_margin_ = false;
  return margin_;
}

}  // namespace takt::protocol
