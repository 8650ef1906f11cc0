// A client's unacknowledged inputs. Over a stream an input is said once, so only its place in the order has to be remembered: sequences count from 1
// without gaps, at most kInputWindow may be unacknowledged, and one message takes as many inputs as a server's limits allow. The rules are
// protocol/session/input_sender.h's. It does not judge commands.
import { kInputsPerMessage, kInputWindow, kUnreliableBytesMax } from "./limits.js";
import type { Input, WireCommand } from "./message.js";

// Tables around the inputs: root, identifier, Packet, Inputs, the vector's length and alignment.
const kMessageOverheadMax = 64;
// The Input table with its vtable and vector entry is at most this; what a command adds is below. Held by a test (input_sender_test.mjs).
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

/** An upper bound of what one input adds to an Inputs message. */
export function wireBytesMax(command: WireCommand): number {
  return kInputBytesMax + kCommandBytesMax[command.type] + contentBytes(command);
}

/** What depends on what the command holds. */
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
  /** Of the next input to be pushed. */
  get next(): number {
    return this.nextSequence;
  }
  get inFlight(): number {
    return this.nextSequence - 1 - this.acknowledged;
  }

  /** Queues a checked command; not while full. Returns its sequence. */
  push(tick: number, command: WireCommand): number {
    this.unsent.push({ tick, sequence: this.nextSequence, command });
    return this.nextSequence++;
  }

  /** The inputs of one message to send now, oldest first; empty when nothing is left to say. Call until empty. */
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

  /** Everything up to and including `sequence` has arrived. Sequences never sent are ignored: false. */
  handleAck(sequence: number): boolean {
    if (sequence >= this.nextSequence) return false;
    this.acknowledged = Math.max(this.acknowledged, sequence);
    return true;
  }
}
