import {once} from 'node:events';
import fc from 'fast-check';
import {createProperties, makeStalls, type Property} from './arbitrary/cases.ts';
import type {FuzzCase} from './arbitrary/fuzz-case.ts';
import {type Batch, choose, makeBatches} from './batches.ts';
import type {ApiDocument} from './document.ts';
import type {Finding} from './finding.ts';
import {Gate} from './gate.ts';
import {HINTS, REFUSED} from './hints.ts';
import {checkMemory, type MemorySample} from './memory.ts';
import type {FuzzOptions} from './options.ts';
import {createOracle} from './oracle.ts';
import {formatReproduction} from './reproduce.ts';
import {clearService, type RunDeps, runCase, runStalls} from './run-case.ts';
import type {FuzzedService} from './service.ts';
import {findUnreached, Tally, type Unreached} from './tally.ts';

/** A defect, and how to reproduce it. */
export interface Failure {
  readonly property: string;
  /** Command that runs the case again, or the reason why there is none; undefined if it did not occur again. */
  readonly again?: string;
  readonly findings: readonly Finding[];
  /** Requests to send by hand. */
  readonly reproduction: string;
}

/** Result of a run. */
export interface FuzzReport {
  readonly seeds: readonly number[];
  readonly seconds: number;
  readonly requests: number;
  readonly cases: number;
  readonly rounds: number;
  /** Number of answers by operation and status; 0 for none. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly unreached: Unreached;
  readonly failures: readonly Failure[];
  readonly crashes: number;
  /** Longest tick of the event loop of the service, in milliseconds of processor time. */
  readonly longestTickMs: number;
  readonly memory: readonly MemorySample[];
}

/** Parameters of a run. */
export interface FuzzDeps {
  readonly service: FuzzedService;
  readonly document: ApiDocument;
  /** Called on every progress. */
  readonly onProgress: (progress: FuzzProgress) => void;
  /** Called once for each failure. */
  readonly onFailure: (failure: Failure) => void;
  readonly signal: AbortSignal;
}

/** Progress of a run. */
export interface FuzzProgress {
  readonly seconds: number;
  readonly tally: Tally;
  readonly failures: number;
  readonly memory: MemorySample | undefined;
}

/** How a case is run: beside others, or alone, with the present entries or with none. */
type Mode = 'beside others' | 'alone' | 'from nothing';

/** Findings of a case, and how it was run. */
interface Tried {
  readonly mode: Mode;
  readonly findings: readonly Finding[];
}

/** Number of properties that run at once: most of the time of a case is spent waiting for the disk. */
const LANES = 6;

/** Maximum time for reducing a failing case, in milliseconds. */
const SHRINK_MS = 60_000;

/** Interval of memory samples, in milliseconds. */
const MEMORY_INTERVAL_MS = 10_000;

/** Interval of stalled requests, in milliseconds: each lasts until the service ends it. */
const STALLS_INTERVAL_MS = 120_000;

