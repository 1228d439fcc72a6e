import {randomInt} from 'node:crypto';
import {findTakenAddress} from '../../src/platform/system/port-holder.ts';

/** Number of ports for each process of tests that runs at the same time. */
const PORTS_COUNT = 1000;

/**
 * First port for this process. All are below 32,768, the first that Linux assigns to servers on port 0 and to connections (49,152 on Windows and macOS):
 * what stopped listening can listen again, or stay away, without another test in its place.
 */
const FIRST_PORT = 11_000 + PORTS_COUNT * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 20);

let next = randomInt(PORTS_COUNT);

/** Returns a port of the loopback interface that is free, and that the operating system gives to no other program. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (next++ % PORTS_COUNT);
    if ((await findTakenAddress({host: 'localhost', port})) === undefined) return port;
  }
}
