// The recent values of one number as a small line, newest at the right. The scale runs from zero to the
// maximum displayed value, at least to `min`, so that noise around zero stays flat.

const kSamples = 60;

export class Sparkline {
  readonly canvas = document.createElement("canvas");
  private readonly samples = new Float32Array(kSamples);
  private next = 0;
  private count = 0;

  constructor(
    private readonly min: number,
    label: string,
  ) {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
  }

  add(value: number): void {
    this.samples[this.next] = Number.isFinite(value) ? Math.max(0, value) : 0;
    this.next = (this.next + 1) % kSamples;
    this.count = Math.min(kSamples, this.count + 1);
  }

  draw(colour: string): void {
    const { canvas } = this;
    const ratio = globalThis.devicePixelRatio;
    const width = Math.round(canvas.clientWidth * ratio),
      height = Math.round(canvas.clientHeight * ratio);
    if (width === 0 || height === 0) return; // folded
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    if (this.count < 2) return;
    let max = this.min;
    for (let i = 0; i < this.count; ++i) max = Math.max(max, this.at(i));
    const x = (i: number) => width - ((this.count - 1 - i) / (kSamples - 1)) * width;
    const y = (i: number) => height - ratio - (this.at(i) / max) * (height - 2 * ratio);
    context.beginPath();
    context.moveTo(x(0), y(0));
    for (let i = 1; i < this.count; ++i) context.lineTo(x(i), y(i));
    context.strokeStyle = colour;
    context.lineWidth = 1.25 * ratio;
    context.lineJoin = "round";
    context.stroke();
    context.lineTo(x(this.count - 1), height);
    context.lineTo(x(0), height);
    context.closePath();
    context.globalAlpha = 0.14;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
  }

  // Oldest first.
  private at(i: number): number {
    return this.samples[(this.next - this.count + i + 2 * kSamples) % kSamples]!;
  }
}
