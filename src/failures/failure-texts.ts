import {
  FAILURE_TEXTS as CLIENT_FAILURE_TEXTS,
  describeProblem,
  type FailureTexts,
  quote,
} from './client-failure-texts.ts';
import type {FailureCode, ImportedPart} from './failure.ts';

/** The message of every failure, in one line: the action that failed, the actual state and the expected one. */
export const FAILURE_TEXTS: FailureTexts<FailureCode> = {
  'invalid-key': CLIENT_FAILURE_TEXTS['invalid-key'],
  'invalid-json': CLIENT_FAILURE_TEXTS['invalid-json'],
  'invalid-transaction': ({problems}) =>
    `Cannot apply the transaction: ${problems.map(({path, problem}) => `${path} ${problem}`).join('; ')}`,
  'invalid-import': ({line, problem, ...part}) => `Cannot import line ${line}: ${problem}${describePart(part)}`,
  'value-too-deep': ({depthMax, position}) =>
    `Cannot store the value: at byte ${position} it nests deeper than ${depthMax} levels`,
  'value-too-large': ({sizeBytesMax}) => `Cannot store the value: it is larger than ${sizeBytesMax} bytes`,
  'transaction-too-large': ({sizeBytesMax}) =>
    `Cannot apply the transaction: with the values that it patches it is larger than ${sizeBytesMax} bytes`,
  'patch-too-large': ({membersMax}) =>
    `Cannot apply the merge patch: it has more than ${membersMax} members, those of nested objects included`,
  'unsupported-body': ({problem}) => `Cannot accept the body: ${problem}`,
  'invalid-parameter': CLIENT_FAILURE_TEXTS['invalid-parameter'],
  'invalid-header': ({header, problem}) => `Cannot use the header ${quote(header)}: ${problem}`,
  'malformed-request': ({problem}) => `Cannot read the request: ${problem}`,
  'no-entry': ({key}) => `Cannot find ${quote(key)}: no entry has this key`,
  'no-identity': () => 'Cannot tell who the pilot is: no pilot is signed in',
  'no-resource': ({path}) => `Cannot find ${quote(path)}: the service has no such resource`,
  'method-not-allowed': ({method, allowed}) =>
    `Cannot use the method ${quote(method)} here: the resource allows ${allowed.join(', ')}`,
  'revision-conflict': ({conflicts}) => conflicts.map(describeConflict).join('; '),
  'foreign-host': ({host}) => `Cannot serve the host ${quote(host)}: it is not one of the names of this service`,
  'foreign-origin': ({origin}) => `Cannot serve pages of ${quote(origin)}: the origin is not allowed`,
  'cross-site': ({site}) => `Cannot serve a ${site} request of a web page: it does not come from an allowed origin`,
  'not-a-page': ({path}) =>
    `Cannot open ${quote(path)} in a browser window: it is not a page but a resource for programs`,
  'unmarked-request': ({host}) =>
    `Cannot serve a browser at ${quote(host)}: it does not mark requests to this name, so any page may have sent this one`,
  'other-user': ({owner}) =>
    `Cannot serve this program: ${owner === undefined ? 'the user at the other end of its connection is unknown' : `it is one of user ${owner}`}`,
  'headers-too-large': () => 'Cannot read the request: its headers are larger than 16 KiB',
  'request-timeout': () => 'Cannot wait longer for the request: it did not arrive in time',
  'too-many-connections': ({connectionsMax}) => `Cannot accept another connection: ${connectionsMax} are busy`,
  'too-many-bodies': () =>
    'Cannot hold another body or answer in memory: other requests use all of the memory for bodies',
  'user-lookup-failed': () =>
    'Cannot serve this program for the moment: the user at the other end of its connection could not be looked up',
  'too-many-subscribers': ({subscribersMax}) => `Cannot accept another subscriber: there are ${subscribersMax} already`,
  'subscriber-too-slow': ({cursor}) =>
    `Cannot keep more events for the subscriber: it reads too slowly since revision ${cursor}`,
  'reader-too-slow': ({idleMs, ageMs}) =>
    `Cannot keep the snapshot any longer: ${ageMs === undefined ? `nothing of it was read for ${idleMs} ms` : `it is ${ageMs} ms old`}`,
  'invalid-sign-in': ({problems}) => `Cannot sign in: ${problems.map(describeProblem).join('; ')}`,
  'sign-in-unavailable': ({problem}) => `Cannot sign in, sign out or verify a session: ${problem}`,
  'sign-in-busy': () => 'Cannot sign in: another sign-in is in progress',
  'invalid-pilot-choice': ({problems}) => `Cannot switch the sample pilot: ${problems.map(describeProblem).join('; ')}`,
  'pilot-choice-unavailable': ({problem}) => `Cannot switch the sample pilot: ${problem}`,
  'invalid-faults': ({problems}) => `Cannot switch faults on: ${problems.map(describeProblem).join('; ')}`,
  'own-callers-only': ({origin}) => `Cannot do this for a page of ${quote(origin)}: it is not a page of this service`,
  'owner-required': () => 'Cannot do this: only the owner may, and the request has no valid token of the owner',
  'code-unavailable': ({host}) =>
    `Cannot open the console as the owner: the service listens on ${host} only, and a browser may call another address of localhost`,
  'invalid-token': ({problem}) => `Cannot accept the token: ${problem}`,
  'permission-required': ({permission, principal}) =>
    `Cannot do this as ${quote(principal)}: it lacks the permission ${quote(permission)}`,
  'token-required': ({permission, plugin}) =>
    plugin === undefined
      ? `Cannot do this without a token: the request needs one with the permission ${quote(permission)}`
      : `Cannot do this for a page that does not prove itself: any program can send the origin of ${quote(plugin)}`,
  'invalid-token-request': ({problems}) => `Cannot create the token: ${problems.map(describeProblem).join('; ')}`,
  'no-token': ({name}) => `Cannot find the token ${quote(name)}: no token has this name`,
  'invalid-grant-request': ({problems}) => `Cannot grant this: ${problems.map(describeProblem).join('; ')}`,
  'no-grant': ({plugin, permission}) =>
    `Cannot revoke this: the plugin ${quote(plugin)} was not given ${permission === undefined ? 'any permission' : quote(permission)}`,
  'invalid-origin': ({problems}) => `Cannot allow the origin: ${problems.map(describeProblem).join('; ')}`,
  'invalid-code': () => 'Cannot open the console as the owner: the code is unknown, was used, or is too old',
  'no-plugin': ({plugin}) => `Cannot find the plugin ${quote(plugin)}: no plugin has this id`,
  'invalid-plugin': ({plugin, problems}) =>
    `Cannot use the plugin ${quote(plugin)}: ${problems.map(describeProblem).join('; ')}`,
  'invalid-plugin-settings': ({plugin, problems}) =>
    `Cannot change the settings of ${quote(plugin)}: ${problems.map(describeProblem).join('; ')}`,
  'no-plugin-route': ({plugin, route, problem}) => `Cannot call ${quote(route)} of ${quote(plugin)}: ${problem}`,
  'invalid-flight': ({problems}) => `Cannot simulate the flight: ${problems.map(describeProblem).join('; ')}`,
  'no-flight': () => 'Cannot find the flight: none was started',
  'plugin-request-too-large': ({sizeBytesMax}) =>
    `Cannot call the plugin: the body is larger than ${sizeBytesMax} bytes`,
  'plugin-busy': ({plugin, requestsMax}) =>
    `Cannot call the plugin ${quote(plugin)}: ${requestsMax} requests to it are in progress`,
  'plugin-failed': ({plugin, route, problem, place}) =>
    `Cannot call ${quote(route)} of ${quote(plugin)}: ${problem}${place === undefined ? '' : ` (${place})`}`,
  'plugin-timeout': ({plugin, route, timeoutMs}) =>
    `Cannot wait longer for ${quote(route)} of ${quote(plugin)}: no answer within ${timeoutMs} ms`,
  'plugin-ended': ({plugin, route}) =>
    `Cannot call ${quote(route)} of ${quote(plugin)}: its process ended before it answered`,
  'dev-server-failed': ({url, problem}) => `Cannot get the page from the dev server at ${url}: ${problem}`,
  'wrong-credentials': ({url, message}) =>
    `Cannot sign in at ${url}: the user name or the password is wrong${quoteMessage(message)}`,
  'pilot-not-confirmed': ({url, message}) =>
    `Cannot sign in at ${url}: the pilot is not confirmed yet${quoteMessage(message)}`,
  'account-broken': ({url, backEndStatus, problem = 'it returned an empty response for this pilot', message}) =>
    `Cannot ${/\/pilot\/(?:resume|verify)$/.test(url) ? 'continue the session' : 'sign in'} at ${url}: ${problem} (status ${backEndStatus})${quoteMessage(message)}`,
  'session-unknown': ({url, message}) =>
    `Cannot continue the session at ${url}: it is unknown there${quoteMessage(message)}`,
  'unprotected-back-end': ({url}) =>
    `Cannot send a password or a session to ${url}: it is plain http, so others on the network could read it`,
  'back-end-unreachable': ({url, stage, problem}) => `Cannot reach the back end at ${url}: ${problem} (${stage})`,
  'back-end-timeout': ({url, timeoutMs}) =>
    `Cannot wait longer for the back end at ${url}: no whole answer within ${timeoutMs} ms`,
  'back-end-redirect': ({url, target, problem, scriptURL}) =>
    `Cannot use the back end at ${url}: ${problem}, ${target}, and neither password nor session is forwarded` +
    (scriptURL === undefined ? '' : `; configure ${quote(scriptURL)}`),
  'not-a-back-end': ({url, backEndStatus, problem, firstLine}) =>
    `Cannot use ${url} as a back end: ${problem} (status ${backEndStatus})` +
    (firstLine === undefined ? '' : `, and it begins with ${quote(firstLine)}`),
  'back-end-failed': ({url, backEndStatus, problem, message}) => {
    const what =
      problem === undefined ? `it failed with status ${backEndStatus}` : `${problem} (status ${backEndStatus})`;
    return `Cannot get an answer from the back end at ${url}: ${what}${quoteMessage(message)}`;
  },
  'back-end-busy': ({url, backEndStatus, problem, message}) =>
    `Cannot get an answer from the back end at ${url}: ${problem} (status ${backEndStatus})${quoteMessage(message)}`,
  'invalid-pilot': ({url, problems}) => `Cannot use the pilot of ${url}: ${problems.map(describeProblem).join('; ')}`,
  'entry-corrupt': ({key}) => `Cannot read ${quote(key)}: its record does not match its checksum`,
  'store-corrupt': ({after}) =>
    `Cannot read all entries: a part of the store${after === undefined ? '' : ` after ${quote(after)}`} is damaged`,
  'store-read-only': ({problem, ...part}) =>
    `Cannot write: the store has been read-only since the disk failed (${problem})${describePart(part)}`,
  'disk-full': part => `Cannot write: the disk is full${describePart(part) || '; stored values are unchanged'}`,
  'store-busy': ({waitingMax, ...part}) =>
    `Cannot queue another write: ${waitingMax} are waiting for the disk${describePart(part)}`,
  'store-closed': part => `Cannot use the store: it is closed${describePart(part)}`,
  'store-unavailable': ({problem, ...part}) => `Cannot reach the store: ${problem}${describePart(part)}`,
  'outcome-unknown': ({commitId, ...part}) =>
    // Of an import without other batches it is not known that nothing was stored.
    `Cannot tell whether the write was stored: commit ${quote(commitId)} was not confirmed in time${part.batches ? describePart(part) : ''}`,
  internal: ({requestId}) => `Cannot answer: an internal error happened (request ${quote(requestId)})`,
  'invalid-usage': ({command, problem}) => `Cannot run "${command}": ${problem}`,
  'invalid-configuration': ({problems}) =>
    `Cannot use the configuration: ${problems.map(({source, problem}) => `${source} ${problem}`).join('; ')}`,
  'invalid-profile': ({file, problems}) =>
    `Cannot use the profile ${quote(file)}: ${problems.map(describeProblem).join('; ')}`,
  'invalid-airline': ({file, problems}) =>
    `Cannot use the airline ${quote(file)}: ${problems.map(describeProblem).join('; ')}`,
  'keychain-unavailable': ({problem}) => `Cannot read the session from the keychain of the system: ${problem}`,
  'unsafe-host': ({host}) =>
    `Cannot listen on ${quote(host)}: it is not a loopback address, so other machines could call`,
  'address-in-use': ({address, holder}) =>
    `Cannot listen on ${address}: ${holder === undefined ? 'another program uses the port' : `${holder} uses the port`}`,
  'address-unusable': ({address, problem}) => `Cannot listen on ${address}: ${problem}`,
  'data-directory-in-use': ({directory, processId}) => `Cannot open ${quote(directory)}: process ${processId} uses it`,
  'data-directory-unusable': ({directory, problem}) => `Cannot use ${quote(directory)}: ${problem}`,
  'data-format-unsupported': ({directory, found, supported}) =>
    `Cannot open ${quote(directory)}: it has data format ${found}, and this version reads only format ${supported}`,
  'store-damaged': ({directory, problem}) => `Cannot open ${quote(directory)}: the store in it is damaged (${problem})`,
  'invalid-token-file': ({file, problem}) => `Cannot use the tokens of programs in ${quote(file)}: ${problem}`,
  'invalid-rules-file': ({file, problem}) => `Cannot use the permissions of plugins in ${quote(file)}: ${problem}`,
  'unreadable-input': ({source, problem}) => `Cannot read ${source}: ${problem}`,
  'unwritable-output': ({problem, target = 'standard output'}) => `Cannot write to ${target}: ${problem}`,
  'invalid-package': ({source, problem}) => `Cannot install ${source}: ${problem}`,
  'plugin-not-started': ({plugin, version, problem, kept}) =>
    `Cannot start version ${version} of ${quote(plugin)}: ${problem}; ${describeKept(kept)}`,
  'service-manager-failed': ({command, problem}) => `Cannot run ${quote(command)}: ${problem}`,
  'service-unreachable': CLIENT_FAILURE_TEXTS['service-unreachable'],
  'foreign-service': ({url, owner, userId}) =>
    `Cannot trust the service at ${url}: its process belongs to user ${owner}, and this one to user ${userId}`,
  'no-owner-token': ({url, files}) => `Cannot act as the owner of ${url}: no token of it is in ${files}`,
  'service-timeout': CLIENT_FAILURE_TEXTS['service-timeout'],
  'invalid-value': CLIENT_FAILURE_TEXTS['invalid-value'],
  'unexpected-answer': CLIENT_FAILURE_TEXTS['unexpected-answer'],
  'unknown-failure': CLIENT_FAILURE_TEXTS['unknown-failure'],
};

