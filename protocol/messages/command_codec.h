// write_command and read_command convert a Command to and from a table of the wire's Command union
// (FlatBuffers). They walk the command's list of fields, fields() in command.h. The writer of
// ChangeJointCommand is an exception: it lists the fields by hand, because the bytes depend on their order.
// read_command does not check values; check() of command.h does. message_reader.cpp and message_writer.cpp
// are the users.
#pragma once

#include "protocol/messages/command.h"
#include "schemas/protocol_generated.h"

namespace takt::protocol {

/// A command inside a FlatBuffer: the member of the union and the offset of its table.
struct WireCommand {
  wire::Command type;
  flatbuffers::Offset<void> table;
};

/// Writes the command's table into `builder`; no other table may be open in it.
[[nodiscard]] WireCommand write_command(flatbuffers::FlatBufferBuilder& builder, const Command& command);

/// Returns false if the command is absent, its type is unknown, or a required struct is absent; `command` is
/// then unspecified. FlatBuffers' verifier must have accepted the message of `input`.
[[nodiscard]] bool read_command(const wire::Input& input, Command& command);

}  // namespace takt::protocol
