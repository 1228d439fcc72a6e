import {API_VERSION} from '../../core/protocol/headers/api-header.ts';
import {VERSION} from '../../core/version.ts';
import type {CallOf} from '../catalogue/commands.ts';
import type {CliContext} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom version`: prints the version. */
export async function run({context, flags}: CallOf<'version'>): Promise<CommandOutcome> {
  // The engine is loaded for programs only.
  return {json: flags.json ? await describeVersions(context) : {}, text: `crewroom ${VERSION}\n`};
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
    lmdb: await engineVersion(),
  };
}
