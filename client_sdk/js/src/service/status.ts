// Statuses of takt.h as errors of this package.
import { TaktError } from "../error.js";

/** Names of takt_status by its number; test/unit/service_layout_test.mjs compares them with takt.h. */
export const kStatusNames = [
  "ok",
  "null",
  "handle",
  "busy",
  "size",
  "range",
  "memory",
  "file",
  "scene",
  "recording",
  "broken",
  "mismatch",
  "system",
  "internal",
  "name",
  "borrowed",
  "remote",
  "limit",
  "token",
  "unsupported",
  "stopped",
] as const;

/** First numbers of the statuses that carry a number of their own. */
export const kStatusBases = { physics: 1000, sim: 2000, refused: 3000 } as const;

/** "range", or "refused-5" for TAKT_ERROR_REFUSED + 5. */
export function statusName(status: number): string {
  const name = kStatusNames[status];
  if (name !== undefined) return name;
  for (const base of ["refused", "sim", "physics"] as const) {
    if (status >= kStatusBases[base]) return `${base}-${status - kStatusBases[base]}`;
  }
  return `status-${status}`;
}

/**
 * The error of a reply. A limit has its name as the reason, all others the name of their status: a lost
 * connection is "network", a step that ended early "stopped", all else "refused".
 */
export function errorOf(status: number, text: string): TaktError {
  const name = statusName(status);
  if (name === "limit") return new TaktError("limit", text, /^limit ([\w-]+)/.exec(text)?.[1] ?? "");
  if (name === "remote") return new TaktError("network", text, name);
  if (name === "stopped") {
    return new TaktError("stopped", text === "" ? "the step was stopped between two ticks" : text, name);
  }
  return new TaktError("refused", text, name);
}
