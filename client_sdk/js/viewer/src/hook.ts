// window.takt: readings of a running viewer for tests, `takt shot` and people at the console. The hook only
// reads; client and page act.
import type { Client } from "takt";
import { Capture } from "./capture.js";
import type { Viewer } from "./viewer.js";

export interface BodyReading {
  index: number;
  /** m, world, as displayed. */
  position: number[];
  /** m/s. */
  speed: number;
}

export interface Hook {
  readonly client: Client;
  readonly viewer: Viewer;
  /** Frames drawn since the page was loaded. */
  frameCount(): number;
  framesPerS(): number;
  /** All bodies as displayed in the last frame, in id order. */
  bodies(): BodyReading[];
  /** The CSS pixel of a world position; null behind the camera. */
  toPage(position: readonly number[]): { x: number; y: number } | null;
  /** The text of a row of the panel, such as "tick" or "hash". */
  reading(name: string): string;
  /** Pictures and clips of exact ticks; needs a page with hold=1. */
  readonly capture: Capture;
}

declare global {
  interface Window {
    takt: Hook;
  }
}

export function exposeHook(client: Client, viewer: Viewer): void {
  window.takt = {
    client,
    viewer,
    frameCount: () => viewer.frameCount,
    framesPerS: () => viewer.framesPerS,
    bodies: () =>
      client.bodies().map(({ index, position, linearVelocity }) => ({
        index,
        position: [...position],
        speed: Math.hypot(...linearVelocity),
      })),
    toPage: (position) => viewer.toPage(position),
    reading: (name) => viewer.reading(name),
    capture: new Capture(client, viewer),
  };
}
