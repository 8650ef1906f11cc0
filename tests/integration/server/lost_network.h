// A machine whose network is down: connect(2) of this program fails while a LostNetwork lives. Sessions that
// have their sockets go on.
#pragma once

namespace takt::server::test {

class LostNetwork {
 public:
  LostNetwork();
  LostNetwork(const LostNetwork&) = delete;
  LostNetwork& operator=(const LostNetwork&) = delete;
  ~LostNetwork();
};

}  // namespace takt::server::test
