import {spawnSync} from 'node:child_process';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {createClient} from 'crewroom/client';
import {compileRefusals, type Refusals} from '../../test/support/refusals.ts';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {runCommand, type ServiceProcess, StartError, startService} from '../service-process.ts';

/** A way in which the system keeps the engine from opening its files. */
interface Refusal {
  readonly name: string;
  readonly under: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Words for the library: with `nfs` the file system is not one that is known, otherwise only the library is. */
const REFUSED = ['locks nfs', 'maps nfs', 'locks maps nfs', 'locks', 'maps'];

/** Bytes of address space: from enough for Node to less than a service needs. */
const SPACE_BYTES = {from: 5_000_000_000, to: 9_000_000_000};

/** Commands that open a store or its lock. */
const COMMANDS = [
  ['start', '--json', '--port', '0'],
  ['doctor', '--json', '--port', '0'],
  ['doctor', '--json', '--port', '0', '--deep'],
];

/** Phrases of the failures. With enough address space for the lock alone, a directory that is held is refused for that. */
const CAUSE =
  /does not allow the record locks and shared maps|the address space of this process is limited|data-directory-in-use/;

/** Longest duration of a command, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** C19: the system refuses what the engine needs while it opens its files. */
export const REFUSE_OPENING: Scenario = {
  id: 'C19',
  name: 'If record locks, shared maps or address space are refused, commands end with the cause, and the holder keeps its directory',
  rounds: {quick: 6, standard: 150},
  findMissing,
  run: async context => {
    using refusals = compileRefusals();
    if (refusals === undefined) throw new Error('cc failed');
    const dataDir = join(context.directory, 'data');
    await mkdir(dataDir);
    for (let round = 1; round <= context.rounds; round++) await new Round({dataDir, round, refusals, context}).run();
  },
};

async function findMissing(): Promise<string | undefined> {
  const missing = ['cc', 'prlimit'].filter(tool => spawnSync(tool, ['--version']).status !== 0);
  return missing.length === 0 ? undefined : missing.join(' and ');
}

interface RoundOptions {
  readonly dataDir: string;
  readonly round: number;
  readonly refusals: Refusals;
  readonly context: ScenarioContext;
}

class Round {
  readonly #options: RoundOptions;
  readonly #random: Random;

  constructor(options: RoundOptions) {
    this.#options = options;
    this.#random = options.context.random.fork(`round ${options.round}`);
  }

  async run(): Promise<void> {
    const {dataDir, round, context} = this.#options;
    const holder = await startService({dataDir, signal: context.signal});
    await this.#assertEntries(holder);
    // Commands are refused while a service has the directory, after it was killed, and after it was stopped.
    const state = this.#random.pick(['held', 'killed', 'closed']);
    if (state === 'killed') await holder.kill();
    if (state === 'closed') await holder.stop();
    const refusal = this.#pickRefusal();
    const command = this.#random.pick(COMMANDS);
    const title = `round ${round}, ${state}: ${command.join(' ')} with ${refusal.name}`;
    context.report(`of ${context.rounds}, ${title}`);
    try {
      await this.#refuse(command, refusal);
      if (state === 'held') await this.#assertHeld(holder);
    } catch (error) {
      if (error instanceof LossError) error.message = `${title}: ${error.message}`;
      throw error;
    } finally {
      await holder.kill();
    }
    context.count(`refused while ${state}`);
  }

  #pickRefusal(): Refusal {
    const {refusals} = this.#options;
    if (this.#random.chance(0.3)) {
      const bytes = this.#random.integer(SPACE_BYTES.from, SPACE_BYTES.to);
      const name = `${bytes} bytes of address space`;
      return {name, under: ['prlimit', `--as=${bytes}`], environment: {}};
    }
    const what = this.#random.pick(REFUSED);
    return {name: what, under: [], environment: refusals.environment(what)};
  }

  /** Runs a command, which has to end with the cause. */
  async #refuse(command: readonly string[], {under, environment}: Refusal): Promise<void> {
    const {dataDir, context} = this.#options;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const exit = await runCommand([...command, '--data-dir', dataDir], {under, environment, signal});
    context.signal.throwIfAborted();
    const output = exit.stdout + exit.stderr;
    if (exit.code !== (command[0] === 'doctor' ? 6 : 1) || !CAUSE.test(output))
      throw new LossError(`it ended with ${exit.signal ?? `exit code ${exit.code}`}: ${output}`);
  }

  /** Asserts that nothing took the directory from a service: no other can start on it, and it goes on to write. */
  async #assertHeld(holder: ServiceProcess): Promise<void> {
    const {dataDir, context} = this.#options;
    const [rival] = await Promise.allSettled([startService({dataDir, signal: context.signal})]);
    if (rival.status === 'fulfilled') throw new LossError('a second service got the directory');
    if (!(rival.reason instanceof StartError)) throw rival.reason;
    if (!rival.reason.exit.stderr.includes(`"processId":${holder.processId}`))
      throw new LossError(`a second service did not find the holder: ${rival.reason.exit.stderr}`);
    await createClient({baseUrl: holder.url, attemptsMax: 1}).entries.put('held', 1);
  }

  /** Asserts that the entry of each round before is there, and writes that of this one. */
  async #assertEntries({url}: ServiceProcess): Promise<void> {
    const {round, context} = this.#options;
    const {entries} = createClient({baseUrl: url, attemptsMax: 1});
    for (let before = 1; before < round; before++)
      if ((await entries.get(`round/${before}`))?.text !== String(before))
        throw new LossError(`Lost: the value of round ${before}`);
    await entries.put(`round/${round}`, Buffer.from(String(round)));
    context.count('acknowledged writes');
  }
}