/**
 * Runs all properties, in rounds, until the time is over or the cases are.
 *
 * @throws {UsageError} If a name in `only` does not exist.
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
  /** Known findings: they are not reported again. */
  readonly #known = new Set<string>();
  /** Findings beside others that did not occur alone. */
  readonly #unsure: Failure[] = [];
  #stalls: Promise<void> = Promise.resolve();
  #stalledMs = Number.NEGATIVE_INFINITY;
  #measuredMs = Number.NEGATIVE_INFINITY;
  #cases = 0;
  #rounds = 0;

  constructor(options: FuzzOptions, deps: FuzzDeps) {
    const {service, document} = deps;
    const oracle = createOracle(document, {secrets: service.secrets, pages: service.pages});
    this.#options = options;
    this.#deps = deps;
    this.#caseDeps = {service, document, oracle, tally: this.#tally};
    const all = createProperties(document, HINTS);
    this.#properties = choose(all, options.only);
  }

  async run(): Promise<FuzzReport> {
    const {seeds, durationMs = Number.POSITIVE_INFINITY} = this.#options;
    for (const [index, seed] of seeds.entries())
      await this.#runSeed(seed, this.#beganMs + (durationMs * (index + 1)) / seeds.length);
    await Promise.race([this.#stalls, whenAborted(this.#deps.signal)]);
    // Every case that ran beside the failing one reports the finding; if none reproduces it alone, it is reported all
    // the same.
    for (const failure of this.#unsure) this.#failUnlessKnown(failure);
    await this.#measure();
    for (const finding of checkMemory(this.#memory)) this.#fail({...NO_CASE, findings: [finding]});
    return this.#report();
  }

  async #runSeed(seed: number, untilMs: number): Promise<void> {
    const {runs} = this.#options;
    const batches = makeBatches(this.#properties, {
      seed,
      rounds: runs === undefined ? Infinity : 1,
      onRound: () => this.#rounds++,
    });
    const work = async (): Promise<void> => {
      for (const batch of batches) {
        if (this.#isOver(untilMs)) return;
        this.#beginStalls();
        await this.#tryProperty(batch, untilMs);
        if (performance.now() - this.#measuredMs >= MEMORY_INTERVAL_MS) await this.#measure();
      }
    };
    await Promise.all(Array.from({length: LANES}, work));
  }

  #isOver(untilMs: number): boolean {
    return this.#deps.signal.aborted || performance.now() >= untilMs;
  }

  async #tryProperty({property, seed, cases}: Batch, untilMs: number): Promise<void> {
    const {name, weight} = property;
    const {path, runs = Math.ceil(cases * weight)} = this.#options;
    const found = new Map<FuzzCase, readonly Finding[]>();
    // A repeated case runs as it was reduced: alone, and without entries.
    let mode: Mode = path === undefined ? 'beside others' : 'from nothing';
    let failingSinceMs: number | undefined;
    const checked = fc.asyncProperty(property.cases, async steps => {
      // A larger case now is better than a smaller one after an hour.
      if (failingSinceMs !== undefined && performance.now() - failingSinceMs > SHRINK_MS) return;
      if (failingSinceMs === undefined && this.#isOver(untilMs)) return;
      const tried = mode === 'beside others' ? await this.#tryCase(name, steps) : await this.#tryAlone(steps, mode);
      if (tried.findings.length === 0) return;
      mode = tried.mode;
      failingSinceMs ??= performance.now();
      found.set(steps, tried.findings);
      throw new Error(tried.findings.map(({rule, text}) => `${rule}: ${text}`).join('\n'));
    });
    const details = await fc.check(checked, {seed, numRuns: runs, ...(path === undefined ? {} : {path})});
    if (!details.failed || details.counterexample === null) return;
    const [steps] = details.counterexample;
    const command = `npm run fuzz -- --seed ${seed} --only ${name} --path ${details.counterexamplePath}`;
    // Another property may have found the same meanwhile.
    this.#failUnlessKnown({
      property: name,
      again: mode === 'from nothing' ? command : 'it depends on entries of other cases',
      findings: found.get(steps) ?? [...found.values()].at(-1) ?? [],
      reproduction: formatReproduction(steps),
    });
  }

  /** Runs a case beside others; after a finding once more alone, at first without entries. */
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

  /** Runs beside everything else: waiting takes time, not work. */
  #beginStalls(): void {
    const {only, path} = this.#options;
    if (only.length > 0 || path !== undefined || performance.now() - this.#stalledMs < STALLS_INTERVAL_MS) return;
    this.#stalledMs = performance.now();
    this.#stalls = runStalls(makeStalls(this.#deps.document), this.#caseDeps).then(findings => {
      // After an interruption the run does not wait for them, and the service ends first.
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
      unreached: findUnreached(this.#deps.document, counts, REFUSED),
      failures: this.#failures,
      crashes: this.#deps.service.crashes,
      longestTickMs: this.#deps.service.longestTickMs,
      memory: this.#memory,
    };
  }
}

async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Reports findings that no case caused. */
const NO_CASE = {property: 'the run', reproduction: ''} as const;

/** Findings with the same signature count as one. */
function signatureOf({rule, where, text}: Finding): string {
  // Only the words of a text: ids and positions vary.
  return `${rule} ${where} ${text.replace(/[^a-z ]+/gi, '').slice(0, 60)}`;
}
