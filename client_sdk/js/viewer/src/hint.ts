// The hint: one line that names the next thing to do. It depends on the room and on the person's pointer, and
// disappears after the first grab or throw, or with its button. It reads the client and acts on nothing.
import type { Client } from "takt";
import { element } from "./element.js";
import type { Floor } from "./floor.js";

/** Interval between two looks at the bodies. */
const kIntervalMs = 500;

export interface HintState {
  isPlayback: boolean;
  isPaused: boolean;
  isAdmin: boolean;
  /** The person has no mouse. */
  isTouch: boolean;
  /** Number of scenes to choose from. */
  sceneCount: number;
  /** No dynamic body is awake. */
  isAsleep: boolean;
  /** Something lies below the bodies: a ground, a terrain or a static body. */
  hasFloor: boolean;
}

/** The line for a state. */
export function hintText(state: HintState): string {
  // The picture of the button itself: a scene may be full of balls.
  const throwIt = state.isTouch ? "tap ● to throw a ball" : "press space to throw a ball";
  if (state.isPlayback) {
    const look = "drag the picture to look around";
    if (!state.isAdmin) return `A recording: ${look}.`;
    return `A recording: drag the time line to another moment, ${look}.`;
  }
  if (state.isPaused && state.isAdmin) {
    return `The room is paused: ${state.isTouch ? "tap the triangle" : "press P"} to run it.`;
  }
  // Fingers cover small bodies; a mouse needs no such word.
  const zoom = state.isTouch ? ", pinch to zoom" : "";
  const pick = state.isAdmin && state.sceneCount > 1 ? ", or pick another scene" : "";
  const why = state.hasFloor ? (state.isAsleep ? "At rest: d" : "D") : "No floor: d";
  return `${why}rag a body, ${throwIt}${zoom}${pick}.`;
}

export class Hint {
  private readonly line = element("span");
  private isDone = false;
  private lastMs = -Infinity;

  constructor(
    private readonly root: HTMLElement,
    private readonly floor: Floor,
  ) {
    const close = element("button", { type: "button", text: "×", "aria-label": "Hide this line" });
    close.addEventListener("click", () => this.handleAct());
    root.append(this.line, close);
    root.hidden = true;
  }

  /** The person acted in the world. */
  handleAct(): void {
    this.isDone = true;
    this.root.hidden = true;
  }

  /** Displays the line for the client's room; call it once a frame. */
  update(client: Client, nowMs: number): void {
    if (this.isDone || nowMs - this.lastMs < kIntervalMs) return;
    const { room } = client;
    if (client.state !== "joined" || !room) return;
    this.lastMs = nowMs;
    let isAsleep = true;
    for (const body of client.bodies()) {
      if (body.motion === "dynamic" && !body.asleep) isAsleep = false;
    }
    const text = hintText({
      isPlayback: room.isPlayback,
      isPaused: room.paused,
      isAdmin: room.admin,
      isTouch: window.matchMedia("(pointer: coarse)").matches,
      sceneCount: room.scenes.length,
      isAsleep,
      hasFloor: this.floor.isPresent,
    });
    if (this.line.textContent !== text) this.line.textContent = text;
    this.root.hidden = false;
  }
}
