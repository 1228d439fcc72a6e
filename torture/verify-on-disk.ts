import {LossError} from './history.ts';
import {runCommand} from './service-process.ts';

/** What is looked at while no service runs. */
export interface VerifyOptions {
  readonly signal: AbortSignal;
}

/**
 * Has `crewroom doctor --deep` read every record of a data directory.
 *
 * @throws {LossError} When it finds a problem.
 */
export async function verifyOnDisk(dataDir: string, {signal}: VerifyOptions): Promise<void> {
  const {code, stdout, stderr} = await runCommand(['doctor', '--deep', '--json', '--data-dir', dataDir], {signal});
  if (code === 0) return;
  throw new LossError(`doctor --deep found problems (exit code ${code}): ${stdout}${stderr}`);
}
