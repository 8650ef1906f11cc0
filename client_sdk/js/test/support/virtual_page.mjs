// A page on a virtual clock: a server at 60 Hz, a path with delay and loss, and a page that polls, draws and
// stalls. The event loop queues what arrives during a stall.
import { JitterBuffer } from "../../dist/jitter_buffer.js";
import { StallWatch } from "../../dist/stall_watch.js";

const kTicksPerUs = 60e-6;
const kStepUs = 1000;
const kTimerUs = 50_000;

/**
 * Runs the page for `seconds`. `delayUs(serial)`: of the path, an ordered stream. `frameUs`: period of polls.
 * `stallUs(us)`: 0, or the length of a stall that begins at this poll. `isDrawnFirst(us)`: the page draws
 * after a stall before it handles messages. `messagesPerTurn`: a browser runs timers and frames between the
 * messages of a backlog. `isWatched` false: arrivals count when they are handled.
 * `frame(us, buffer, serverTick)`: called at every poll.
 */
export function runPage({
  seconds,
  delayUs,
  lose = () => false,
  frameUs = 16_000,
  stallUs = () => 0,
  isDrawnFirst = () => false,
  isWatched = true,
  messagesPerTurn = Infinity,
  frame = () => {},
}) {
  const buffer = new JitterBuffer();
  const watch = new StallWatch();
  const queue = []; // messages of the event loop
  let tick = 1000;
  let serial = 0;
  let lastArrivalUs = 0;
  let busyUntilUs = 0;
  let nextFrameUs = 0;
  let nextTimerUs = 0;
  const tickAt = (us) => 1000 + us * kTicksPerUs;
  const earliestTick = (us) => tickAt(isWatched ? watch.earliestUs(us) : us);

  let isAwaitingTurn = false;
  const handleRun = (us) => {
    if (watch.handleRun(us)) isAwaitingTurn = true;
  };
  const handleMessages = (us) => {
    for (let count = 0; count < messagesPerTurn && queue.length > 0 && queue[0].atUs <= us; ++count) {
      const message = queue.shift();
      handleRun(us);
      watch.handleArrival();
      buffer.handleSnapshot(message.serial, message.tick, false, 0, tickAt(us), earliestTick(us));
    }
  };
  for (let us = 0; us < seconds * 1e6; us += kStepUs) {
    while (tick + 1 <= tickAt(us)) {
      ++tick;
      ++serial;
      if (lose(serial)) continue;
      lastArrivalUs = Math.max(lastArrivalUs, us + delayUs(serial, us));
      queue.push({ atUs: lastArrivalUs, serial, tick });
    }
    if (us < busyUntilUs) continue;
    const isAfterStall = us === busyUntilUs && us > 0;
    const poll = () => {
      handleRun(us);
      buffer.advance(us, tickAt(us), earliestTick(us));
      frame(us, buffer, tickAt(us));
    };
    const isDrawnNow = us >= nextFrameUs;
    if (isDrawnNow && isAfterStall && isDrawnFirst(us)) poll();
    handleMessages(us);
    if (isAwaitingTurn) isAwaitingTurn = !watch.handleTurn(us); // as the client does
    if (us >= nextTimerUs) {
      handleRun(us);
      nextTimerUs = us + kTimerUs;
    }
    if (!isDrawnNow) continue;
    poll();
    nextFrameUs = us + frameUs;
    const stalledUs = stallUs(us);
    if (stalledUs > 0) busyUntilUs = us + Math.ceil(stalledUs / kStepUs) * kStepUs;
  }
  return buffer;
}
