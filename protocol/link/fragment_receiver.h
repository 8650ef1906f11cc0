// FragmentReceiver is the receiving half of the reliable ordered channel over datagrams. Numbered fragments
// go in, in any order within a window; whole messages come out in the order in which they were sent. The
// window bounds the fragments stored out of order, and kReliableBytesMax bounds the message being joined.
// Complete messages have no bound: DatagramLink, which has one FragmentReceiver, polls them after every
// datagram. Acks are of datagrams, not of fragments (ack_window.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/wire/datagram.h"

namespace takt::protocol {

class FragmentReceiver {
 public:
  /// `window`: greatest number of fragments that are stored while an earlier one is missing, at most
  /// kFragmentBytesMax bytes each. A power of two (asserted).
  explicit FragmentReceiver(std::uint32_t window);

  enum class Outcome : std::uint8_t {
    kFresh,        ///< stored, or joined to its message
    kDuplicate,    ///< the fragment is stored, or up to 2^31 before the next one in order: dropped
    kOutOfWindow,  ///< the window or more after the next one in order, which no honest sender sends: dropped
    kOversize,     ///< a message has more than kReliableBytesMax bytes; all later calls return this too
  };
  /// Takes a section of kind kFragment and copies its payload.
  Outcome handle_fragment(const Section& fragment);

  /// Moves the next complete message, in order, to `out`; false: there is none.
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
