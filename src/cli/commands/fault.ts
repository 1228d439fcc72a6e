import {formatFault, readFaultWords} from '../../documents/fault-text.ts';
import type {Fault} from '../../domain/faults/fault.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {readFaultList} from '../../protocol/faults.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage, refusedUsage} from '../failures/usage.ts';
import {connect, type SendJson} from '../service/connection.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';

type FaultCall = CallOf<'fault'>;

/** `crewroom fault`: lists faults, switches them on, and ends them. */
export async function run(call: FaultCall): Promise<ExitCode> {
  const act = readAction(call);
  const {send} = await connect(call);
  await report(await act(send), call);
  return EXIT.ok;
}

type Action = (send: SendJson) => Promise<readonly Fault[]>;

/** Reads the command line before anything is sent. */
function readAction(call: FaultCall): Action {
  const [action = 'list', argument] = call.arguments;
  const flags = readFlags(call);
  switch (action) {
    case 'list':
      if (argument !== undefined || flags.length > 0)
        throw invalidUsage('fault', 'list takes no ARGUMENT and no flags');
      return list;
    case 'clear':
      if (flags.length > 0) throw invalidUsage('fault', 'clear takes no flags but --json');
      return argument === undefined ? clear : clearKind(argument);
    default:
      return add(readFault([action, ...(argument === undefined ? [] : [argument]), ...flags]));
  }
}

/** Returns the flags of a fault as words. */
function readFlags({flags: {path, plugin, probability, seed}}: FaultCall): readonly string[] {
  return Object.entries({path, plugin, probability, seed}).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}

function readFault(words: readonly string[]): Fault {
  const reading = readFaultWords(words);
  if ('fault' in reading) return reading.fault;
  throw invalidUsage('fault', `the fault ${reading.problem}`);
}

async function list(send: SendJson): Promise<readonly Fault[]> {
  return (await send('GET', '/api/faults', readFaultList)).faults;
}

async function clear(send: SendJson): Promise<readonly Fault[]> {
  return (await send('DELETE', '/api/faults', readFaultList)).faults;
}

function clearKind(kind: string): Action {
  return async send => {
    const faults = await list(send);
    if (!faults.some(fault => fault.kind === kind))
      throw refusedUsage(
        'fault',
        `no fault of the kind ${JSON.stringify(kind)} is on`,
        '"crewroom fault list" shows those that are on',
      );
    return (await send('DELETE', `/api/faults?kind=${encodeURIComponent(kind)}`, readFaultList)).faults;
  };
}

function add(fault: Fault): Action {
  return async send => (await send('POST', '/api/faults', readFaultList, {faults: [fault]})).faults;
}

/** Prints the faults that are on: to people each on a line, as the command line has them. */
async function report(faults: readonly Fault[], {flags, context}: FaultCall): Promise<void> {
  const {stdout, stderr} = context;
  if (flags.json) return stdout.write(faults.map(jsonLine).join(''));
  await stdout.write(faults.map(fault => `${escapeControls(formatFault(fault))}\n`).join(''));
  if (faults.length === 0) await stderr.write('No fault is on\n');
}
