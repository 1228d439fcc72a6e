import {once} from 'node:events';
import fc from 'fast-check';
import {createProperties, type FuzzCase, makeStalls, type Property} from './arbitrary/cases.ts';
import {SIGN_INS} from './back-end.ts';
import type {ApiDocument} from './document.ts';
import {Gate} from './gate.ts';
import {createJudge, type Finding} from './judge.ts';
import {judgeMemory, type MemorySample} from './memory.ts';
import {type FuzzOptions, UsageError} from './options.ts';
import {formatReproduction} from './reproduce.ts';
import {clearService, type RunDeps, runCase, runStalls} from './run-case.ts';
import type {FuzzedService} from './service.ts';
import {findUnreached, Tally, type Unreached} from './tally.ts';

/** Something that should not be, and how to have it again. */
export interface Failure {
  readonly property: string;
  /** The command that tries the case again, or why there is none; undefined where it was not found once more. */
  readonly again?: string;
  readonly findings: readonly Finding[];
  /** Requests to send by hand. */
  readonly reproduction: string;
}

/** What a run came to. */
export interface FuzzReport {
  readonly seeds: readonly number[];
  readonly seconds: number;
  readonly requests: number;
  readonly cases: number;
  readonly rounds: number;
  /** Answers by operation and status; 0 for none. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly unreached: Unreached;
  readonly failures: readonly Failure[];
  readonly crashes: number;
  readonly memory: readonly MemorySample[];
}

/** What a run needs. */
export interface FuzzDeps {
  readonly service: FuzzedService;
  readonly document: ApiDocument;
  /** Told whenever something moved on. */
  readonly onProgress: (progress: FuzzProgress) => void;
  /** Told of each failure, once. */
  readonly onFailure: (failure: Failure) => void;
  readonly signal: AbortSignal;
}

/** How far a run is. */
export interface FuzzProgress {
  readonly seconds: number;
  readonly tally: Tally;
  readonly failures: number;
  readonly memory: MemorySample | undefined;
}

/** How many cases of a property are tried before it is the turn of the next. */
const CASES_PER_TURN = 20;

/** How a case is run: with others at the same time, or alone, and then with what is there or with nothing. */
type Mode = 'beside others' | 'alone' | 'from nothing';

/** What came of a case, and how it was run when something was found. */
interface Tried {
  readonly mode: Mode;
  readonly findings: readonly Finding[];
}

/** How many properties are tried at once: most of the time of a case the disk is waited for. */
const LANES = 6;

/** How long a failing case is made smaller, in milliseconds. */
const SHRINK_MS = 60_000;

/** How often memory is looked at, in milliseconds. */
const MEMORY_INTERVAL_MS = 10_000;

/** How often requests that stall are tried, in milliseconds: each lasts until the service loses patience. */
const STALLS_INTERVAL_MS = 120_000;

/**
 * Tries everything, in rounds, until the time is over or the cases are.
 *
 * @throws {UsageError} When there is nothing of a name in `only`.
 */
export async function fuzz(options: FuzzOptions, deps: FuzzDeps): Promise<FuzzReport> {
  return new Run(options, deps).run();
}

class Run {
  readonly #options: FuzzOptions;
  readonly #deps: FuzzDeps;
  readonly #caseDeps: RunDeps;
  readonly #properties: readonly Property[];
  readonly #tally = new Tally();
  readonly #gate = new Gate();
  readonly #beganMs = performance.now();
  readonly #failures: Failure[] = [];
  readonly #memory: MemorySample[] = [];
  /** What was found already: it is not looked for again. */
  readonly #known = new Set<string>();
  /** What failed beside others, and did not alone. */
  readonly #unsure: Failure[] = [];
  #stalls: Promise<void> = Promise.resolve();
  #stalledMs = Number.NEGATIVE_INFINITY;
  #measuredMs = Number.NEGATIVE_INFINITY;
  #cases = 0;
  #rounds = 0;

