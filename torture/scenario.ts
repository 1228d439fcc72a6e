import type {Random} from './random.ts';

/** A way to make the service lose something. */
export interface Scenario {
  /** The row of what the service must stand, such as `C1`. */
  readonly id: string;
  /** What is done and what has to hold, in a sentence. */
  readonly name: string;
  /** How often it is done, unless told otherwise. What a round is, each scenario says in its name or counts. */
  readonly rounds: {readonly quick: number; readonly standard: number};
  /** What of the machine is missing, such as `strace`; undefined where it can run. */
  readonly findMissing?: () => Promise<string | undefined>;
  /** Rejects when something was lost, torn, doubled or not as promised; the message says what and where. */
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** What a scenario gets. */
export interface ScenarioContext {
  /** Its own sequence of chance, the same for the same seed. */
  readonly random: Random;
  readonly rounds: number;
  /** Whether time is short, as in CI. */
  readonly quick: boolean;
  /** An empty directory, kept when the scenario fails: data directories and ledgers go here. */
  readonly directory: string;
  /** Tells how far it is: one line, which replaces the one before on a terminal. */
  readonly report: (text: string) => void;
  /** Adds to what is counted in the summary, such as `count('acknowledged writes', 12)`. */
  readonly count: (what: string, amount?: number) => void;
  /** Aborted when the run is interrupted, and when the scenario is over: whatever still runs then is killed. */
  readonly signal: AbortSignal;
}

/** What became of a scenario. */
export interface Outcome {
  readonly id: string;
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped' | 'interrupted';
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** Where everything is that was found, where it failed or was to be kept. */
  readonly directory?: string;
  /** The command that does it again. */
  readonly replay?: string;
}
