import {LossError} from './loss-error.ts';
import {runCommand} from './service-process.ts';

/** Options of the check of a stopped store. */
export interface VerifyOptions {
  readonly signal: AbortSignal;
}

/**
 * Reads every record of a data directory with `crewroom doctor --deep`.
 *
 * @throws {LossError} If it reports a problem.
 */
export async function verifyOnDisk(dataDir: string, {signal}: VerifyOptions): Promise<void> {
  const {code, stdout, stderr} = await runCommand(['doctor', '--deep', '--json', '--data-dir', dataDir], {signal});
  if (code === 0) return;
  throw new LossError(`doctor --deep found problems (exit code ${code}): ${stdout}${stderr}`);
}
