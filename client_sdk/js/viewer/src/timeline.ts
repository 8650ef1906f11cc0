// The time line of a recording: a bar with marks of events and the displayed tick; a click, drag or key
// seeks. At most one seek is pending; the newest target waits for its answer.
import type { Client, MarkKind, Room } from "takt";
import { element } from "./element.js";

/** Marked events in drawing order. Images (the starts of seeks) stay unmarked. */
const kMarks: Partial<Record<MarkKind, { colour: string; name: string; height: number }>> = {
  input: { colour: "#4a90d9", name: "inputs", height: 0.45 },
  join: { colour: "#2fa866", name: "joins", height: 0.8 },
  leave: { colour: "#9a6fd0", name: "leaves", height: 0.8 },
  break: { colour: "#d9483b", name: "breaks", height: 1 },
};

export class Timeline {
  readonly root: HTMLElement;
  readonly legend: HTMLElement;
  private readonly canvas = element("canvas", {
    tabindex: "0",
    role: "slider",
    "aria-label": "Tick of the recording",
  });
  private readonly now = element("span", { class: "now", id: "timeline-now" });
  private readonly context = this.canvas.getContext("2d");
  private shownTick = 0;
  private wantedTick: number | undefined;
  private seekRequest: number | undefined;
  private soughtTick = 0;
  /** Single steps sent after the last seek and not answered yet. */
  private readonly stepRequests = new Set<number>();
  private drawnKey = "";
  private labelDigits = 0;

  constructor(private readonly client: Client) {
    this.root = element("div", { class: "timeline" }, this.canvas, this.now);
    this.legend = element("div", { class: "legend" });
    for (const mark of Object.values(kMarks)) {
      this.legend.append(
        element("span", {}, element("i", { style: `background:${mark.colour}` }), mark.name),
      );
    }
    const seekTo = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const fraction = Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
      const room = this.client.room;
      if (room) this.seek(Math.round(room.firstTick + fraction * (room.endTick - room.firstTick)));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seekTo(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.canvas.hasPointerCapture(event.pointerId)) seekTo(event);
    });
  }

  /** The displayed tick, or the tick after all pending requests: keys come faster than answers. */
  get tick(): number {
    if (this.wantedTick !== undefined) return this.wantedTick;
    const room = this.client.room;
    const from = this.seekRequest !== undefined ? this.soughtTick : room?.paused ? room.tick : this.shownTick;
    return from + this.stepRequests.size;
  }

  /** Steps one tick, or moves a waiting seek by one tick. */
  step(): void {
    if (this.wantedTick !== undefined) this.seek(this.wantedTick + 1);
    else this.stepRequests.add(this.client.step(1));
  }

  seek(tick: number): void {
    const room = this.client.room;
    if (!room?.isPlayback || !room.admin) return;
    this.wantedTick = Math.min(room.endTick, Math.max(room.firstTick, tick));
    this.sendSeek();
  }

  handleAnswer(request: number): void {
    this.stepRequests.delete(request);
    if (request !== this.seekRequest) return;
    this.seekRequest = undefined;
    this.sendSeek();
  }

  /** Forgets pending requests, because a lost connection answers none. */
  reset(): void {
    this.seekRequest = this.wantedTick = undefined;
    this.stepRequests.clear();
  }

  draw(room: Room, tick: number): void {
    this.shownTick = Math.min(room.endTick, Math.max(room.firstTick, Math.round(tick)));
    const at = this.seekRequest === undefined ? this.shownTick : this.tick;
    const { canvas } = this;
    const ratio = globalThis.devicePixelRatio;
    const width = Math.round(canvas.clientWidth * ratio),
      height = Math.round(canvas.clientHeight * ratio);
    const style = getComputedStyle(canvas);
    const { firstTick, endTick, marks } = room;
    const key = `${at} ${width} ${height} ${firstTick} ${endTick} ${marks.length} ${style.color}`;
    if (key === this.drawnKey || width === 0) return;
    this.drawnKey = key;
    this.writeLabel(at, room.endTick);
    canvas.setAttribute("aria-valuemin", String(room.firstTick));
    canvas.setAttribute("aria-valuemax", String(room.endTick));
    canvas.setAttribute("aria-valuenow", String(at));
    canvas.width = width;
    canvas.height = height;
    if (this.context) this.paint(this.context, room, at, width, height, ratio, style);
  }

  // The label keeps the width of its longest text, so that the bar beside it does not change its own.
  private writeLabel(at: number, endTick: number): void {
    const digits = String(endTick).length;
    if (digits !== this.labelDigits) {
      this.labelDigits = digits;
      this.now.style.minWidth = `${2 * digits + 2}ch`;
    }
    this.now.textContent = `${at} / ${endTick}`;
  }

  private paint(
    context: CanvasRenderingContext2D,
    room: Room,
    at: number,
    width: number,
    height: number,
    ratio: number,
    style: CSSStyleDeclaration,
  ): void {
    const length = Math.max(1, room.endTick - room.firstTick);
    const x = (tick: number) => ((tick - room.firstTick) / length) * (width - 4 * ratio) + 2 * ratio;
    context.fillStyle = style.getPropertyValue("--field");
    context.fillRect(0, 0, width, height);
    context.globalAlpha = 0.3;
    context.fillStyle = style.getPropertyValue("--accent");
    context.fillRect(0, 0, x(at), height);
    context.globalAlpha = 1;
    for (const [kind, appearance] of Object.entries(kMarks)) {
      context.fillStyle = appearance.colour;
      for (const mark of room.marks) {
        if (mark.kind === kind) {
          context.fillRect(
            x(mark.tick) - 0.75 * ratio,
            height * (1 - appearance.height),
            1.5 * ratio,
            height * appearance.height,
          );
        }
      }
    }
    context.fillStyle = style.color;
    context.fillRect(x(at) - 1.5 * ratio, 0, 3 * ratio, height);
  }

  private sendSeek(): void {
    if (this.seekRequest !== undefined || this.wantedTick === undefined) return;
    this.soughtTick = this.wantedTick;
    this.wantedTick = undefined;
    this.stepRequests.clear();
    this.seekRequest = this.client.seek(this.soughtTick);
  }
}
