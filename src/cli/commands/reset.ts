import type {CallOf} from '../catalogue/commands.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {deleteRange} from '../transfer/entry-deletion.ts';

/** `crewroom reset`: deletes every entry. */
export function run(call: CallOf<'reset'>): Promise<CommandOutcome> {
  return deleteRange(call, {command: 'reset', effect: 'deletes every entry', prefix: '', withoutMax: 0});
}