  constructor(options: FuzzOptions, deps: FuzzDeps) {
    const {service, document} = deps;
    const judge = createJudge(document, {secrets: service.secrets});
    this.#options = options;
    this.#deps = deps;
    this.#caseDeps = {service, document, judge, tally: this.#tally};
    const all = createProperties(document, {bodies: {signIn: SIGN_INS}});
    this.#properties = choose(all, options.only);
  }

  async run(): Promise<FuzzReport> {
    const {seeds, durationMs = Number.POSITIVE_INFINITY} = this.#options;
    for (const [index, seed] of seeds.entries())
      await this.#runSeed(seed, this.#beganMs + (durationMs * (index + 1)) / seeds.length);
    await Promise.race([this.#stalls, whenAborted(this.#deps.signal)]);
    // What one case did was found by all beside it; what none of them did again alone is told all the same.
    for (const failure of this.#unsure) this.#failUnlessKnown(failure);
    await this.#measure();
    for (const finding of judgeMemory(this.#memory)) this.#fail({...NO_CASE, findings: [finding]});
    return this.#report();
  }

  async #runSeed(seed: number, untilMs: number): Promise<void> {
    const turns = this.#turns(seed);
    const work = async (): Promise<void> => {
      for (const {property, seed} of turns) {
        if (this.#isOver(untilMs)) return;
        this.#beginStalls();
        await this.#tryProperty(property, seed, untilMs);
        if (performance.now() - this.#measuredMs >= MEMORY_INTERVAL_MS) await this.#measure();
      }
    };
    await Promise.all(Array.from({length: LANES}, work));
  }

  /** Every property in turn, round after round, each round with a seed of its own; shared by all who work. */
  *#turns(seed: number): Generator<{readonly property: Property; readonly seed: number}, undefined> {
    for (let round = 0; ; round++) {
      for (const property of this.#properties) yield {property, seed: seed + round};
      this.#rounds++;
      if (this.#options.runs !== undefined) return;
    }
  }

  #isOver(untilMs: number): boolean {
    return this.#deps.signal.aborted || performance.now() >= untilMs;
  }

  async #tryProperty({name, cases, weight}: Property, seed: number, untilMs: number): Promise<void> {
    const {path, runs = Math.ceil(CASES_PER_TURN * weight)} = this.#options;
    const found = new Map<FuzzCase, readonly Finding[]>();
    // One case again is tried as it was made smaller: alone, and with nothing there before.
    let mode: Mode = path === undefined ? 'beside others' : 'from nothing';
    let failingSinceMs: number | undefined;
    const property = fc.asyncProperty(cases, async steps => {
      // Rather no smaller case than none after an hour.
      if (failingSinceMs !== undefined && performance.now() - failingSinceMs > SHRINK_MS) return;
      if (failingSinceMs === undefined && this.#isOver(untilMs)) return;
      const tried = mode === 'beside others' ? await this.#tryCase(name, steps) : await this.#tryAlone(steps, mode);
      if (tried.findings.length === 0) return;
      mode = tried.mode;
      failingSinceMs ??= performance.now();
      found.set(steps, tried.findings);
      throw new Error(tried.findings.map(({rule, text}) => `${rule}: ${text}`).join('\n'));
    });
    const details = await fc.check(property, {seed, numRuns: runs, ...(path === undefined ? {} : {path})});
    if (!details.failed || details.counterexample === null) return;
    const [steps] = details.counterexample;
    const command = `npm run fuzz -- --seed ${seed} --only ${name} --path ${details.counterexamplePath}`;
    // Another property may have found the same meanwhile.
    this.#failUnlessKnown({
      property: name,
      again: mode === 'from nothing' ? command : 'it needs entries that other cases left',
      findings: found.get(steps) ?? [...found.values()].at(-1) ?? [],
      reproduction: formatReproduction(steps),
    });
  }

  /** Runs a case beside others; when something is found once more alone, at first with nothing there. */
  async #tryCase(name: string, steps: FuzzCase): Promise<Tried> {
    const beside = await this.#gate.together(() => this.#runCase(steps));
    if (beside.length === 0) return {mode: 'beside others', findings: []};
    for (const mode of ['from nothing', 'alone'] as const) {
      const tried = await this.#tryAlone(steps, mode);
      if (tried.findings.length > 0) return tried;
    }
    const property = `${name}, beside others`;
    this.#unsure.push({property, findings: beside, reproduction: formatReproduction(steps)});
    return {mode: 'beside others', findings: []};
  }

  async #tryAlone(steps: FuzzCase, mode: Mode): Promise<Tried> {
    const findings = await this.#gate.alone(async () => {
      if (mode === 'from nothing') await clearService(this.#caseDeps);
      return this.#runCase(steps);
    });
    return {mode, findings};
  }

  async #runCase(steps: FuzzCase): Promise<readonly Finding[]> {
    this.#cases++;
    const findings = await runCase(steps, this.#caseDeps);
    this.#tell();
    return findings.filter(finding => !this.#known.has(signatureOf(finding)));
  }

  #failUnlessKnown(failure: Failure): void {
    const findings = failure.findings.filter(finding => !this.#known.has(signatureOf(finding)));
    if (findings.length > 0) this.#fail({...failure, findings});
  }

  #fail(failure: Failure): void {
    for (const finding of failure.findings) this.#known.add(signatureOf(finding));
    this.#failures.push(failure);
    this.#deps.onFailure(failure);
  }

  /** Beside everything else: they take no work, only time. */
  #beginStalls(): void {
    const {only, path} = this.#options;
    if (only.length > 0 || path !== undefined || performance.now() - this.#stalledMs < STALLS_INTERVAL_MS) return;
    this.#stalledMs = performance.now();
    this.#stalls = runStalls(makeStalls(this.#deps.document), this.#caseDeps).then(findings => {
      // After an interruption nobody waits for them, and the service ends before they do.
      if (!this.#deps.signal.aborted) this.#failUnlessKnown({...NO_CASE, findings});
    });
  }

