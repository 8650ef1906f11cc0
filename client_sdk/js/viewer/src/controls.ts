// The row of controls at the bottom: scene, pause, single step and speed; for a recording its time line and
// steps back; for the view throw, follow, frame all, theme and help. It disables controls that the server
// would refuse and names the reason; a text in place of the list of scenes names why there is none.
import type { Client, Room } from "takt";
import { element, iconButton, setIcon } from "./element.js";
import { Timeline } from "./timeline.js";

/** Range of the slider, whose steps are logarithmic. */
const kSpeedMin = 0.1;
const kSpeedMax = 10;

export interface ControlActions {
  throwBall: () => void;
  frameAll: () => void;
  toggleFollowing: () => void;
  toggleTheme: () => void;
  showHelp: () => void;
}

export class Controls {
  readonly timeline: Timeline;
  private readonly scenes = element("select", { "aria-label": "Scene", title: "Scene" });
  private readonly startButton = iconButton("start", "To the start (Home)", () => this.toStart());
  private readonly backButton = iconButton("stepBack", "One tick back (,)", () => this.stepBack());
  private readonly pauseButton = iconButton("pause", "Pause or run (P)", () => this.togglePause());
  private readonly stepButton = iconButton("step", "One tick (.)", () => this.step());
  private readonly speed = element("input", {
    type: "range",
    min: "-1",
    max: "1",
    step: "0.05",
    "aria-label": "Speed",
  });
  private readonly speedText = element("output");
  private readonly scenesWhy = element("span", { id: "scenes-why" });
  private readonly throwButton: HTMLButtonElement;
  private readonly followButton: HTMLButtonElement;
  private shownScenes = "";

  constructor(
    root: HTMLElement,
    private readonly client: Client,
    actions: ControlActions,
  ) {
    this.timeline = new Timeline(client);
    this.throwButton = iconButton("ball", "Throw a ball (space)", actions.throwBall);
    this.followButton = iconButton("follow", "Follow a body (C)", actions.toggleFollowing);
    this.scenes.addEventListener(
      "change",
      () => this.client.state === "joined" && this.client.loadScene(this.scenes.value),
    );
    this.speed.addEventListener("input", () => {
      const speed = 10 ** Number(this.speed.value);
      this.speedText.textContent = speedLabel(speed);
      if (this.client.state === "joined") this.client.setSpeed(speed);
    });
    root.append(
      this.timeline.root,
      this.timeline.legend,
      this.scenes,
      this.scenesWhy,
      element(
        "span",
        { class: "group" },
        this.startButton,
        this.backButton,
        this.pauseButton,
        this.stepButton,
      ),
      element(
        "label",
        { title: "Ticks of the world per tick of real time" },
        element("span", { text: "speed" }),
        this.speed,
        this.speedText,
      ),
      element(
        "span",
        { class: "group" },
        this.throwButton,
        this.followButton,
        iconButton("frame", "Show everything (H)", actions.frameAll),
        iconButton("theme", "Light or dark (T)", actions.toggleTheme),
        iconButton("help", "Keys and gestures (?)", actions.showHelp),
      ),
    );
    this.pauseButton.id = "pause";
    this.stepButton.id = "step";
    this.throwButton.id = "throw";
    this.followButton.id = "follow";
    this.scenes.id = "scenes";
    this.update(null);
  }

  /** Displays that the camera follows a body. */
  setFollowing(isFollowing: boolean): void {
    const pressed = String(isFollowing);
    if (this.followButton.getAttribute("aria-pressed") !== pressed) {
      this.followButton.setAttribute("aria-pressed", pressed);
    }
  }

  togglePause(): void {
    const { client } = this;
    const room = client.room;
    if (!this.mayControl(room)) return;
    if (!room.paused) return void client.pause();
    if (room.isPlayback && this.timeline.tick >= room.endTick) this.timeline.seek(room.firstTick);
    client.resume();
  }

  step(): void {
    if (this.mayControl(this.client.room)) this.timeline.step();
  }

  stepBack(): void {
    const room = this.client.room;
    if (!this.mayControl(room) || !room.isPlayback) return;
    if (!room.paused) this.client.pause();
    this.timeline.seek(this.timeline.tick - 1);
  }

  toStart(): void {
    const room = this.client.room;
    if (room?.isPlayback) this.timeline.seek(room.firstTick);
  }

  /** Displays the state of the room. */
  update(room: Room | null): void {
    const isPlayback = room?.isPlayback ?? false;
    const may = this.mayControl(room);
    for (const part of [this.timeline.root, this.timeline.legend, this.startButton, this.backButton]) {
      part.hidden = !isPlayback;
    }
    this.throwButton.hidden = isPlayback;
    for (const control of [
      this.pauseButton,
      this.stepButton,
      this.speed,
      this.scenes,
      this.backButton,
      this.startButton,
    ]) {
      control.disabled = !may;
    }
    const why = room !== null && !room.admin ? " – only an admin may" : "";
    this.stepButton.title = `One tick (.)${why}`;
    this.pauseButton.title = (room?.paused ? "Run (P)" : "Pause (P)") + why;
    setIcon(this.pauseButton, room?.paused ? "play" : "pause");
    this.pauseButton.setAttribute("aria-label", room?.paused ? "Run" : "Pause");
    this.updateScenes(room);
    // Skip this while the slider is dragged: the server's answers lag behind it.
    if (!room || this.speed.matches(":active")) return;
    this.speed.value = String(Math.log10(Math.min(kSpeedMax, Math.max(kSpeedMin, room.speed))));
    this.speedText.textContent = speedLabel(room.speed);
  }

  private updateScenes(room: Room | null): void {
    const scenes = room?.scenes ?? [];
    const why = whyNoScenes(room);
    this.scenes.hidden = this.scenesWhy.hidden = true;
    if (why === "") this.scenes.hidden = false;
    else if (room) this.scenesWhy.hidden = false;
    if (this.scenesWhy.textContent !== why) this.scenesWhy.textContent = why;
    this.scenes.title = room?.admin === false ? "Scene: only an admin may choose another" : "Scene";
    const key = scenes.join("\n");
    if (key !== this.shownScenes) {
      this.shownScenes = key;
      this.scenes.replaceChildren(...scenes.map((scene) => element("option", { value: scene, text: scene })));
    }
    if (room) this.scenes.value = room.scene;
  }

  private mayControl(room: Room | null): room is Room {
    return this.client.state === "joined" && room?.admin === true;
  }
}

/** The reason for which there is no list of scenes; "" = there is one. */
export function whyNoScenes(room: Pick<Room, "isPlayback" | "scenes"> | null): string {
  if (room?.isPlayback) return "A recording keeps its scene.";
  if ((room?.scenes.length ?? 0) < 2) return "No other scenes: takt serve --scenes FOLDER adds them.";
  return "";
}

function speedLabel(speed: number): string {
  return `× ${speed >= 10 ? speed.toFixed(0) : speed >= 1 ? speed.toFixed(1) : speed.toFixed(2)}`;
}
