import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {findFreePort} from '../../test/support/free-port.ts';
import {LossError} from '../loss-error.ts';
import type {Scenario} from '../scenario.ts';
import {runCommand} from '../service-process.ts';

const CLOSING_SERVICE = fileURLToPath(new URL('../closing-service.ts', import.meta.url));

/** Largest number of ticks of the event loop before it is disposed of: `listen()` takes some hundred. */
const TICKS_MAX = 800;

/** Time in which a process ends, in milliseconds: one that still listens never does. */
const END_MS_MAX = 60_000;

/** C23: a program that disposes of its service while it opens. Each round meets what the one before has left. */
export const CLOSE_WHILE_OPENING: Scenario = {
  id: 'C23',
  name: 'Disposed of while it begins to listen, a service does not listen, its process ends, and no token of the owner stays',
  rounds: {quick: 4, standard: 100},
  run: async ({random, rounds, directory, signal, report, count}) => {
    const dataDir = join(directory, 'data');
    const port = await findFreePort();
    for (let round = 1; round <= rounds; round++) {
      const ticks = random.fork(`round ${round}`).integer(0, TICKS_MAX);
      report(`round ${round} of ${rounds}, ${ticks} ticks`);
      const exit = await runCommand([dataDir, String(port), String(ticks)], {
        program: ['--import', 'tsx', CLOSING_SERVICE],
        signal: AbortSignal.any([signal, AbortSignal.timeout(END_MS_MAX)]),
      });
      signal.throwIfAborted();
      const outcome = exit.stdout;
      if (exit.code !== 0 || !['listened', 'store-closed'].includes(outcome))
        throw new LossError(`after ${ticks} ticks it ended with ${exit.signal ?? exit.code}: ${outcome}${exit.stderr}`);
      if (existsSync(join(dataDir, 'owner-token')))
        throw new LossError(`after ${ticks} ticks the token of the owner stayed`);
      count(outcome);
    }
  },
};
