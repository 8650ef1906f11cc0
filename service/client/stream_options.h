// set_stream_options() prepares a TCP socket of the service's wire: messages leave at once, and a machine
// that vanished is noticed within a minute.
#pragma once

namespace takt::service {

void set_stream_options(int socket) noexcept;

}  // namespace takt::service
