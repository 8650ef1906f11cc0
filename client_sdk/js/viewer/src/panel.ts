// The panel: numbers of the server, the connection and the drawing, and switches of the overlays. It displays
// values and reports clicks; other modules provide the values. It begins folded, so that the scene has the
// page, and remembers a person's choice.
import { element } from "./element.js";
import { kOverlayNames } from "./overlays.js";
import type { OverlayName } from "./overlays.js";
import { Sparkline } from "./sparkline.js";

const kRows = [
  { name: "tick", label: "tick" },
  { name: "clients", label: "clients" },
  { name: "bodies", label: "bodies" },
  { name: "contacts", label: "contacts", graphMin: 10 },
  { name: "tickTime", label: "ms / tick", graphMin: 1 },
  { name: "rtt", label: "round trip", graphMin: 10 },
  { name: "rate", label: "received", graphMin: 10 },
  { name: "loss", label: "loss" },
  { name: "frames", label: "frames / s", graphMin: 60 },
  { name: "hash", label: "hash", isWide: true },
] as const;
export type RowName = (typeof kRows)[number]["name"];

const kStorageKey = "takt-panel";

const kToggles: Record<OverlayName, { label: string; title: string }> = {
  contacts: { label: "Contacts", title: "Contact points and normals: the 512 strongest (1)" },
  joints: { label: "Joints", title: "Joint frames: anchors and axes (2)" },
  boxes: { label: "Bounds", title: "Bounding boxes (3)" },
  velocity: { label: "Velocity", title: "Displacement in the next 0.2 s (4)" },
  islands: { label: "Islands", title: "One colour for bodies that hang together by contacts (5)" },
  raw: { label: "Raw snapshot", title: "Outlines of the newest snapshot beside the interpolated pose (6)" },
};

export class Panel {
  private readonly values = new Map<RowName, HTMLElement>();
  private readonly graphs = new Map<RowName, Sparkline>();
  private readonly toggles = new Map<OverlayName, HTMLButtonElement>();
  private readonly fold: HTMLButtonElement;

  constructor(
    private readonly root: HTMLElement,
    onToggle: (name: OverlayName) => void,
  ) {
    this.fold = element("button", {
      id: "panel-fold",
      type: "button",
      title: "Show or hide the numbers and overlays",
    });
    this.fold.addEventListener("click", () => {
      this.setFolded(!this.isFolded);
      remember(this.isFolded ? "folded" : "open");
    });
    root.append(this.fold, this.makeRows(), this.makeToggles(onToggle));
    this.setFolded(remembered() !== "open");
  }

  get isFolded(): boolean {
    return this.root.classList.contains("is-folded");
  }

  setFolded(isFolded: boolean): void {
    this.root.classList.toggle("is-folded", isFolded);
    this.fold.setAttribute("aria-expanded", String(!isFolded));
    this.writeFold();
  }

  set(name: RowName, text: string, title = ""): void {
    const value = this.values.get(name)!;
    if (value.textContent !== text) value.textContent = text;
    if (value.title !== title) value.title = title;
    if (name === "tick") this.writeFold();
  }

  text(name: RowName): string {
    return this.values.get(name)!.textContent;
  }

  /** Adds the next point of a graph; call it at a steady rate. */
  addSample(name: RowName, value: number): void {
    this.graphs.get(name)?.add(value);
  }

  drawGraphs(): void {
    const colour = getComputedStyle(this.root).getPropertyValue("--accent");
    for (const graph of this.graphs.values()) graph.draw(colour);
  }

  setToggle(name: OverlayName, isOn: boolean): void {
    this.toggles.get(name)!.setAttribute("aria-pressed", String(isOn));
  }

  private writeFold(): void {
    const text = this.isFolded ? `tick ${this.text("tick")} ▾` : "numbers and overlays ▴";
    if (this.fold.textContent !== text) this.fold.textContent = text;
  }

  private makeRows(): HTMLElement {
    const rows = element("div", { class: "rows" });
    for (const row of kRows) {
      const isWide = "isWide" in row;
      const value = element("span", { class: isWide ? "value wide hash" : "value", text: "–" });
      this.values.set(row.name, value);
      rows.append(element("span", { class: "label", text: row.label }));
      if ("graphMin" in row) {
        const graph = new Sparkline(row.graphMin, `${row.label}, the last half minute`);
        this.graphs.set(row.name, graph);
        rows.append(graph.canvas);
      } else if (!isWide) {
        rows.append(element("span"));
      }
      rows.append(value);
    }
    return rows;
  }

  private makeToggles(onToggle: (name: OverlayName) => void): HTMLElement {
    const toggles = element("div", { class: "toggles" });
    for (const name of kOverlayNames) {
      const { label, title } = kToggles[name];
      const button = element("button", { type: "button", text: label, title, "aria-pressed": "false" });
      button.addEventListener("click", () => onToggle(name));
      this.toggles.set(name, button);
      toggles.append(button);
    }
    return toggles;
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(kStorageKey);
  } catch {
    return null;
  }
}

function remember(choice: string): void {
  try {
    localStorage.setItem(kStorageKey, choice);
  } catch {
    // The browser stores nothing: the choice lasts as long as the page.
  }
}
