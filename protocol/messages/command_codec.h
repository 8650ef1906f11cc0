// Commands to and from the tables of the wire's Command union. Both directions walk the list of fields of the
// command. The reader does not check values: check() of protocol/messages/command.h does. Private to the
// library.
#pragma once

#include "protocol/messages/command.h"
#include "schemas/protocol_generated.h"

namespace takt::protocol {

struct WireCommand {
  wire::Command type;
  flatbuffers::Offset<void> table;
};

[[nodiscard]] WireCommand write_command(flatbuffers::FlatBufferBuilder& builder, const Command& command);

/// Returns false if the command's type is unknown or a required struct is absent; `command` is then
/// unspecified. The input must be verified.
[[nodiscard]] bool read_command(const wire::Input& input, Command& command);

}  // namespace takt::protocol