function describeKept(version: string | undefined): string {
  if (version === undefined) return 'it was not installed';
  return `${version === '' ? 'the previous version' : `version ${version}`} was restored`;
}

/** Describes the part of an import that was stored; empty for other failures. */
function describePart({imported, batches}: Partial<ImportedPart>): string {
  if (imported === undefined || batches === undefined) return '';
  if (batches === 0) return '; nothing was stored';
  const entries = imported === 1 ? '1 entry before it was' : `${imported} entries before it were`;
  return `; ${entries} stored, in ${batches} ${batches === 1 ? 'batch' : 'batches'}`;
}

function describeConflict({key, expected, actual}: {key: string; expected: string; actual: string}): string {
  return `Cannot change ${quote(key)}: expected ${describeState(expected)}, found ${describeState(actual)}`;
}

function describeState(state: string): string {
  if (state === 'absent') return 'no entry';
  if (state === 'present') return 'an entry';
  if (state === '0') return 'a revision that no entry has';
  // A revision of another store includes its id: see `Conflict`.
  return `revision ${state.replaceAll(/[0-9a-z]{1,32}-([0-9]+)/g, '$1 of another store')}`;
}

/** Quotes the message of a back end. */
function quoteMessage(message: string | undefined): string {
  return message === undefined ? '' : `, and it says ${quote(message)}`;
}
