// The scene's title as the page shows it: a name, and what is to be seen. It reads no page.

/**
 * A title's name and the rest: "Ropes: a swing" is "Ropes" and "a swing". The rest is empty when the title
 * has no colon with a space behind it.
 */
export function splitTitle(title: string): [name: string, about: string] {
  const end = title.indexOf(": ");
  return end > 0 ? [title.slice(0, end), title.slice(end + 2).trim()] : [title, ""];
}
