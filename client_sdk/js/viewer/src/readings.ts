// Converts the server's reports and the client's measurements to the panel's numbers and graphs, four times a
// second.
import type { ServerReport, Stats } from "takt";
import type { Panel } from "./panel.js";

const kIntervalMs = 250;
/** Interval of a graph's points: sixty points are the last half minute. */
const kGraphIntervalMs = 500;

export class Readings {
  private report: ServerReport | undefined;
  private lastMs = -Infinity;
  private lastGraphMs = -Infinity;
  private frames = 0;
  private framesMs = 0;
  private framesPerS = 0;

  constructor(private readonly panel: Panel) {}

  /** Frames per second over the last quarter of a second or more. */
  get fps(): number {
    return this.framesPerS;
  }

  handleReport(report: ServerReport): void {
    this.report = report;
    this.lastMs = -Infinity; // at once
  }

  update(nowMs: number, elapsedMs: number, stats: Stats): void {
    ++this.frames;
    this.framesMs += elapsedMs;
    if (nowMs - this.lastMs < kIntervalMs) return;
    this.lastMs = nowMs;
    if (this.framesMs > 200) {
      this.framesPerS = (1000 * this.frames) / this.framesMs;
      this.frames = this.framesMs = 0;
    }
    const { panel, report } = this;
    panel.set("tick", String(Math.floor(stats.serverTick)));
    panel.set("rtt", stats.rttMs === 0 ? "–" : `${stats.rttMs.toFixed(1)} ms`);
    panel.set("rate", `${(stats.receivedBytesPerS / 1000).toFixed(1)} kB/s`);
    panel.set("loss", `${(100 * stats.loss).toFixed(1)} %`);
    panel.set("frames", this.framesPerS.toFixed(0));
    if (report) {
      panel.set("clients", String(report.clientCount));
      panel.set("bodies", `${report.bodyCount} (${report.awakeCount} awake)`);
      panel.set("contacts", String(report.contactCount));
      panel.set(
        "tickTime",
        (report.tickTimeUs / 1000).toFixed(2),
        `slowest of a hundred: ${(report.tickTimeP99Us / 1000).toFixed(2)} ms`,
      );
      panel.set(
        "hash",
        `0x${report.stateHash.toString(16).padStart(16, "0")}`,
        `of the state at tick ${report.tick}`,
      );
    }
    if (nowMs - this.lastGraphMs < kGraphIntervalMs) return;
    this.lastGraphMs = nowMs;
    panel.addSample("rtt", stats.rttMs);
    panel.addSample("rate", stats.receivedBytesPerS / 1000);
    panel.addSample("frames", this.framesPerS);
    panel.addSample("contacts", report?.contactCount ?? 0);
    panel.addSample("tickTime", (report?.tickTimeUs ?? 0) / 1000);
    panel.drawGraphs();
  }
}
