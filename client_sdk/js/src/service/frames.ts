// The stream of a connection to frames (docs/SERVICE.md, 2). Each message gets memory of its own, which
// begins at a multiple of 8, so that typed arrays are views into it.
import { corrupt } from "./reply.js";
import { kFrameBytesMax, kFrameHeadBytes } from "./schema.js";

export class FrameSplitter {
  private readonly head = new Uint8Array(kFrameHeadBytes);
  private headBytes = 0;
  private message: Uint8Array | null = null;
  private messageBytes = 0;

  /** Passes each complete message to `deliver`. Throws corrupt-message; the stream has no use after that. */
  handleBytes(bytes: Uint8Array, deliver: (message: Uint8Array) => void): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.message === null) {
        const count = Math.min(kFrameHeadBytes - this.headBytes, bytes.length - at);
        this.head.set(bytes.subarray(at, at + count), this.headBytes);
        this.headBytes += count;
        at += count;
        if (this.headBytes < kFrameHeadBytes) return;
        this.headBytes = 0;
        this.message = this.memory();
        this.messageBytes = 0;
      }
      const count = Math.min(this.message.length - this.messageBytes, bytes.length - at);
      this.message.set(bytes.subarray(at, at + count), this.messageBytes);
      this.messageBytes += count;
      at += count;
      if (this.messageBytes < this.message.length) return;
      const { message } = this;
      this.message = null;
      deliver(message);
    }
  }

  /** Memory for the message of the head. Throws corrupt-message. */
  private memory(): Uint8Array {
    const view = new DataView(this.head.buffer);
    const bytes = view.getUint32(0, true);
    if (bytes === 0 || bytes % 8 !== 0 || bytes > kFrameBytesMax || view.getUint32(4, true) !== 0) {
      throw corrupt("a wrong head of a frame");
    }
    return new Uint8Array(bytes);
  }
}
