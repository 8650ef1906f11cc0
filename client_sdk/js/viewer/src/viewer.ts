// The viewer: one client, one stage, and the page around them. Every frame polls the client, displays its
// events and draws.
import type { Client, Event, Ray, Room } from "takt";
import { reachOf } from "./body_size.js";
import { CameraGuide } from "./camera_guide.js";
import { Controls } from "./controls.js";
import { Cords } from "./cords.js";
import { Hand } from "./hand.js";
import { Help } from "./help.js";
import { Hint } from "./hint.js";
import { Keyboard } from "./keyboard.js";
import type { KeyAction } from "./keyboard.js";
import { LineBatch } from "./line_batch.js";
import { kDisconnectTexts, Notices, noticeText } from "./notices.js";
import { kOverlayNames, Overlays } from "./overlays.js";
import type { OverlayName } from "./overlays.js";
import { Panel } from "./panel.js";
import type { RowName } from "./panel.js";
import { Pointer } from "./pointer.js";
import { Readings } from "./readings.js";
import { Stage } from "./stage.js";
import { Theme } from "./theme.js";
import { splitTitle } from "./title.js";
import { TokenForm } from "./token_form.js";

export interface ViewerOptions {
  client: Client;
  /** "light", "dark" or null = the system's theme. */
  theme: string | null;
  quality: "auto" | "high";
  /** Six numbers: eye and target, m; null = the room's camera, or one that frames all bodies. */
  camera: readonly number[] | null;
  /** The page is a picture of the world alone. */
  isPicture: boolean;
}

/** Flying speed per second, in distances to the target. */
const kFlyRatePerS = 0.9;
/** Elements of the page that cover the picture. */
const kCovers = ["title", "panel", "hint", "controls"];

export class Viewer {
  readonly stage: Stage;
  frameCount = 0;
  readonly guide: CameraGuide;
  private readonly client: Client;
  private readonly theme: Theme;
  private readonly notices = new Notices(byId("banner"), byId("notices"));
  private readonly tokenForm = new TokenForm(byId("token"));
  private readonly panel: Panel;
  private readonly controls: Controls;
  private readonly hand: Hand;
  private readonly pointer: Pointer;
  private readonly keyboard: Keyboard;
  private readonly overlays: Overlays;
  private readonly cords = new Cords();
  private readonly lines: LineBatch;
  private readonly help: Help;
  private readonly hint: Hint;
  private readonly readings: Readings;
  private lastFrameMs = 0;

  constructor(options: ViewerOptions) {
    const { client } = options;
    this.client = client;
    const canvas = byId("world") as HTMLCanvasElement;
    this.theme = new Theme(options.theme, (name) => this.stage.setTheme(name));
    this.stage = new Stage({ canvas, theme: this.theme.current, quality: options.quality });
    this.stage.geometryOf = (digest) => client.geometry(digest);
    this.stage.isFloorSolid = options.camera === null;
    this.guide = new CameraGuide({
      client,
      stage: this.stage,
      camera: options.camera,
      isPicture: options.isPicture,
      covers: () => kCovers.map((id) => byId(id).getBoundingClientRect()),
    });
    this.hint = new Hint(byId("hint"), this.stage.floor);
    this.lines = new LineBatch(this.stage.scene, this.stage.origin);
    this.hand = new Hand(client, this.stage.rig);
    this.pointer = new Pointer(canvas, this.stage.rig, {
      take: (ray) => this.take(ray),
      pull: (ray) => this.hand.pull(ray),
      reach: (factor) => this.hand.reach(factor),
      release: () => this.attempt(() => this.hand.release()),
      focusOn: (ray) => this.focusOn(ray),
      cameraMoved: (isPan) => this.handleCameraMoved(isPan),
    });
    this.overlays = new Overlays(client, this.stage, this.lines);
    this.panel = new Panel(byId("panel"), (name) => this.toggleOverlay(name));
    this.readings = new Readings(this.panel);
    this.controls = new Controls(byId("controls"), client, {
      throwBall: () => this.throwBall(),
      frameAll: () => this.guide.showAll(),
      toggleFollowing: () => this.toggleFollowing(),
      toggleTheme: () => this.theme.toggle(),
      showHelp: () => this.help.toggle(),
    });
    const actions = this.keyActions();
    this.keyboard = new Keyboard(actions);
    this.help = new Help(byId("help"), actions);
  }

  get framesPerS(): number {
    return this.readings.fps;
  }

  /** False while joint frames for the cords are on their way. */
  get hasCords(): boolean {
    return !this.cords.wantsJoints;
  }

  /** The text of a row of the panel. */
  reading(name: string): string {
    return this.panel.text(name as RowName);
  }

