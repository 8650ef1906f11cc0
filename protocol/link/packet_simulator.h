// PacketSimulator simulates one direction of a bad network path. Packets go in by handle_packet() and come
// out by poll_packet(): lost, delayed, reordered, duplicated and throttled as an Impairment sets. Random
// numbers come from a seed and the time is an argument, so equal calls give equal results. Tests put a
// PacketSimulator between endpoints; LossyRelay (net/lossy_relay.h) puts one in each direction between UDP
// sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "takt/core/random.h"

namespace takt::protocol {

/// Impairments of one direction. The default is a perfect link.
struct Impairment {
  double loss = 0;              ///< probability that a packet is dropped, 0 .. 1
  double duplicate = 0;         ///< probability of a copy, 0 .. 1, with jitter and reordering of its own
  double reorder = 0;           ///< probability that a packet is delayed by reorder_delay_us more, 0 .. 1
  std::uint64_t delay_us = 0;   ///< one way
  std::uint64_t jitter_us = 0;  ///< added to the delay, uniform in [-jitter, +jitter]; the sum is at least 0
  std::uint64_t reorder_delay_us = 30'000;
  std::uint64_t bandwidth_bytes_per_s = 0;   ///< 0 = unlimited; else packets queue for a bottleneck
  std::size_t queue_bytes_max = 256 * 1024;  ///< of the bottleneck; a packet that does not fit is dropped
  bool blackhole = false;                    ///< true: every packet is dropped

  /// The hostile network of the acceptance tests: 10 % loss, 100 ms +- 20 ms each way, 5 % duplicates, 5 %
  /// reordering.
  [[nodiscard]] static Impairment hostile() noexcept;
};

class PacketSimulator {
 public:
  PacketSimulator(const Impairment& impairment, std::uint64_t seed)
      : impairment_(impairment), random_(seed) {}

  /// Applies to packets of later handle_packet() calls; packets under way keep their time of arrival.
  void set_impairment(const Impairment& impairment) noexcept { impairment_ = impairment; }

  /// Copies a packet into the path at `now_us`, which must not run backwards. The caller chooses `tag`, which
  /// comes out with the packet.
  void handle_packet(std::uint64_t now_us, std::uint64_t tag, std::span<const std::byte> bytes);

  struct Packet {
    std::uint64_t tag = 0;
    std::vector<std::byte> bytes;
  };
  /// Moves the next packet that has arrived by `now_us`, in order of arrival, to `out`; false: there is none.
  [[nodiscard]] bool poll_packet(std::uint64_t now_us, Packet& out);
  /// Time at which the next packet arrives; UINT64_MAX = none is under way.
  [[nodiscard]] std::uint64_t next_arrival_us() const noexcept;

  /// Packets that entered, dropped ones included and copies not.
  [[nodiscard]] std::uint64_t packets_in() const noexcept { return packets_in_; }
  [[nodiscard]] std::uint64_t packets_dropped() const noexcept { return packets_dropped_; }
  /// Packets and copies that poll_packet() has not returned.
  [[nodiscard]] std::size_t packets_under_way() const noexcept { return under_way_.size(); }

 private:
  void launch(std::uint64_t leaves_us, std::uint64_t tag, std::span<const std::byte> bytes);

  Impairment impairment_;
  Random random_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Packet> under_way_;  // by (arrival, order of launch)
  std::uint64_t launched_ = 0;
  std::uint64_t bottleneck_free_us_ = 0;
  std::uint64_t packets_in_ = 0;
  std::uint64_t packets_dropped_ = 0;
};

}  // namespace takt::protocol
