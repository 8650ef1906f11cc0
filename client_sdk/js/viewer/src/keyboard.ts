// Keys: one table of actions for the handler and for the help page. It also tracks held keys between frames,
// for flying and driving.

export interface KeyAction {
  /** KeyboardEvent.key, lower case. */
  keys: readonly string[];
  /** Label in the help. */
  label: string;
  help: string;
  /** Called once when pressed; absent = held (see `isDown`). */
  press?: () => void;
}

export class Keyboard {
  private readonly down = new Set<string>();

  constructor(readonly actions: readonly KeyAction[]) {
    window.addEventListener("keydown", (event) => this.handleDown(event));
    window.addEventListener("keyup", (event) => this.down.delete(event.key.toLowerCase()));
    window.addEventListener("blur", () => this.down.clear());
    // A control used with the mouse does not keep the keyboard: space throws and arrows drive again.
    document.addEventListener(
      "click",
      (event) => event.detail > 0 && (event.target as Element).closest("button")?.blur(),
    );
    document.addEventListener("change", (event) => (event.target as HTMLElement).blur());
  }

  isDown(key: string): boolean {
    return this.down.has(key);
  }

  /** 1 while only the first key is held, -1 while only the second is. */
  axis(positive: string, negative: string): number {
    return Number(this.isDown(positive)) - Number(this.isDown(negative));
  }

  private handleDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key.toLowerCase();
    // Sliders, lists and buttons keep the keys that they use themselves.
    const target = event.target;
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) {
      if (key !== "escape" && (key.startsWith("arrow") || key === " " || target.type !== "range")) return;
    }
    if (target instanceof HTMLButtonElement && (key === " " || key === "enter")) return;
    const action = this.actions.find((candidate) => candidate.keys.includes(key));
    if (!action) return;
    event.preventDefault();
    if (action.press) {
      if (!event.repeat) action.press();
    } else {
      this.down.add(key);
    }
  }
}
