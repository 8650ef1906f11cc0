// Pictures of exact ticks, for `takt shot`. The room is paused; once every body of the tick has arrived, one
// frame is drawn and read back. No clock affects a picture. The page must have the parameter hold=1, so that
// it draws no other frames; clips need a client that is an admin of the room.
import type { Client } from "takt";
import { GifEncoder } from "./gif_encoder.js";
import type { Viewer } from "./viewer.js";
import { writeWebm } from "./webm_writer.js";
import type { EncodedFrame } from "./webm_writer.js";

const kPollMs = 5;
const kSettleTimeoutMs = 60_000;
/** A server that tells no joint frames does not hold up a picture for longer. */
const kCordsTimeoutMs = 1000;

/**
 * Bits per pixel keep flat colours clean; a key frame every two seconds at 30 frames a second allows seeks.
 */
const kFilmBitsPerPixel = 0.15;
const kFilmKeyFrames = 60;

export interface ClipOptions {
  frames: number;
  /** Ticks between two frames. */
  ticks: number;
  delayMs: number;
}

export class Capture {
  constructor(
    private readonly client: Client,
    private readonly viewer: Viewer,
  ) {}

  /** The canvas at a tick: its size, and RGBA row by row from the top, base64. */
  async picture(tick: number): Promise<{ width: number; height: number; pixels: string }> {
    const { width, height } = await this.prepare(tick);
    const read = this.reader();
    this.viewer.frame(performance.now());
    return { width, height, pixels: base64(read()) };
  }

  /** An animated GIF that begins at a tick, base64. */
  async gif(tick: number, clip: ClipOptions): Promise<string> {
    const { width, height } = await this.prepare(tick);
    const encoder = new GifEncoder(width, height, clip.delayMs);
    const read = this.reader();
    await this.eachFrame(tick, clip, () => encoder.add(read()));
    return base64(encoder.encode());
  }

  /** A WebM film (VP9) that begins at a tick, base64. */
  async webm(tick: number, clip: ClipOptions): Promise<string> {
    const { width, height } = await this.prepare(tick);
    const frames: EncodedFrame[] = [];
    let failure: Error | undefined;
    const encoder = new VideoEncoder({
      output: (chunk) => {
        const data = new Uint8Array(chunk.byteLength);
        chunk.copyTo(data);
        frames.push({ data, timeMs: Math.round(chunk.timestamp / 1000), isKey: chunk.type === "key" });
      },
      error: (error) => (failure = error),
    });
    encoder.configure({
      codec: "vp09.00.31.08",
      width,
      height,
      framerate: 1000 / clip.delayMs,
      bitrate: kFilmBitsPerPixel * width * height * (1000 / clip.delayMs),
    });
    await this.eachFrame(tick, clip, (at) => {
      const frame = new VideoFrame(this.canvas, {
        timestamp: 1000 * at * clip.delayMs,
        duration: 1000 * clip.delayMs,
      });
      encoder.encode(frame, { keyFrame: at % kFilmKeyFrames === 0 });
      frame.close();
    });
    await encoder.flush();
    if (failure) throw failure;
    return base64(writeWebm(width, height, clip.frames * clip.delayMs, frames));
  }

  // Draws a first frame, which sets the size of the canvas and the camera.
  private async prepare(tick: number): Promise<{ width: number; height: number }> {
    await this.settle(tick);
    this.viewer.frame(performance.now());
    return this.canvas;
  }

  /** Draws each frame of a clip at its tick and calls `take` before the browser presents it. */
  private async eachFrame(
    tick: number,
    { frames, ticks }: ClipOptions,
    take: (at: number) => void,
  ): Promise<void> {
    for (let at = 0; at < frames; ++at) {
      if (at > 0) {
        this.client.step(ticks);
        await this.settle(tick + at * ticks);
      }
      this.viewer.frame(performance.now());
      take(at);
    }
  }

  /** Waits until the paused room's tick is complete and displayed, with its cords if joints arrive. */
  private async settle(tick: number): Promise<void> {
    const deadline = performance.now() + kSettleTimeoutMs;
    let cordsDeadline = Infinity;
    for (;;) {
      this.viewer.handleEvents();
      const { client } = this;
      const { completeTick, renderTick } = client.stats();
      const room = client.room;
      const isThere =
        client.state === "joined" &&
        room !== null &&
        room.paused &&
        room.tick === tick &&
        completeTick === tick &&
        renderTick === tick;
      if (isThere && client.bodies().length > 0) {
        cordsDeadline = Math.min(cordsDeadline, performance.now() + kCordsTimeoutMs);
        if (this.viewer.hasCords || performance.now() > cordsDeadline) return;
      }
      if (client.state === "closed" || performance.now() > deadline) {
        throw new Error(
          `tick ${tick} did not come: the client is ${client.state}, ` +
            `the room is ${room?.paused ? "paused" : "running"} at tick ${room?.tick ?? "?"}, ` +
            `${client.bodies().length} bodies are shown at tick ${renderTick}, ` +
            `the newest complete tick is ${completeTick}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, kPollMs));
    }
  }

  /**
   * Returns a function that reads the canvas' pixels. Call it before the browser presents a frame and clears
   * it.
   */
  private reader(): () => Uint8ClampedArray {
    const { width, height } = this.canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
    return () => {
      copy.drawImage(this.canvas, 0, 0);
      return copy.getImageData(0, 0, width, height).data;
    };
  }

  private get canvas(): HTMLCanvasElement {
    return document.getElementById("world") as HTMLCanvasElement;
  }
}

function base64(bytes: Uint8Array | Uint8ClampedArray): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}
