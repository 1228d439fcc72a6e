import type {PilotList, SamplePilot} from '../../core/domain/identity/pilots.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {connect} from '../service/connection.ts';
import {type CommandOutcome, listed} from '../terminal/outcome.ts';

type PilotCall = CallOf<'pilot'>;

/** `crewroom pilot`: lists the sample pilots, and switches among them. */
export async function run(call: PilotCall): Promise<CommandOutcome> {
  const [action, name = ''] = call.arguments;
  return action === 'list' ? list(call) : use(call, name);
}

async function list(call: PilotCall): Promise<CommandOutcome> {
  const {send} = await connect(call);
  const {pilots, current} = await send('GET', '/api/pilots', parseDocument<PilotList>);
  return listed(call.context, pilots, {
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

async function use(call: PilotCall, name: string): Promise<CommandOutcome> {
  const {send} = await connect(call);
  const {pilots} = await send('PUT', '/api/pilots/current', parseDocument<PilotList>, {name});
  const pilot = pilots.find(each => each.name === name);
  const line = pilot?.summary === undefined ? 'No pilot is signed in' : `The pilot is ${pilot.summary}`;
  return {json: pilot === undefined ? {} : describe(pilot, name), lines: [line]};
}
