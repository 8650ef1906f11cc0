// How finely to draw: resolution and shadows, lowered when frames take too long and raised again when there is time to spare. Software renderers (a
// headless browser, a virtual machine) start low. It measures and decides; the stage does it.

export interface QualityLevel {
  /** At most this many rendered pixels per CSS pixel, edge by edge. */
  pixelRatioMax: number;
  shadowMapSize: number;
}

export const kQualityLevels: readonly QualityLevel[] = [
  { pixelRatioMax: 0.6, shadowMapSize: 0 },
  { pixelRatioMax: 0.75, shadowMapSize: 1024 },
  { pixelRatioMax: 1, shadowMapSize: 1024 },
  { pixelRatioMax: 1, shadowMapSize: 2048 },
  { pixelRatioMax: 1.5, shadowMapSize: 2048 },
  { pixelRatioMax: 2, shadowMapSize: 4096 },
];

/** Frames longer than this (25 a second) are too long; shorter than the other (50 a second), there is time to spare. */
const kSlowFrameMs = 40;
const kQuickFrameMs = 20;
/** A level is judged by the frames of this long; one that proved too slow is not tried again for a while, twice as long each time. */
const kJudgeMs = 1500;
const kRetryFirstMs = 10_000;

export class Quality {
  private frameMs = 16;
  private judgedFor = 0;
  private retryAfterMs = kRetryFirstMs;
  private sinceLowered = 0;

  /** `isPinned`: the level stays as it is, for pictures that must not depend on the machine's speed. */
  constructor(private level: number, private readonly isPinned: boolean) {}

  get current(): QualityLevel {
    return kQualityLevels[this.level]!;
  }

  get levelIndex(): number {
    return this.level;
  }

  /** After each frame, with the time since the one before. Returns true when the level changed. */
  handleFrame(elapsedMs: number): boolean {
    // A frame that took over a second was a hidden page or a stall, not drawing.
    if (this.isPinned || elapsedMs > 1000) return false;
    this.frameMs += (elapsedMs - this.frameMs) * 0.08;
    this.judgedFor += elapsedMs;
    this.sinceLowered += elapsedMs;
    if (this.judgedFor < kJudgeMs) return false;
    if (this.frameMs > kSlowFrameMs && this.level > 0) {
      this.change(-1);
      if (this.sinceLowered < 2 * this.retryAfterMs) this.retryAfterMs *= 2;
      this.sinceLowered = 0;
      return true;
    }
    if (this.frameMs < kQuickFrameMs && this.level + 1 < kQualityLevels.length && this.sinceLowered > this.retryAfterMs) {
      this.change(1);
      return true;
    }
    return false;
  }

  private change(by: number): void {
    this.level += by;
    this.judgedFor = 0;
    this.frameMs = 0.5 * (kSlowFrameMs + kQuickFrameMs);
  }
}
