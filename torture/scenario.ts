import type {Random} from './random.ts';

/** One attempt to make the service lose data. */
export interface Scenario {
  /** Row of the list of requirements, such as `C1`. */
  readonly id: string;
  /** Action and promise, in one sentence. */
  readonly name: string;
  /** Default number of rounds. The name or the counts of a scenario show what one round is. */
  readonly rounds: {readonly quick: number; readonly standard: number};
  /** Missing tool or right, such as `strace`; undefined if the scenario can run. */
  readonly findMissing?: () => Promise<string | undefined>;
  /** Rejects if data is lost, torn, duplicated or otherwise wrong; the message names what and where. */
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** Parameters of a scenario. */
export interface ScenarioContext {
  /** Its own random sequence, the same for the same seed. */
  readonly random: Random;
  readonly rounds: number;
  /** True if the run must be short, as in CI. */
  readonly quick: boolean;
  /** An empty directory for data directories and ledgers, kept if the scenario fails. */
  readonly directory: string;
  /** Reports progress: one line, which replaces the previous one on a terminal. */
  readonly report: (text: string) => void;
  /** Adds to a count of the summary, such as `count('acknowledged writes', 12)`. */
  readonly count: (what: string, amount?: number) => void;
  /** Aborted when the run is interrupted and when the scenario is over: processes that still run then are killed. */
  readonly signal: AbortSignal;
}

/** Result of a scenario. */
export interface Outcome {
  readonly id: string;
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped' | 'interrupted';
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Reason of a failure or a skip. */
  readonly reason?: string;
  /** Directory of the kept files, if it failed or was to be kept. */
  readonly directory?: string;
  /** Command that repeats it. */
  readonly replay?: string;
}
