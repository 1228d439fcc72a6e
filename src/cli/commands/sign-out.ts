import {sessionDocument} from '../../core/protocol/service-documents.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {connect} from '../service/connection.ts';
import {escapeControls} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom sign-out`: deletes the session, wherever it is kept. */
export async function run(call: CallOf<'sign-out'>): Promise<CommandOutcome> {
  const {service} = await connect(call);
  const before = await service.sessions.status();
  const {dryRun} = call.flags;
  const session = dryRun ? before : await service.sessions.signOut();
  const wasSignedIn = before.source === 'back-end' && before.state !== 'signed-out';
  const place = before.scriptURL === undefined ? '' : ` of ${escapeControls(before.scriptURL)}`;
  const done = dryRun ? `Would sign out${place}, and delete the session` : `Signed out${place}; the session is deleted`;
  const text = wasSignedIn ? done : 'No pilot was signed in at an airline';
  return {json: {dryRun: dryRun === true, ...sessionDocument(session)}, text: `${text}\n`};
}
