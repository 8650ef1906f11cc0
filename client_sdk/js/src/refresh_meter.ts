// Number of snapshots until a body that was left out for want of room is sent: the bodies left out, divided
// by the mean number that a snapshot carries. A single small snapshot, which the server's congestion control
// makes now and then, hardly changes the mean.

/** Weight of one snapshot in the mean, as the jitter buffer has it. */
const kMeanWeight = 1 / 16;

export class RefreshMeter {
  private meanSent = 0;
  /** Snapshots until the bodies that the last snapshot left out are sent; 0 when it left out none. */
  waitSnapshots = 0;

  /** A snapshot with room for `sent` bodies, above 0, left out `deferred` others. */
  handleSnapshot(sent: number, deferred: number): void {
    this.waitSnapshots = 0;
    if (!(deferred > 0)) return; // what it carries is no measure of its room
    this.meanSent += (sent - this.meanSent) * (this.meanSent > 0 ? kMeanWeight : 1);
    this.waitSnapshots = deferred / this.meanSent;
  }
}
