// Elements of the page in one line each. Texts are set as text, never as markup, because the network may be
// their source.

/** Creates an element with properties (including `data-` and `aria-` attributes) and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key === "text") made.textContent = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const kIcons = {
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  play: "M8 5v14l11-7z",
  step: "M6 5v14l9-7zM16 5h3v14h-3z",
  stepBack: "M18 5v14l-9-7zM5 5h3v14H5z",
  start: "M19 5v14l-7-7zM12 5v14l-7-7zM3 5h2v14H3z",
  ball: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 3a5 5 0 0 1 5 5h-2a3 3 0 0 0-3-3z",
  theme: "M12 4a8 8 0 1 0 0 16zM12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20z",
  follow: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM11 1h2v5h-2zM11 18h2v5h-2zM1 11h5v2H1zM18 11h5v2h-5z",
  frame: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
  help:
    "M11 17h2v2h-2zm1-13a5 5 0 0 0-5 5h2a3 3 0 1 1 4.2 2.8C11.700 12.500 11 13.500 11 15h2" +
    "c0-.8.3-1.200 1.100-1.600A5 5 0 0 0 12 4z",
} as const;
export type IconName = keyof typeof kIcons;

/** Creates a square button with an icon; `label` is its name and tooltip. */
export function iconButton(icon: IconName, label: string, onClick: () => void): HTMLButtonElement {
  const button = element("button", { class: "icon", type: "button", title: label, "aria-label": label });
  setIcon(button, icon);
  button.addEventListener("click", onClick);
  return button;
}

export function setIcon(button: HTMLButtonElement, icon: IconName): void {
  if (button.dataset.icon === icon) return;
  button.dataset.icon = icon;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", kIcons[icon]);
  svg.append(path);
  button.replaceChildren(svg);
}
