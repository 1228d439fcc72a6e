import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {API_VERSION, VERSION} from '../../version.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {CliContext} from '../terminal/context.ts';
import {jsonLine} from '../terminal/escape.ts';

/** `crewroom version`: prints the version. */
export async function run({context, flags}: CallOf<'version'>): Promise<ExitCode> {
  await context.stdout.write(flags.json ? jsonLine(await describeVersions(context)) : `crewroom ${VERSION}\n`);
  return EXIT.ok;
}

async function describeVersions({
  nodeVersion,
  platform,
  architecture,
}: CliContext): Promise<Readonly<Record<string, string>>> {
  const {engineVersion} = await import('../../store/lmdb/environment.ts');
  return {
    version: VERSION,
    apiVersion: API_VERSION,
    node: nodeVersion,
    platform,
    architecture,
    lmdb: engineVersion(),
  };
}
