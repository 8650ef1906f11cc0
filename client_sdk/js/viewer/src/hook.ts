// window.takt: what tests, `takt shot` and curious people read of a running viewer. Everything here reads; what acts is the client's and the page's own.
import type { Client } from "takt";
import { Capture } from "./capture.js";
import type { Viewer } from "./viewer.js";

export interface BodyReading {
  index: number;
  /** m, world, as shown */
  position: number[];
  /** m/s */
  speed: number;
}

export interface Hook {
  readonly client: Client;
  readonly viewer: Viewer;
  /** Frames drawn since the page was loaded. */
  frameCount(): number;
  framesPerS(): number;
  /** Every body as shown in the last frame, in id order. */
  bodies(): BodyReading[];
  /** Where a world position is on the page, in CSS pixels; null behind the camera. */
  toPage(position: readonly number[]): { x: number; y: number } | null;
  /** The text of a row of the panel, such as "tick" or "hash". */
  reading(name: string): string;
  /** Pictures and clips of exact ticks; for a page with hold=1. */
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
