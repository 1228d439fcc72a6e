import {API_VERSION, VERSION} from '../../version.ts';
import type {Call} from '../command.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import type {Switch} from '../parser/catalogue.ts';
import {jsonLine} from '../terminal/escape.ts';

/** `crewroom version`. */
export async function run({context: {stdout}, flags}: Call<{readonly json: Switch}>): Promise<ExitCode> {
  await stdout.write(flags.json ? jsonLine(await describeVersions()) : `crewroom ${VERSION}\n`);
  return EXIT.ok;
}

async function describeVersions(): Promise<Readonly<Record<string, string>>> {
  const {engineVersion} = await import('../../store/lmdb/environment.ts');
  return {
    version: VERSION,
    apiVersion: API_VERSION,
    node: process.versions.node,
    platform: process.platform,
    architecture: process.arch,
    lmdb: engineVersion(),
  };
}
