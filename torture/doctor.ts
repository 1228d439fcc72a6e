import {LossError} from './loss-error.ts';
import {runCommand} from './service-process.ts';

/** The findings of `crewroom doctor --deep` for a data directory that no service uses. */
export interface Examination {
  /** Texts of its problems and warnings. */
  readonly complaints: readonly string[];
  /** True if it reported a problem; warnings do not count. */
  readonly isProblem: boolean;
}

/** Maximum duration of one check of a data directory, in milliseconds. */
const TIMEOUT_MS = 120_000;

/**
 * Runs the doctor on a data directory.
 *
 * @throws {LossError} If it does not end, or ends without findings.
 */
export async function examine(dataDir: string, {signal}: {readonly signal: AbortSignal}): Promise<Examination> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const {stdout, ...exit} = await runCommand(['doctor', '--deep', '--json', '--port', '0', '--data-dir', dataDir], {
    signal: AbortSignal.any([signal, timeout]),
  });
  signal.throwIfAborted();
  if (timeout.aborted) throw new LossError(`doctor --deep did not end within ${TIMEOUT_MS} ms`);
  const findings = parseFindings(stdout);
  if (findings === undefined)
    throw new LossError(
      `doctor --deep ended without findings (${exit.signal ?? `exit code ${exit.code}`}): ${exit.stderr}`,
    );
  // The other checks are about the machine.
  const complaints = findings.filter(({check, level}) => (check === 'Data' || check === 'Entries') && level !== 'ok');
  return {
    complaints: complaints.map(({level, detail}) => `${level}: ${detail}`),
    isProblem: complaints.some(({level}) => level === 'problem'),
  };
}

interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}

function parseFindings(stdout: string): readonly Finding[] | undefined {
  try {
    return (JSON.parse(stdout) as {readonly findings: readonly Finding[]}).findings;
  } catch {
    return undefined;
  }
}
