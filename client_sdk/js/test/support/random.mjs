// A small seeded generator (PCG-like, 32 bits), so that a failing case can be repeated. The seed is in the
// test's name or message.
export class Random {
  constructor(seed) {
    this.state = BigInt(seed) * 2n + 1n;
  }
  /** In [0, 1). */
  next() {
    this.state = (this.state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(this.state >> 33n) / 2 ** 31;
  }
  between(low, high) {
    return low + (high - low) * this.next();
  }
  /** An integer in [0, end). */
  below(end) {
    return Math.floor(this.next() * end);
  }
}
