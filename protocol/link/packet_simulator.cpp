#include "protocol/link/packet_simulator.h"

#include <algorithm>
#include <limits>

namespace takt::protocol {

Impairment Impairment::hostile() noexcept {
  Impairment impairment;
  impairment.loss = 0.10;
  impairment.duplicate = 0.05;
  impairment.reorder = 0.05;
  impairment.delay_us = 100'000;
  impairment.jitter_us = 20'000;
  return impairment;
}

void PacketSimulator::launch(std::uint64_t leaves_us, std::uint64_t tag, std::span<const std::byte> bytes) {
  std::uint64_t arrives_us = leaves_us + impairment_.delay_us;
  if (impairment_.jitter_us > 0) {
    auto const range = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(2 * impairment_.jitter_us + 1, std::numeric_limits<std::uint32_t>::max()));
    std::uint64_t const shift = random_.next_below(range);
    arrives_us =
        std::max(leaves_us, arrives_us + shift - std::min(arrives_us + shift, impairment_.jitter_us));
  }
  double const reorder_draw = random_.next_unit();
  if (reorder_draw < impairment_.reorder) arrives_us += impairment_.reorder_delay_us;
  under_way_.emplace(std::pair(arrives_us, launched_++), Packet{tag, {bytes.begin(), bytes.end()}});
}

void PacketSimulator::handle_packet(std::uint64_t now_us, std::uint64_t tag,
                                    std::span<const std::byte> bytes) {
  ++packets_in_;
  // Drawn whatever happens, so that a change of one fraction does not shift the others' draws.
  double const loss_draw = random_.next_unit();
  double const duplicate_draw = random_.next_unit();
  std::uint64_t leaves_us = now_us;
  bool lost = impairment_.blackhole || loss_draw < impairment_.loss;
  if (!lost && impairment_.bandwidth_bytes_per_s > 0) {
    bottleneck_free_us_ = std::max(bottleneck_free_us_, now_us);
    std::uint64_t const queued_bytes =
        (bottleneck_free_us_ - now_us) * impairment_.bandwidth_bytes_per_s / 1'000'000;
    if (queued_bytes + bytes.size() > impairment_.queue_bytes_max) {
      lost = true;
    } else {
      bottleneck_free_us_ += bytes.size() * 1'000'000 / impairment_.bandwidth_bytes_per_s;
      leaves_us = bottleneck_free_us_;
    }
  }
  if (lost) {
    ++packets_dropped_;
    return;
  }
  launch(leaves_us, tag, bytes);
  if (duplicate_draw < impairment_.duplicate) launch(leaves_us, tag, bytes);
}

bool PacketSimulator::poll_packet(std::uint64_t now_us, Packet& out) {
  if (under_way_.empty() || under_way_.begin()->first.first > now_us) return false;
  out = std::move(under_way_.begin()->second);
  under_way_.erase(under_way_.begin());
  return true;
}

std::uint64_t PacketSimulator::next_arrival_us() const noexcept {
  return under_way_.empty() ? std::numeric_limits<std::uint64_t>::max() : under_way_.begin()->first.first;
}

}  // namespace takt::protocol