  /** The CSS pixel of a world position; null behind the camera. */
  toPage(position: readonly number[]): { x: number; y: number } | null {
    const { camera, eye } = this.stage.rig;
    const m = camera.matrixWorld.elements;
    const along = (column: number) =>
      [0, 1, 2].reduce((sum, axis) => sum + m[4 * column + axis]! * (position[axis]! - eye[axis]!), 0);
    const depth = -along(2);
    if (depth <= 0) return null;
    const up = Math.tan((camera.fov / 2) * (Math.PI / 180)) * depth;
    const box = byId("world").getBoundingClientRect();
    return {
      x: box.left + (box.width / 2) * (1 + along(0) / (up * camera.aspect)),
      y: box.top + (box.height / 2) * (1 - along(1) / up),
    };
  }

  /** Polls the client and handles its events, without drawing. */
  handleEvents(): void {
    const { client } = this;
    client.poll();
    for (let event = client.nextEvent(); event; event = client.nextEvent()) this.handleEvent(event);
    const { completeTick } = client.stats();
    this.cords.update(performance.now(), client.jointFrames(), completeTick, client.bodies());
    this.overlays.setJointsWanted(this.cords.wantsJoints);
  }

  /** Draws one frame, at this time of the page's clock. */
  frame(nowMs: number): void {
    const elapsedMs = this.lastFrameMs === 0 ? 16 : nowMs - this.lastFrameMs;
    this.lastFrameMs = nowMs;
    const { client, stage } = this;
    this.handleEvents();
    this.moveByKeys(elapsedMs / 1000, nowMs);
    const stats = client.stats();
    this.guide.frameFirst(nowMs, stats.completeTick > 0);
    this.guide.showSwings(nowMs);
    if (!this.guide.update()) this.notices.notify("The body that the camera followed is gone.");
    this.controls.setFollowing(this.guide.isFollowing);
    stage.highlighted = this.hand.heldBody;
    this.lines.begin();
    stage.handleFrameTime(elapsedMs);
    stage.ropes = [...client.ropes(), ...this.cords.ropes(client.bodies())];
    stage.draw(client.bodies(), Math.min(0.25, elapsedMs / 1000), () => {
      this.overlays.draw();
      this.attempt(() => this.hand.update(nowMs, this.lines));
      this.lines.finish();
    });
    this.hint.update(client, nowMs); // after draw(), which finds the floor
    ++this.frameCount;
    if (client.room?.isPlayback) this.controls.timeline.draw(client.room, stats.renderTick);
    this.readings.update(nowMs, elapsedMs, stats);
    byId("connection").dataset.state = client.state;
  }

  private handleEvent(event: Event): void {
    const text = noticeText(event);
    if (text !== undefined) this.notices.notify(text);
    switch (event.type) {
      case "joined":
        this.notices.hideBanner();
        if (event.reconnects > 0) this.notices.notify("Connected again.");
        this.hand.forget();
        this.cords.clear();
        this.controls.timeline.reset();
        this.showRoom(this.client.room);
        return;
      case "room":
        if (event.isNewWorld) {
          this.hand.forget();
          this.hand.chosen = 0n;
          this.cords.clear();
          // After a seek the camera stays; for another scene it moves.
          if (!event.room.isPlayback) this.guide.handleNewWorld();
        }
        return this.showRoom(event.room);
      case "disconnected":
        return this.showDisconnect(event.reason, event.text, event.willReconnect);
      case "reconnecting":
        this.controls.update(null);
        return;
      case "jointBroken":
        return this.cords.remove(event.joint);
      case "controlResult":
        return this.controls.timeline.handleAnswer(event.request);
      case "serverReport":
        return this.readings.handleReport(event);
      default:
    }
  }

  private showRoom(room: Room | null): void {
    this.controls.update(room);
    const title = [room?.title, room?.scene, "Takt"].find((text) => text !== undefined && text !== "")!;
    const [name, about] = splitTitle(title);
    byId("scene-title").textContent = room?.isPlayback ? `${name} (recording)` : name;
    byId("scene-about").textContent = about;
    document.title = room ? `${name} – Takt` : "Takt";
  }

  private showDisconnect(reason: string, text: string, willReconnect: boolean): void {
    const why = kDisconnectTexts[reason] ?? `The connection ended. ${text}`.trim();
    if (reason.startsWith("token_") && !willReconnect) {
      this.notices.showBanner(why, "bad");
      this.tokenForm.show();
      return;
    }
    this.notices.showBanner(
      willReconnect ? `${why} Trying to connect …` : `${why} Reload the page to try again.`,
      willReconnect ? "warn" : "bad",
    );
  }

