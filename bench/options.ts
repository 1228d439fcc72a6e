import {tmpdir} from 'node:os';
import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {SECTIONS, type SectionName} from './plan.ts';
import {WORKLOADS} from './workloads.ts';

/** What the caller asked for. */
export interface Options {
  readonly quick: boolean;
  readonly only: ReadonlySet<string>;
  readonly peers: boolean;
  readonly peersDirectory: string | undefined;
  readonly directory: string;
  readonly json: boolean;
  readonly check: boolean;
  readonly help: boolean;
}

/** How the command is used. */
export const USAGE = `Usage: npm run bench [-- OPTIONS]

Measures Crewroom beside bare node:http, beside its engine without rules, and beside what one would pick instead.
Prints a report, and writes it to bench/results/ as Markdown and as JSON.

  --quick        in less than 3 minutes, with fewer turns and connections; otherwise less than 30
  --only NAME    only this workload or section; may be given again
                 workloads: ${WORKLOADS.map(({name}) => name).join(', ')}
                 sections: ${SECTIONS.join(', ')}
  --no-peers     only Crewroom, bare node:http, and LMDB behind it
  --peers DIR    install the peers there and keep them, instead of in a temporary directory
  --data-dir DIR where the data of the servers is kept while it runs (default: ${tmpdir()})
  --json         print the JSON instead of the report
  --check        exit with 1 when a target is missed
  --help
`;

/**
 * Reads the arguments of the command.
 *
 * @throws {Error} When they are wrong.
 */
export function readOptions(args: readonly string[]): Options {
  const {values} = parseArgs({
    args: [...args],
    options: {
      quick: {type: 'boolean', default: false},
      only: {type: 'string', multiple: true, default: []},
      peers: {type: 'string'},
      'no-peers': {type: 'boolean', default: false},
      'data-dir': {type: 'string', default: tmpdir()},
      json: {type: 'boolean', default: false},
      check: {type: 'boolean', default: false},
      help: {type: 'boolean', default: false},
    },
  });
  const known: readonly string[] = [...WORKLOADS.map(({name}) => name), ...SECTIONS];
  for (const name of values.only) {
    if (!known.includes(name))
      throw new Error(`Unknown name after --only "${name}": expected one of ${known.join(', ')}`);
  }
  return {
    quick: values.quick,
    only: new Set(values.only),
    peers: !values['no-peers'],
    peersDirectory: values.peers === undefined ? undefined : resolve(values.peers),
    directory: resolve(values['data-dir']),
    json: values.json,
    check: values.check,
    help: values.help,
  };
}

/** Whether a workload was asked for. */
export function wantsWorkload({only}: Options, name: string): boolean {
  return only.size === 0 || only.has(name);
}

/** Whether a section was asked for. */
export function wantsSection({only}: Options, section: SectionName): boolean {
  return only.size === 0 || only.has(section);
}
