// The help page: actions of the mouse, of a touch screen and of every key.
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
  constructor(
    private readonly root: HTMLElement,
    actions: readonly KeyAction[],
  ) {
    const close = element("button", { type: "button", text: "Close" });
    close.addEventListener("click", () => this.hide());
    root.addEventListener("click", (event) => event.target === root && this.hide());
    const rows = kGestures.map(([gesture, help]) => row(element("span", { text: gesture }), help));
    rows.push(...actions.map((action) => row(element("kbd", { text: action.label }), action.help)));
    // Two columns if the page has room for them (style.css), so that all rows are visible at once.
    const half = Math.ceil(rows.length / 2) - 1;
    const tables = element(
      "div",
      { class: "tables" },
      element("table", {}, ...rows.slice(0, half)),
      element("table", {}, ...rows.slice(half)),
    );
    root.append(
      element("div", {}, element("h2", { text: "Keys and gestures" }), tables, element("footer", {}, close)),
    );
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
