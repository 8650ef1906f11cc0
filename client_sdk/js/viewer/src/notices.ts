// Texts for people: a banner while there is no connection, and notices that disappear by themselves.
import type { CommandOutcome, CommandRefusal, CommandStatus, ControlStatus, Event } from "takt";
import { element } from "./element.js";
import { gameText } from "./game_text.js";

const kNoticeMs = 5000;
const kNoticesMax = 4;

/** Reasons for which a command had no effect. */
const kRefusals: Partial<Record<CommandStatus, string>> = {
  refused_invalid: "The server cannot use that command.",
  refused_permission: "This scene does not let players do that.",
  refused_rate: "Too many commands at once: the server left one out.",
  refused_unknown_body: "That body is gone.",
  refused_late: "A command came too late: the connection is slow.",
  refused_limit:
    "The scene's limit is reached: the maximum number of bodies of a player, or the maximum force.",
  refused_early: "A command came before its time; the clock is being set.",
};

/** Exact reasons that say more than the status. */
const kExactRefusals: Partial<Record<CommandRefusal, string>> = {
  not_dynamic: "That body cannot be moved.",
  not_mover: "That body is no character.",
  already_grabbing: "One body at a time: release it first.",
  not_grabbing: "The body is no longer held.",
  too_many_spawned: "Your share of bodies is used up.",
  too_many_forces: "Your share of lasting forces is used up.",
  world_full: "The world is full.",
  over_limit: "That is more than this scene allows.",
  no_game: "No game runs on this server.",
  game_refused: "The game does not allow that.",
  unknown_rope: "That rope is gone.",
  unknown_joint: "That joint is gone.",
  playback: "This is a recording: commands have no effect.",
};

/** The reason for a person: the game's own words if there are any. Undefined = it was not refused. */
export function refusalText(outcome: CommandOutcome): string | undefined {
  if (outcome.text !== "") return outcome.text;
  return kExactRefusals[outcome.refusal] ?? kRefusals[outcome.status];
}

/** Reasons for which a control of the room had no effect. */
const kControlRefusals: Partial<Record<ControlStatus, string>> = {
  refused_permission:
    "Only an admin may control this room; ./dev run makes all clients on its own machine admins.",
  refused_range: "The server does not allow that number.",
  refused_unknown_scene: "The server does not have that scene.",
  refused_not_here: "That is not possible in this room.",
  failed: "The server could not do that.",
};

/**
 * The text of the notice that an event is, undefined = none. A message of a game that is no text is for other
 * clients than the viewer: a game may send one each tick.
 */
export function noticeText(event: Event): string | undefined {
  switch (event.type) {
    case "commandOutcome":
      return refusalText(event);
    case "controlResult": {
      const text = kControlRefusals[event.status];
      return text === undefined ? undefined : `${text} ${event.text}`.trim();
    }
    case "gameMessage":
      return gameText(event.bytes) ?? undefined;
    case "error":
      // The cause of an ended session comes again as "disconnected", so only these are displayed.
      return event.error.code === "corrupt-message" || event.error.code === "internal"
        ? event.error.message
        : undefined;
    default:
      return undefined;
  }
}

/** Reasons for which a session ended. */
export const kDisconnectTexts: Record<string, string> = {
  server_stopped: "The server stopped.",
  timed_out: "Nothing was heard from the server.",
  connection_lost: "The connection was lost.",
  kicked: "The server removed this player.",
  slow_reader: "This connection is too slow for the server.",
  server_full: "The server is full.",
  version_mismatch: "This page is of another version than the server: reload it.",
  shutting_down: "The server is shutting down.",
  protocol_error: "The server broke a rule of the protocol.",
  token_required: "This server asks for a connect token.",
  token_expired: "The connect token has expired.",
  token_reused: "Another session holds the connect token.",
  token_wrong_server: "The connect token is of another server.",
  token_wrong_room: "The connect token is of another room.",
  token_wrong_role: "The connect token is of a spectator.",
};

export class Notices {
  constructor(
    private readonly banner: HTMLElement,
    private readonly list: HTMLElement,
  ) {}

  /** Displays the banner until it is hidden. */
  showBanner(text: string, kind: "warn" | "bad" = "warn"): void {
    this.banner.textContent = text;
    this.banner.dataset.kind = kind;
    this.banner.hidden = false;
  }

  hideBanner(): void {
    this.banner.hidden = true;
  }

  /** Displays a notice for five seconds. A visible notice is not repeated. */
  notify(text: string): void {
    for (const shown of this.list.children) if (shown.textContent === text) return;
    const notice = element("div", { class: "notice", text });
    this.list.append(notice);
    while (this.list.children.length > kNoticesMax) this.list.firstElementChild!.remove();
    setTimeout(() => notice.remove(), kNoticeMs);
  }
}
