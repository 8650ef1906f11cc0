// Light or dark theme: the address decides, else the last choice on this page, else the system. Without a
// choice the theme follows changes of the system.
import type { ThemeName } from "./palette.js";

const kStorageKey = "takt-theme";

export class Theme {
  private name: ThemeName;
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(
    requested: string | null,
    private readonly onChange: (name: ThemeName) => void,
  ) {
    this.name = parse(requested) ?? parse(remembered()) ?? this.systemTheme();
    document.documentElement.dataset.theme = this.name;
    this.system.addEventListener("change", () => {
      if (parse(requested) === undefined && parse(remembered()) === undefined) this.set(this.systemTheme());
    });
  }

  get current(): ThemeName {
    return this.name;
  }

  toggle(): void {
    this.set(this.name === "dark" ? "light" : "dark");
    try {
      localStorage.setItem(kStorageKey, this.name);
    } catch {
      // The browser stores nothing: the choice lasts as long as the page.
    }
  }

  private set(name: ThemeName): void {
    this.name = name;
    document.documentElement.dataset.theme = name;
    this.onChange(name);
  }

  private systemTheme(): ThemeName {
    return this.system.matches ? "dark" : "light";
  }
}

function parse(text: string | null): ThemeName | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}

function remembered(): string | null {
  try {
    return localStorage.getItem(kStorageKey);
  } catch {
    return null;
  }
}
