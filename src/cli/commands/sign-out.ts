import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {sessionDocument} from '../../protocol/session.ts';
import type {CallOf} from '../catalogue/call.ts';
import {connect} from '../service/connection.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';

/** `crewroom sign-out`: deletes the session, wherever it is kept. */
export async function run(call: CallOf<'sign-out'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {service} = await connect(call);
  const before = await service.sessions.status();
  const session = await service.sessions.signOut();
  const wasSignedIn = before.source === 'back-end' && before.state !== 'signed-out';
  const place = before.scriptURL === undefined ? '' : ` of ${escapeControls(before.scriptURL)}`;
  const text = wasSignedIn ? `Signed out${place}; the session is deleted` : 'No pilot was signed in at an airline';
  await context.stdout.write(flags.json ? jsonLine(sessionDocument(session)) : `${text}\n`);
  return EXIT.ok;
}
