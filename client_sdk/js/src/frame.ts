// Framing of a stream (TCP, or the concatenated binary messages of a WebSocket): each frame is a
// little-endian length and that number of bytes. Same layout as protocol/link/frame.h.
//
//   offset  size  field
//        0     4  length: bytes that follow, 2 to the receiver's limit
//        4     1  kind: 1 = message under the limits of a datagram, 2 = under those of the reliable channel
//        5        message
import { byteArray, callable, oneOf } from "./argument.js";
import { kFrameBytesMax, kFramePrefixBytes } from "./limits.js";
import type { MessageClass } from "./message_reader.js";

/** A frame with this message, in new bytes. */
export function writeFrame(messageClass: MessageClass, message: Uint8Array): Uint8Array {
  oneOf("writeFrame(): messageClass", messageClass, ["datagram", "reliable"]);
  byteArray("writeFrame(): message", message, kFrameBytesMax - 1);
  const frame = new Uint8Array(kFramePrefixBytes + 1 + message.length);
  new DataView(frame.buffer).setUint32(0, message.length + 1, true);
  frame[4] = messageClass === "reliable" ? 2 : 1;
  frame.set(message, 5);
  return frame;
}

export type FrameError = "oversize" | "bad_layout" | "bad_kind";

/**
 * Splits a stream into frames. It stores at most one incomplete frame. It stays failed after an error,
 * because the framing is lost.
 */
export class FrameReader {
  private readonly held = new Uint8Array(kFramePrefixBytes + kFrameBytesMax);
  private heldBytes = 0;
  private failed: FrameError | null = null;

  /**
   * Passes each complete frame to `deliver`, which may use the message during the call only and returns false
   * to stop for good.
   */
  handleBytes(
    bytes: Uint8Array,
    deliver: (messageClass: MessageClass, message: Uint8Array) => boolean,
  ): FrameError | null {
    byteArray("handleBytes(): bytes", bytes);
    callable("handleBytes(): deliver", deliver);
    let at = 0;
    while (this.failed === null && at < bytes.length) {
      if (this.heldBytes === 0) {
        // Reads complete frames in place and copies incomplete ones.
        const whole = this.wholeFrame(bytes, at);
        if (whole > 0) {
          if (!deliver(bytes[at + 4] === 2 ? "reliable" : "datagram", bytes.subarray(at + 5, at + whole))) {
            return null;
          }
          at += whole;
          continue;
        }
        if (this.hasFailed()) break;
      }
      at += this.buffer(bytes, at);
      const whole = this.wholeFrame(this.held.subarray(0, this.heldBytes), 0);
      if (whole === 0) continue;
      this.heldBytes = 0;
      if (!deliver(this.held[4] === 2 ? "reliable" : "datagram", this.held.subarray(5, whole))) return null;
    }
    return this.failed;
  }

  /**
   * Bytes of the frame at `at` if it is complete, else 0. Checks length and kind as soon as they have
   * arrived.
   */
  private wholeFrame(bytes: Uint8Array, at: number): number {
    if (bytes.length - at < kFramePrefixBytes) return 0;
    const length =
      (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
    if (length > kFrameBytesMax) return this.fail("oversize");
    if (length < 2) return this.fail("bad_layout");
    if (bytes.length - at < kFramePrefixBytes + length) return 0;
    const kind = bytes[at + 4];
    return kind === 1 || kind === 2 ? kFramePrefixBytes + length : this.fail("bad_kind");
  }

  /** Buffers bytes up to the end of the prefix, then up to the end of the frame. Returns their number. */
  private buffer(bytes: Uint8Array, at: number): number {
    const held = this.held;
    let until = kFramePrefixBytes;
    // Checked: below 2^24.
    if (this.heldBytes >= kFramePrefixBytes) until += (held[0]! | (held[1]! << 8) | (held[2]! << 16)) >>> 0;
    const count = Math.min(until - this.heldBytes, bytes.length - at);
    held.set(bytes.subarray(at, at + count), this.heldBytes);
    this.heldBytes += count;
    return count;
  }

  private hasFailed(): boolean {
    return this.failed !== null;
  }
  private fail(error: FrameError): 0 {
    this.failed = error;
    return 0;
  }
}
