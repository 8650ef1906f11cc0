// The drawing quality: resolution and shadows, lowered at long frame times and raised at short ones. Software
// renderers (a headless browser, a virtual machine) start low. It measures and decides; the stage applies the
// level.

export interface QualityLevel {
  /** Maximum rendered pixels per CSS pixel, along each edge. */
  pixelRatioMax: number;
  /** 0 = no shadows. */
  shadowMapSize: number;
  /** Tone mapping of bright colours. It costs a fifth of a frame on a software renderer. */
  isToned: boolean;
}

export const kQualityLevels: readonly QualityLevel[] = [
  { pixelRatioMax: 0.5, shadowMapSize: 0, isToned: false },
  { pixelRatioMax: 0.5, shadowMapSize: 1024, isToned: false },
  { pixelRatioMax: 0.75, shadowMapSize: 1024, isToned: false },
  { pixelRatioMax: 1, shadowMapSize: 1024, isToned: true },
  { pixelRatioMax: 1, shadowMapSize: 2048, isToned: true },
  { pixelRatioMax: 1.5, shadowMapSize: 2048, isToned: true },
  { pixelRatioMax: 2, shadowMapSize: 4096, isToned: true },
];
/** First levels of a software renderer and of a graphics card. */
export const kSoftwareLevel = 2;
export const kHardwareLevel = 5;

/**
 * A frame time above the first lowers the level; one below the second raises it. A level costs about half as
 * much again as the one below, so the second is less than two thirds of the first.
 */
const kSlowFrameMs = { software: 75, hardware: 30 };
const kQuickFrameMs = { software: 45, hardware: 18 };
/** Frames of this time judge a level. A level that was too slow is retried after a wait that doubles. */
const kJudgeMs = 1500;
const kRetryFirstMs = 10_000;

export class Quality {
  private level: number;
  private frameMs = 16;
  private judgedFor = 0;
  private retryAfterMs = kRetryFirstMs;
  private sinceLowered = 0;
  private sinceRaised = Infinity;

  /** `isPinned`: the level stays at its maximum, for pictures that must not depend on the machine. */
  constructor(
    private readonly renderer: "software" | "hardware",
    private readonly isPinned: boolean,
  ) {
    this.level = isPinned
      ? kQualityLevels.length - 1
      : renderer === "software"
        ? kSoftwareLevel
        : kHardwareLevel;
  }

  get current(): QualityLevel {
    return kQualityLevels[this.level]!;
  }

  get levelIndex(): number {
    return this.level;
  }

  /** Handles a frame, with the time since the previous one. Returns true if the level changed. */
  handleFrame(elapsedMs: number): boolean {
    // A frame of more than a second was a hidden page or a stall, not drawing.
    if (this.isPinned || elapsedMs > 1000) return false;
    this.frameMs += (elapsedMs - this.frameMs) * 0.08;
    this.judgedFor += elapsedMs;
    this.sinceLowered += elapsedMs;
    this.sinceRaised += elapsedMs;
    if (this.judgedFor < kJudgeMs) return false;
    if (this.frameMs > kSlowFrameMs[this.renderer] && this.level > 0) {
      this.change(-1);
      if (this.sinceRaised < 2 * kRetryFirstMs) this.retryAfterMs *= 2;
      this.sinceLowered = 0;
      return true;
    }
    if (
      this.frameMs < kQuickFrameMs[this.renderer] &&
      this.level + 1 < kQualityLevels.length &&
      this.sinceLowered > this.retryAfterMs
    ) {
      this.change(1);
      this.sinceRaised = 0;
      return true;
    }
    return false;
  }

  private change(by: number): void {
    this.level += by;
    this.judgedFor = 0;
    this.frameMs = 0.5 * (kSlowFrameMs[this.renderer] + kQuickFrameMs[this.renderer]);
  }
}
