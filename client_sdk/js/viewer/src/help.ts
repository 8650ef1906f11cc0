// The help page: what the mouse, a touch screen and every key do.
import { element } from "./element.js";
import type { KeyAction } from "./keyboard.js";

const kGestures: readonly (readonly [string, string])[] = [
  ["Drag a body", "pull it along; the wheel brings it nearer or further"],
  ["Drag elsewhere", "orbit; while flying: look around"],
  ["Right or shift drag, two fingers", "move the view"],
  ["Wheel, pinch", "zoom"],
  ["Double click, double tap", "look at that body"],
];

export class Help {
  constructor(private readonly root: HTMLElement, actions: readonly KeyAction[]) {
    const close = element("button", { type: "button", text: "Close" });
    close.addEventListener("click", () => this.hide());
    root.addEventListener("click", (event) => event.target === root && this.hide());
    const table = element("table");
    for (const [gesture, help] of kGestures) table.append(row(element("span", { text: gesture }), help));
    for (const action of actions) table.append(row(element("kbd", { text: action.label }), action.help));
    root.append(element("div", {}, element("h2", { text: "Keys and gestures" }), table, element("footer", {}, close)));
  }

  toggle(): void {
    if (this.root.hidden) this.root.hidden = false;
    else this.hide();
  }

  hide(): void {
    this.root.hidden = true;
  }
}

function row(what: HTMLElement, help: string): HTMLElement {
  return element("tr", {}, element("td", {}, what), element("td", { text: help }));
}
