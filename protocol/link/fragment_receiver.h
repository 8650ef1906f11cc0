// FragmentReceiver is the receiving half of the reliable ordered channel over datagrams. Numbered fragments
// go in, in any order within a window; whole messages come out in the order in which they were sent. The
// window bounds the fragments held out of order, and kReliableBytesMax bounds the message being joined.
// DatagramLink has one FragmentReceiver and takes whole messages at once. Acks are of datagrams, not of
// fragments (ack_window.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/wire/datagram.h"

namespace takt::protocol {

class FragmentReceiver {
 public:
  /// `window`: fragments held while an earlier one is missing, at most kFragmentBytesMax bytes each.
  explicit FragmentReceiver(std::uint32_t window);

  enum class Outcome : std::uint8_t {
    kFresh,
    kDuplicate,    ///< had it already: normal after a lost ack
    kOutOfWindow,  ///< no honest sender sends it: dropped
    kOversize,     ///< the message grew past kReliableBytesMax: the session cannot go on
  };
  Outcome handle_fragment(const Section& fragment);

  /// The next complete message in order, or false.
  [[nodiscard]] bool poll_message(std::vector<std::byte>& out);

 private:
  struct Place {
    std::vector<std::byte> bytes;
    bool filled = false;
    bool last = false;
  };
  std::vector<Place> places_;  // ring by fragment number
  std::vector<std::byte> partial_;
  std::deque<std::vector<std::byte>> complete_;
  std::uint32_t next_ = 0;  // number of the next fragment in order
  bool failed_ = false;
};

}  // namespace takt::protocol
