// takt/protocol: the messages themselves, for tools and tests; a client needs none of it.
export * as bodyState from "./body_state.js";
export { ClockSync } from "./clock_sync.js";
export { check_command as checkCommand, check_shape as checkShape } from "./command_check.js";
export { FrameReader, write_frame as writeFrame } from "./frame.js";
export { decode_geometry as decodeGeometry } from "./geometry.js";
export * as limits from "./limits.js";
export type * from "./message.js";
export { read_message as readMessage } from "./message_reader.js";
export type { MessageClass, ReadResult } from "./message_reader.js";
export type { ReadError } from "./table_reader.js";
export { write_message as writeMessage } from "./message_writer.js";
export { kCommandMembers, kEnums, kMessageMembers, kStructBytes, kTableTexts } from "./schema.js";
