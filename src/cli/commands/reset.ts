import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {deleteRange} from '../transfer/entry-deletion.ts';

/** `crewroom reset`: deletes every entry. */
export function run(call: CallOf<'reset'>): Promise<ExitCode> {
  return deleteRange(call, {command: 'reset', effect: 'deletes every entry', prefix: '', withoutMax: 0});
}
