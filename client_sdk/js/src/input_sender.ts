// A client's unacknowledged inputs. A stream needs each input once, so only order is stored: sequences count
// from 1 without gaps, at most kInputWindow are unacknowledged, and one message has as many inputs as a
// server accepts. It follows the rules of protocol/session/input_sender.h. It judges no commands.
import type { WireCommand } from "./command_fields.js";
import { kFieldsOfCommand } from "./command_fields.js";
import { kInputsPerMessage, kInputWindow, kUnreliableBytesMax } from "./limits.js";
import type { Input } from "./message.js";
import { kTableLayouts } from "./schema.js";

// Tables around the inputs: root, identifier, Packet, Inputs, length and alignment of the vector.
const kMessageOverheadMax = 64;
// Bound of the Input table with its vtable and vector entry. The command adds the bytes below. A test
// (input_sender_test.mjs) checks both.
const kInputBytesMax = 48;
// A command's table without fields and their alignment: the vtable's aligned offset, and its head.
const kTableBytesMax = 12;
// A vector of bytes without them and its offset: length and alignment.
const kVectorBytesMax = 8;

/** Upper bound of the bytes that one input adds to an Inputs message. */
export function wireBytesMax(command: WireCommand): number {
  const values = command as Readonly<Record<string, unknown>>;
  const fields = kFieldsOfCommand[command.type];
  const layout = kTableLayouts[command.type];
  let bytes = 0;
  let alignMax = 4;
  let beside = kInputBytesMax + kTableBytesMax + 2 * fields.length;
  fields.forEach(({ name }, slot) => {
    const value = values[name];
    if (value === undefined || value === null) return;
    const type = layout.fields[slot]!;
    const [size, align] = "align" in type ? [type.bytes, type.align] : [4, 4];
    alignMax = Math.max(alignMax, align);
    bytes = Math.ceil(bytes / align) * align + size;
    if (value instanceof Uint8Array) beside += kVectorBytesMax + value.length;
  });
  return beside + alignMax + bytes;
}

export class InputSender {
  private readonly unsent: Input[] = [];
  private nextSequence = 1;
  private acknowledged = 0;

  get isFull(): boolean {
    return this.inFlight >= kInputWindow;
  }
  /** Sequence of the next input. */
  get next(): number {
    return this.nextSequence;
  }
  get inFlight(): number {
    return this.nextSequence - 1 - this.acknowledged;
  }

  /** Queues a checked command, which requires that the window is not full. Returns its sequence. */
  push(tick: number, command: WireCommand): number {
    this.unsent.push({ tick, sequence: this.nextSequence, command });
    return this.nextSequence++;
  }

  /**
   * Removes and returns the inputs of the next message, oldest first; empty = none. Call it until it is
   * empty.
   */
  poll(): Input[] {
    let count = 0;
    let bytes = kMessageOverheadMax;
    while (count < this.unsent.length && count < kInputsPerMessage) {
      bytes += wireBytesMax(this.unsent[count]!.command);
      if (bytes > kUnreliableBytesMax && count > 0) break;
      ++count;
    }
    return this.unsent.splice(0, count);
  }

  /**
   * Handles an acknowledgement up to and including `sequence`. Returns false for sequences that were never
   * sent.
   */
  handleAck(sequence: number): boolean {
    if (sequence >= this.nextSequence) return false;
    this.acknowledged = Math.max(this.acknowledged, sequence);
    return true;
  }
}