  private keyActions(): KeyAction[] {
    return [
      {
        keys: [" "],
        label: "space",
        help: "throw a ball to where the pointer is",
        press: () => this.throwBall(),
      },
      {
        keys: ["arrowup", "arrowdown", "arrowleft", "arrowright"],
        label: "arrows",
        help: "push and roll the body clicked last, or the largest",
      },
      { keys: ["f"], label: "F", help: "fly or orbit", press: () => this.toggleFlying() },
      {
        keys: ["w", "a", "s", "d", "q", "e"],
        label: "W A S D Q E",
        help: "fly forward, left, back, right, down, up",
      },
      { keys: ["shift"], label: "shift", help: "fly fast" },
      {
        keys: ["h"],
        label: "H",
        help: "show everything",
        press: () => this.guide.showAll(),
      },
      {
        keys: ["c"],
        label: "C",
        help: "follow the body clicked last, or the largest",
        press: () => this.toggleFollowing(),
      },
      {
        keys: ["p"],
        label: "P",
        help: "pause or run",
        press: () => this.attempt(() => this.controls.togglePause()),
      },
      { keys: ["."], label: ".", help: "one tick", press: () => this.attempt(() => this.controls.step()) },
      {
        keys: [","],
        label: ",",
        help: "one tick back (recordings)",
        press: () => this.attempt(() => this.controls.stepBack()),
      },
      {
        keys: ["home"],
        label: "Home",
        help: "to the start (recordings)",
        press: () => this.attempt(() => this.controls.toStart()),
      },
      ...kOverlayNames.map((name, i) => ({
        keys: [String(i + 1)],
        label: String(i + 1),
        help: kOverlayHelp[name],
        press: () => this.toggleOverlay(name),
      })),
      { keys: ["t"], label: "T", help: "light or dark", press: () => this.theme.toggle() },
      { keys: ["?"], label: "?", help: "this page", press: () => this.help.toggle() },
      { keys: ["escape"], label: "Esc", help: "close this page, stop flying", press: () => this.escape() },
    ];
  }

  private moveByKeys(seconds: number, nowMs: number): void {
    const {
      keyboard,
      stage: { rig },
    } = this;
    if (rig.isFlying) {
      const step =
        kFlyRatePerS *
        Math.max(1, Math.min(100, rig.distance)) *
        seconds *
        (keyboard.isDown("shift") ? 4 : 1);
      rig.move(
        step * keyboard.axis("d", "a"),
        step * keyboard.axis("e", "q"),
        step * keyboard.axis("w", "s"),
      );
      this.guide.handleTouched(true);
    }
    this.attempt(() =>
      this.hand.drive(keyboard.axis("arrowup", "arrowdown"), keyboard.axis("arrowright", "arrowleft"), nowMs),
    );
  }

  private take(ray: Ray): boolean {
    const isTaken = this.attempt(() => this.hand.take(ray)) ?? false;
    if (isTaken) this.handleAct();
    return isTaken;
  }

  // The hint goes, and its room on the page moves no camera under a person's hand.
  private handleAct(): void {
    this.hint.handleAct();
    this.guide.handleTouched(false);
  }

  private handleCameraMoved(isPan: boolean): void {
    this.guide.handleTouched(isPan);
    if (this.client.room?.isPlayback) this.hint.handleAct();
  }

  private toggleFollowing(): void {
    const body = this.guide.isFollowing ? undefined : this.hand.drivenBody();
    if (!body && !this.guide.isFollowing) return this.notices.notify("No body here moves.");
    this.guide.follow(body);
    this.notices.notify(body ? "Following a body. C or a pan stops." : "The camera stays.");
  }

  private toggleFlying(): void {
    this.stage.rig.isFlying = !this.stage.rig.isFlying;
    this.notices.notify(
      this.stage.rig.isFlying ? "Flying: W A S D, Q and E; drag to look around; F to stop." : "Orbiting.",
    );
  }

  private escape(): void {
    this.help.hide();
    this.stage.rig.isFlying = false;
  }

  private toggleOverlay(name: OverlayName): void {
    this.attempt(() => this.overlays.toggle(name));
    this.panel.setToggle(name, this.overlays.isOn[name]);
  }

  private throwBall(): void {
    this.attempt(() => this.hand.throwBall(this.pointer.ray()));
    if (!this.client.room?.isPlayback) this.handleAct();
  }

  private focusOn(ray: Ray): void {
    const hit = this.client.pick(ray);
    if (!hit) return;
    const isWide = hit.body.shapes.some(
      ({ kind }) => kind === "half_space" || kind === "mesh" || kind === "height_field",
    );
    const [x, y, z] = isWide
      ? hit.point
      : (hit.body.position as ArrayLike<number> as [number, number, number]);
    this.stage.rig.focus(x, y, z, isWide ? this.stage.rig.distance / 6 : reachOf(hit.body));
    this.guide.handleTouched(true);
  }

  // The client throws if a command cannot be sent now. The message is displayed and the frame continues.
  private attempt<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      this.notices.notify(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }
}

const kOverlayHelp: Record<OverlayName, string> = {
  contacts: "contact points and normals",
  joints: "joint frames",
  boxes: "bounding boxes",
  velocity: "velocities",
  islands: "one colour for bodies that hang together",
  raw: "the newest snapshot beside the interpolated pose",
};

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element '${id}'`);
  return found;
}
