// InputLatency measures the time from a command's call to the poll that displays the tick in which the
// command acts. It follows the newest commands that are not displayed yet, and smooths their latencies. It
// reads no clock: times are arguments in microseconds.
import type { CommandStatus } from "./message.js";

/** Weight of one command in the mean; 1/8 as that of a round trip in RFC 6298. */
const kMeanWeight = 1 / 8;
/** Bound of the followed commands, above those of any real delay at 120 commands a second. */
const kFollowedMax = 512;

interface Followed {
  sequence: number;
  tick: number;
  sentUs: number;
}

export class InputLatency {
  private followed: Followed[] = [];
  /** Smoothed, microseconds; 0 = not measured yet. */
  meanUs = 0;

  handleSent(nowUs: number, sequence: number, tick: number): void {
    if (this.followed.length === kFollowedMax) this.followed.shift();
    this.followed.push({ sequence, tick, sentUs: nowUs });
  }

  /** Handles the outcome of a command that did not act in its tick. */
  handleOutcome(sequence: number, status: CommandStatus, tick: number): void {
    const at = this.followed.findIndex((command) => command.sequence === sequence);
    if (at < 0) return;
    if (status === "moved") this.followed[at]!.tick = tick;
    else if (status !== "applied") this.followed.splice(at, 1);
  }

  /** Handles a poll that displays `renderTick`. */
  handleShown(nowUs: number, renderTick: number): void {
    if (this.followed.length === 0) return;
    this.followed = this.followed.filter(({ tick, sentUs }) => {
      if (tick > renderTick) return true;
      const latencyUs = nowUs - sentUs;
      this.meanUs = this.meanUs === 0 ? latencyUs : this.meanUs + (latencyUs - this.meanUs) * kMeanWeight;
      return false;
    });
  }

  /** Forgets commands that no later poll measures: the room is paused, or its world was replaced. */
  forget(): void {
    this.followed = [];
  }
}
