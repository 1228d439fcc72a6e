import type {PilotList, SamplePilot} from '../../core/domain/identity/pilots.ts';
import {sessionDocument} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {isUnprotected} from '../../service/identity/backend/script-url.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {EMPTY_USERNAME, invalidUsage} from '../failures/report.ts';
import {BACK_END_QUESTION, parseScriptUrl} from '../input/back-end-address.ts';
import {readPassword} from '../input/password.ts';
import {indentJson} from '../output/indent-json.ts';
import {formatSignedIn} from '../output/session-text.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, escapeControls, escapeText, styleOf} from '../terminal/context.ts';
import {type CommandOutcome, listed} from '../terminal/outcome.ts';
import {askText, canAsk} from '../terminal/prompts.ts';

/** `crewroom sign-in`: signs the pilot in at the airline, through the running service. */
export async function signIn(call: CallOf<'sign-in'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  if (flags.username?.trim() === '') throw invalidUsage('sign-in', EMPTY_USERNAME);
  const {service} = await connect(call, {ownOnly: true});
  // Before any question: the user should not type a password for a service that does not run.
  const {scriptURL: configured} = await service.sessions.status();
  const scriptURL = await chooseBackEnd(flags.scriptUrl, configured, context);
  await reportBackEnd(scriptURL ?? configured, flags.scriptUrl === undefined && configured === undefined, context);
  const username = await chooseUsername(flags.username, context);
  const password = await readPassword(flags.passwordFile, context);
  const session = await service.sessions.signIn({scriptURL, username, password});
  return {json: sessionDocument(session), text: formatSignedIn(session, styleOf(context.stdout, context))};
}

/** Returns the back end for the request; undefined for the one that the service is configured for. */
async function chooseBackEnd(
  given: string | undefined,
  configured: string | undefined,
  context: CliContext,
): Promise<string | undefined> {
  if (given !== undefined) return parseScriptUrl(given, 'sign-in');
  if (configured !== undefined) return undefined;
  if (!canAsk(context)) throw invalidUsage('sign-in', 'no airline is configured, so it requires --script-url URL');
  return parseScriptUrl(await askText(BACK_END_QUESTION, context), 'sign-in');
}

async function reportBackEnd(scriptURL: string | undefined, wasAsked: boolean, context: CliContext): Promise<void> {
  if (!canAsk(context) || scriptURL === undefined) return;
  const style = styleOf(context.stderr, context);
  if (!wasAsked) await context.stderr.write(`Signing in at ${style.cyan(escapeControls(scriptURL))}\n`);
  if (isUnprotected(scriptURL))
    await context.stderr.write(
      `${style.yellow('!')} Without https others in the network could read the password: the service refuses this, unless it was started with --allow-plain-http\n`,
    );
}

async function chooseUsername(given: string | undefined, context: CliContext): Promise<string> {
  if (given !== undefined) return given;
  if (!canAsk(context)) throw invalidUsage('sign-in', 'without a terminal it requires --username NAME');
  return askText({message: 'Pilot number or e-mail address'}, context);
}

/** `crewroom sign-out`: deletes the session, wherever it is kept. */
export async function signOut(call: CallOf<'sign-out'>): Promise<CommandOutcome> {
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

/** `crewroom identity`: prints the document that plugins get. */
export async function identity(call: CallOf<'identity'>): Promise<CommandOutcome> {
  const {stdout} = call.context;
  const {pretty, json} = call.flags;
  if (pretty && json)
    throw invalidUsage('identity', 'it prints the document as served (--json) or indented (--pretty)');
  const {client} = await connect(call);
  const {text} = await client.identity();
  const asLine = (shown: string): string => (stdout.isTerminal ? `${escapeText(shown)}\n` : shown);
  const shown = pretty || stdout.isTerminal ? indentJson(text) : text;
  return {json: asLine(text), text: asLine(pretty && !stdout.isTerminal ? `${shown}\n` : shown)};
}

type PilotCall = CallOf<'pilot'>;

/** `crewroom pilot`: lists the sample pilots, and switches among them. */
export async function pilot(call: PilotCall): Promise<CommandOutcome> {
  const [action, name = ''] = call.arguments;
  return action === 'list' ? listPilots(call) : usePilot(call, name);
}

async function listPilots(call: PilotCall): Promise<CommandOutcome> {
  const {send} = await connect(call);
  const {pilots, current} = await send('GET', '/api/pilots', parseDocument<PilotList>);
  return listed(call.context, pilots, {
    describe: each => describe(each, current),
    head: ['NAME', 'SERVED', 'DESCRIPTION'],
    row: ({name, description}) => [name, name === current ? 'yes' : '-', description],
    empty: 'No sample pilots',
    next: '"crewroom pilot use NAME" serves another one',
  });
}

function describe({name, description, summary}: SamplePilot, current: string | undefined): object {
  return {name, current: name === current, description, summary};
}

async function usePilot(call: PilotCall, name: string): Promise<CommandOutcome> {
  const {send} = await connect(call);
  const {pilots} = await send('PUT', '/api/pilots/current', parseDocument<PilotList>, {name});
  const chosen = pilots.find(each => each.name === name);
  const line = chosen?.summary === undefined ? 'No pilot is signed in' : `The pilot is ${chosen.summary}`;
  return {json: chosen === undefined ? {} : describe(chosen, name), lines: [line]};
}
