// takt/protocol: reader and writer of single messages, for tools and tests. A client does not need it.
export * as bodyState from "./body_state.js";
export { ClockSync } from "./clock_sync.js";
export { checkCommand, checkShape } from "./command_check.js";
export { FrameReader, writeFrame } from "./frame.js";
export { decodeGeometry } from "./geometry.js";
export * as limits from "./limits.js";
export type * from "./message.js";
export { readMessage } from "./message_reader.js";
export type { MessageClass, ReadResult } from "./message_reader.js";
export type { ReadError } from "./table_reader.js";
export { writeMessage } from "./message_writer.js";
export { kCommandMembers, kEnums, kMessageMembers, kStructBytes, kTableTexts } from "./schema.js";
