// A connect token in the viewer: from the fragment of the address, or from a form. A fragment goes to no
// server and into no log, and it leaves the address at once. The browser's own history keeps the link, which
// no page can change. A token of the form is in the state of the page's history entry while the page loads
// anew.
import { element } from "./element.js";

const kPrefix = "takt1_";
/** Characters of base64url: two keys of 32 bytes, and 1 to 1,024 bytes that are sealed. */
const kLengthMin = Math.ceil((65 * 4) / 3);
const kLengthMax = Math.ceil((1088 * 4) / 3);

/** True for the form of a token. The server decides about its content. */
export function isToken(text: string): boolean {
  const { length } = text.slice(kPrefix.length);
  return /^takt1_[\w-]+$/.test(text) && length >= kLengthMin && length <= kLengthMax && length % 4 !== 1;
}

/** The token of a fragment such as "#token=takt1_..."; undefined = none of that form. */
export function tokenOfFragment(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, "")).get("token")?.trim() ?? "";
  return isToken(token) ? token : undefined;
}

/** The token of this page, removed from its address and its state. */
export function takeToken(): string | undefined {
  const { token: kept } = (history.state ?? {}) as { token?: unknown };
  const token =
    tokenOfFragment(location.hash) ?? (typeof kept === "string" && isToken(kept) ? kept : undefined);
  if (location.hash !== "" || history.state !== null) {
    history.replaceState(null, "", location.pathname + location.search);
  }
  return token;
}

/** The form below a banner that names the reason. */
export class TokenForm {
  constructor(private readonly form: HTMLElement) {}

  /**
   * Shows the form, empty. A token that is entered loads the page anew. The field has no name and is no
   * password, so browsers offer to keep nothing; the style sheet hides its text.
   */
  show(): void {
    const field = element("input", {
      type: "text",
      autocomplete: "one-time-code",
      autocapitalize: "off",
      spellcheck: "false",
      required: "",
      placeholder: "takt1_…",
      "aria-label": "Connect token",
    });
    field.oninput = () => {
      field.setCustomValidity(
        isToken(field.value.trim()) ? "" : `This is no connect token, which begins with ${kPrefix}`,
      );
    };
    this.form.replaceChildren(field, element("button", { type: "submit", text: "Join" }));
    this.form.onsubmit = (event) => {
      event.preventDefault();
      history.replaceState({ token: field.value.trim() }, "");
      location.reload();
    };
    this.form.hidden = false;
    field.focus();
  }
}
