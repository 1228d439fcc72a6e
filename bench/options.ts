import {tmpdir} from 'node:os';
import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {SECTIONS, type SectionName} from './plan.ts';
import {WORKLOADS} from './workloads.ts';

/** Options of the command line. */
export interface Options {
  readonly quick: boolean;
  readonly only: ReadonlySet<string>;
  readonly peers: boolean;
  readonly peersDirectory: string | undefined;
  readonly directory: string;
  readonly memoryAfterMinutes: number;
  readonly json: boolean;
  readonly check: boolean;
  readonly help: boolean;
}

/** Text of `--help`. */
export const USAGE = `Usage: npm run bench [-- OPTIONS]

Measures Crewroom beside bare node:http, beside its engine without rules, and beside alternatives.
Prints a report, and writes it to bench/results/ as Markdown, as JSON, and its ratios as a picture.

  --quick        in less than 3 minutes, with fewer rounds and connections; otherwise less than 25
  --only NAME    only this workload or section; repeatable
                 workloads: ${WORKLOADS.map(({name}) => name).join(', ')}
                 sections: ${SECTIONS.join(', ')}
  --no-peers     only Crewroom, bare node:http, and LMDB behind it
  --peers DIR    install the peers there and keep them, instead of in a temporary directory
  --data-dir DIR directory for the data of the servers during the run (default: ${tmpdir()})
  --memory-after MINUTES  time of rare requests before the section beside reads the memory (default: 0)
  --json         print the JSON instead of the report
  --check        exit with 1 if a target is missed
  --help         print this text
`;

/**
 * Parses the arguments of the command.
 *
 * @throws {Error} If they are not valid.
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
      'memory-after': {type: 'string', default: '0'},
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
  const memoryAfterMinutes = Number(values['memory-after']);
  if (!(memoryAfterMinutes >= 0))
    throw new Error(`Unknown time after --memory-after "${values['memory-after']}": expected minutes`);
  return {
    quick: values.quick,
    only: new Set(values.only),
    peers: !values['no-peers'],
    peersDirectory: values.peers === undefined ? undefined : resolve(values.peers),
    directory: resolve(values['data-dir']),
    memoryAfterMinutes,
    json: values.json,
    check: values.check,
    help: values.help,
  };
}

/** Returns whether a workload is requested. */
export function wantsWorkload({only}: Options, name: string): boolean {
  return only.size === 0 || only.has(name);
}

/** Returns whether a section is requested. */
export function wantsSection({only}: Options, section: SectionName): boolean {
  return only.size === 0 || only.has(section);
}
