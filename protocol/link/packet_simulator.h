// PacketSimulator simulates one direction of a bad network path. Packets go in by handle_packet() and come
// out by poll_packet(): lost, delayed, reordered, duplicated and throttled as an Impairment sets. All draws
// come from a seed and the time is an argument, so equal calls give equal results. Tests put a
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
  double loss = 0;              ///< fraction of packets dropped, 0 .. 1
  double duplicate = 0;         ///< fraction delivered twice, the copy with a delay of its own
  double reorder = 0;           ///< fraction held back by reorder_delay_us more
  std::uint64_t delay_us = 0;   ///< one way
  std::uint64_t jitter_us = 0;  ///< uniform in [-jitter, +jitter], never below zero delay
  std::uint64_t reorder_delay_us = 30'000;
  std::uint64_t bandwidth_bytes_per_s = 0;   ///< 0 = unlimited; else packets queue behind each other
  std::size_t queue_bytes_max = 256 * 1024;  ///< of the bottleneck; what does not fit is dropped
  bool blackhole = false;                    ///< everything is dropped

  /// The hostile network of the acceptance tests: 10 % loss, 100 ms +- 20 ms each way, 5 % duplicates, 5 %
  /// reordering.
  [[nodiscard]] static Impairment hostile() noexcept;
};

class PacketSimulator {
 public:
  PacketSimulator(const Impairment& impairment, std::uint64_t seed)
      : impairment_(impairment), random_(seed) {}

  /// Changes what happens to packets sent from now on.
  void set_impairment(const Impairment& impairment) noexcept { impairment_ = impairment; }

  /// A packet enters the path. `tag` comes out with it: an address, a direction, what the caller needs.
  void handle_packet(std::uint64_t now_us, std::uint64_t tag, std::span<const std::byte> bytes);

  struct Packet {
    std::uint64_t tag = 0;
    std::vector<std::byte> bytes;
  };
  /// The next packet that has arrived by now, in order of arrival.
  [[nodiscard]] bool poll_packet(std::uint64_t now_us, Packet& out);
  /// When the next packet arrives; UINT64_MAX = none under way.
  [[nodiscard]] std::uint64_t next_arrival_us() const noexcept;

  [[nodiscard]] std::uint64_t packets_in() const noexcept { return packets_in_; }
  [[nodiscard]] std::uint64_t packets_dropped() const noexcept { return packets_dropped_; }
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
