// A client's unacknowledged inputs. A stream needs each input once, so only order is stored: sequences count
// from 1 without gaps, at most kInputWindow are unacknowledged, and one message has as many inputs as a
// server accepts. It follows the rules of protocol/session/input_sender.h. It judges no commands.
import { kInputsPerMessage, kInputWindow, kUnreliableBytesMax } from "./limits.js";
import type { Input, WireCommand } from "./message.js";

// Tables around the inputs: root, identifier, Packet, Inputs, length and alignment of the vector.
const kMessageOverheadMax = 64;
// Bound of the Input table with its vtable and vector entry. The command adds the bytes below. A test
// (input_sender_test.mjs) checks both.
const kInputBytesMax = 48;
const kCommandBytesMax = {
  Impulse: 64,
  Force: 64,
  Spawn: 192,
  Despawn: 32,
  Grab: 80,
  MoveGrab: 48,
  Release: 16,
  Teleport: 120,
  Custom: 32,
  Move: 64,
  Cut: 40,
  ChangeJoint: 96,
  DestroyJoint: 32,
} as const;
const kJointPartBytes = {
  frameA: 56,
  frameB: 56,
  linear: 24,
  angular: 24,
  limit: 40,
  hold: 48,
  motor: 16,
} as const;
const kJointNumbers = [
  "maxForce",
  "maxTorque",
  "breakForce",
  "breakTorque",
  "ratio",
  "length",
  "friction",
] as const;

/** Upper bound of the bytes that one input adds to an Inputs message. */
export function wireBytesMax(command: WireCommand): number {
  return kInputBytesMax + kCommandBytesMax[command.type] + contentBytes(command);
}

/** Bytes that depend on the content of the command. */
function contentBytes(command: WireCommand): number {
  if (command.type === "Custom") return command.bytes.length;
  if (command.type !== "ChangeJoint") return 0;
  let bytes = 0;
  for (const [name, partBytes] of Object.entries(kJointPartBytes)) {
    if (command[name as keyof typeof kJointPartBytes] !== undefined) bytes += partBytes;
  }
  for (const name of kJointNumbers) if (command[name] !== undefined) bytes += 8;
  return bytes;
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
