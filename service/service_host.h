// ServiceHost runs a simulation service: one thread for sockets, and threads that answer requests, each of
// one connection at a time. So a long step delays its own client alone while a thread is free. Else it is
// made in slices, with turns of the other connections between them. A client that
// does not read its replies is no longer read itself. When a connection ends, its worlds are freed after the
// lease. ServiceHost decides nothing about a request; Session does.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "service/client/shared_rings.h"
#include "service/listener.h"
#include "service/session.h"
#include "service/wire/door.h"
#include "takt/core/result.h"

namespace takt::service {

struct ServiceOptions {
  std::vector<Door> doors;             ///< at least one
  std::string token;                   ///< kTokenBytesMin to kTokenBytesMax bytes; empty = none
  ServiceLimits limits;                ///< `threads` is also the number of threads that answer requests
  std::uint32_t clients_max = 256;     ///< connections with a Hello at a time; 64 more may be without
  std::uint32_t lease_s = 0;           ///< worlds of an ended connection live on for so long
  RingSizes rings;                     ///< of each client of shared memory
  std::chrono::milliseconds turn{10};  ///< of a thread for a connection while others wait
  /// A thread that no step has needed for so long ends, down to limits.threads.
  std::chrono::milliseconds spare_idle{10'000};
  bool may_wait_at_rings = true;  ///< false: as on systems without can_wait_at_either()
  std::string program = "takt";   ///< Welcome::program
};

struct ServiceCounts {
  std::uint32_t worlds = 0;   ///< at present
  std::uint32_t clients = 0;  ///< at present
  std::uint32_t threads = 0;  ///< that answer requests, or have a step that waits for its turn, or are spare
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;          ///< begun
  std::uint64_t refused = 0;           ///< requests with a status, and refused connections
  std::uint64_t steps_stopped = 0;     ///< steps that ended early
  std::uint64_t turns_shared = 0;      ///< slices of steps that ended for another connection
  std::uint64_t turns_waited_max = 0;  ///< most slices that ended while a connection waited for a thread
  std::uint64_t buffer_bytes = 0;      ///< memory of the frames of all connections, at present
  std::uint64_t ring_bytes = 0;        ///< shared memory of all connections, at present
  std::uint64_t heap_bytes = 0;        ///< of the process, at present
};

class ServiceHost {
 public:
  /// Listens and starts the threads.
  [[nodiscard]] static Result<std::unique_ptr<ServiceHost>, ServiceFault> open(ServiceOptions options);
  /// Ends all connections. Waits for requests that are being answered.
  ~ServiceHost();
  ServiceHost(const ServiceHost&) = delete;
  ServiceHost& operator=(const ServiceHost&) = delete;

  [[nodiscard]] std::vector<Door> doors() const;  ///< with the ports that were bound
  [[nodiscard]] ServiceCounts counts() const;     ///< from any thread; walks the heap
  [[nodiscard]] bool is_ready() const;            ///< the socket thread worked in the last 3 s; any thread

 private:
  struct Impl;
  explicit ServiceHost(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::service
