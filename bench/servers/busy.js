// A program that keeps its core and the caches of the processor busy, as a simulator does: it reads and writes 64 MiB in random order.
const words = new Int32Array(16 * 1024 * 1024);
let at = 1;
process.once('SIGTERM', () => process.exit());
process.stdout.write('busy\n');

function work() {
  for (let step = 0; step < 100_000; step++) {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    words[at & (words.length - 1)] += at;
  }
  setImmediate(work);
}

work();
