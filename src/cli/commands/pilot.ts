import type {SamplePilot} from '../../domain/identity/pilots.ts';
import type {ExitCode} from '../../failures/exit-codes.ts';
import {readPilots} from '../../protocol/pilots.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage, refusedUsage} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import {printList} from '../terminal/print-list.ts';
import {reportDone} from '../terminal/report-done.ts';

type PilotCall = CallOf<'pilot'>;

/** `crewroom pilot`: lists the sample pilots, and switches among them. */
export async function run(call: PilotCall): Promise<ExitCode> {
  const [action = '', name] = call.arguments;
  switch (action) {
    case 'list':
      if (name !== undefined) throw invalidUsage('pilot', 'list takes no NAME');
      return list(call);
    // The parser knows no other action.
    default:
      if (name === undefined) throw refusedUsage('pilot', 'use needs a NAME', '"crewroom pilot list" shows all');
      return use(call, name);
  }
}

async function list(call: PilotCall): Promise<ExitCode> {
  const {send} = await connect(call);
  const {pilots, current} = await send('GET', '/api/pilots', readPilots);
  return printList(call, pilots, {
    describe: pilot => describe(pilot, current),
    head: ['NAME', 'SERVED', 'DESCRIPTION'],
    row: ({name, description}) => [name, name === current ? 'yes' : '-', description],
    empty: 'No sample pilots',
    next: '"crewroom pilot use NAME" serves another one',
  });
}

function describe({name, description, summary}: SamplePilot, current: string | undefined): object {
  return {name, current: name === current, description, summary};
}

async function use(call: PilotCall, name: string): Promise<ExitCode> {
  const {send} = await connect(call);
  const {pilots} = await send('PUT', '/api/pilots/current', readPilots, {name});
  const pilot = pilots.find(each => each.name === name);
  const line = pilot?.summary === undefined ? 'No pilot is signed in' : `The pilot is ${pilot.summary}`;
  return reportDone(call, pilot === undefined ? {} : describe(pilot, name), line);
}
