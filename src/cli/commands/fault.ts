import {formatFault, readFaultWords} from '../../core/documents/fault-text.ts';
import type {Fault, FaultList} from '../../core/domain/faults/fault.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {invalidUsage, refusedUsage} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import {escapeControls} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

type FaultCall = CallOf<'fault'>;

/** `crewroom fault`: lists faults, switches them on, and ends them. */
export async function run(call: FaultCall): Promise<CommandOutcome> {
  const {method, kind, fault} = readRequest(call);
  const {send} = await connect(call);
  const ask = async (by: string, query = '', body?: object): Promise<readonly Fault[]> =>
    (await send(by, `/api/faults${query}`, parseDocument<FaultList>, body)).faults;
  if (kind !== undefined && !(await ask('GET')).some(each => each.kind === kind))
    throw refusedUsage(
      'fault',
      `no fault of the kind ${JSON.stringify(kind)} is on`,
      '"crewroom fault list" shows those that are on',
    );
  const query = kind === undefined ? '' : `?kind=${encodeURIComponent(kind)}`;
  const faults = await ask(method, query, fault && {faults: [fault]});
  // To people each on a line, as the command line has them.
  const text = faults.map(each => `${escapeControls(formatFault(each))}\n`).join('');
  return {json: faults, text, note: faults.length === 0 ? 'No fault is on\n' : ''};
}

interface FaultRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The kind of the faults to end; undefined for all. */
  readonly kind?: string | undefined;
  /** The fault to switch on. */
  readonly fault?: Fault;
}

function readRequest(call: FaultCall): FaultRequest {
  const [action = 'list', argument] = call.arguments;
  const flags = readFlags(call);
  switch (action) {
    case 'list':
      if (argument === undefined && flags.length === 0) return {method: 'GET'};
      throw invalidUsage('fault', 'list takes no ARGUMENT and no flags');
    case 'clear':
      if (flags.length === 0) return {method: 'DELETE', kind: argument};
      throw invalidUsage('fault', 'clear takes no flags but --json');
    default:
      return {method: 'POST', fault: readFault([action, ...(argument === undefined ? [] : [argument]), ...flags])};
  }
}

/** Returns the flags of a fault as words. */
function readFlags({flags: {path, plugin}}: FaultCall): readonly string[] {
  return Object.entries({path, plugin}).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}

function readFault(words: readonly string[]): Fault {
  const reading = readFaultWords(words);
  if ('fault' in reading) return reading.fault;
  throw invalidUsage('fault', `the fault ${reading.problem}`);
}