  async #measure(): Promise<void> {
    this.#measuredMs = performance.now();
    const measured = await this.#deps.service.measure();
    if (measured !== undefined) this.#memory.push({...measured, seconds: this.#seconds()});
  }

  #seconds(): number {
    return (performance.now() - this.#beganMs) / 1000;
  }

  #tell(): void {
    this.#deps.onProgress({
      seconds: this.#seconds(),
      tally: this.#tally,
      failures: this.#failures.length,
      memory: this.#memory.at(-1),
    });
  }

  #report(): FuzzReport {
    const {counts, requests} = this.#tally;
    return {
      seeds: this.#options.seeds,
      seconds: this.#seconds(),
      requests,
      cases: this.#cases,
      rounds: this.#rounds,
      counts: Object.fromEntries(Array.from(counts, ([name, statuses]) => [name, Object.fromEntries(statuses)])),
      unreached: findUnreached(this.#deps.document, counts),
      failures: this.#failures,
      crashes: this.#deps.service.crashes,
      memory: this.#memory,
    };
  }
}

async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function choose(all: readonly Property[], names: readonly string[]): readonly Property[] {
  const unknown = names.find(name => !all.some(property => property.name === name));
  if (unknown !== undefined)
    throw new UsageError(`No operation "${unknown}": there are ${all.map(({name}) => name).join(', ')}`);
  return names.length === 0 ? all : all.filter(({name}) => names.includes(name));
}

/** Of what was found besides the cases. */
const NO_CASE = {property: 'the run', reproduction: ''} as const;

/** Two findings with the same signature are taken for one. */
function signatureOf({rule, where, text}: Finding): string {
  // Of texts only the words: ids and positions differ from one time to the next.
  return `${rule} ${where} ${text.replace(/[^a-z ]+/gi, '').slice(0, 60)}`;
}
