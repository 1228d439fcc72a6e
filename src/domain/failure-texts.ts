import type {DocumentProblem, Failure, FailureCode} from './failure.ts';

interface FailureText<C extends FailureCode> {
  describe(failure: Extract<Failure, {code: C}>): string;
  readonly advice: string;
}

/** The words for every failure. `docs/errors.md` repeats the advice, and a test compares the two. */
export const FAILURE_TEXTS: {readonly [C in FailureCode]: FailureText<C>} = {
  'invalid-key': {
    describe: ({key, problem}) => `Cannot use the key ${quote(key)}: ${problem}`,
    advice: 'Use 1 to 512 bytes of UTF-8 without control characters, percent-encoded as one path segment',
  },
  'invalid-json': {
    describe: ({problem, position}) => `Cannot read the value as JSON: ${problem} at byte ${position}`,
    advice: 'Send one JSON text (RFC 8259) in UTF-8 without a byte order mark',
  },
  'invalid-transaction': {
    describe: ({problems}) =>
      `Cannot apply the transaction: ${problems.map(({path, problem}) => `${path} ${problem}`).join('; ')}`,
    advice: 'See POST /api/transactions in /openapi.json for what it holds; nothing of it was applied',
  },
  'value-too-deep': {
    describe: ({depthMax, position}) =>
      `Cannot store the value: at byte ${position} it nests deeper than ${depthMax} levels`,
    advice: 'Nest arrays and objects less deeply, or raise the limit with --value-depth-max',
  },
  'value-too-large': {
    describe: ({sizeBytesMax}) => `Cannot store the value: it is larger than ${sizeBytesMax} bytes`,
    advice: 'Split the value over several keys, or raise the limit with --value-bytes-max',
  },
  'transaction-too-large': {
    describe: ({sizeBytesMax}) =>
      `Cannot apply the transaction: with the values that it patches it is larger than ${sizeBytesMax} bytes`,
    advice: 'Split it into several transactions; nothing of it was applied',
  },
  'unsupported-body': {
    describe: ({problem}) => `Cannot take the body: ${problem}`,
    advice:
      'Send the JSON text itself, not compressed and not as multipart; application/json is the usual content type',
  },
  'invalid-parameter': {
    describe: ({parameter, problem}) => `Cannot use the parameter ${quote(parameter)}: ${problem}`,
    advice: 'See /openapi.json for the parameters of each operation',
  },
  'invalid-header': {
    describe: ({header, problem}) => `Cannot use the header ${quote(header)}: ${problem}`,
    advice: 'Send the header once, in the form of RFC 9110; an ETag goes back as it came, quotes included',
  },
  'malformed-request': {
    describe: ({problem}) => `Cannot read the request: ${problem}`,
    advice: 'Send a well-formed HTTP/1.1 request (RFC 9112)',
  },
  'no-entry': {
    describe: ({key}) => `Cannot find ${quote(key)}: no entry has this key`,
    advice: 'Keys are exact, down to case and accents; GET /api/keys lists them',
  },
  'no-identity': {
    describe: () => 'Cannot tell who the pilot is: nobody is signed in',
    advice:
      'Sign in ("crewroom sign-in", or POST /api/session), or start the service with --profile FILE, or without it for the sample',
  },
  'no-resource': {
    describe: ({path}) => `Cannot find ${quote(path)}: the service has no such resource`,
    advice: 'GET /api names what there is, and /docs describes it; a slash inside a key is written %2F',
  },
  'method-not-allowed': {
    describe: ({method, allowed}) =>
      `Cannot use the method ${quote(method)} here: the resource allows ${allowed.join(', ')}`,
    advice: 'Use one of the methods in the Allow header',
  },
  'revision-conflict': {
    describe: ({conflicts}) => conflicts.map(describeConflict).join('; '),
    advice: 'Read the entry again, apply the change to what it holds now, and write with its new ETag',
  },
  'foreign-host': {
    describe: ({host}) => `Cannot serve the host ${quote(host)}: it is not one of the names of this service`,
    advice:
      'Call http://127.0.0.1, http://localhost or http://[::1] with the port of the service, or start it with --allow-host NAME',
  },
  'foreign-origin': {
    describe: ({origin}) => `Cannot serve pages of ${quote(origin)}: the origin is not allowed`,
    advice: 'If the page is yours, start the service with --allow-origin and exactly this origin',
  },
  'cross-site': {
    describe: ({site}) => `Cannot serve a ${site} request of a web page: it does not come from an allowed origin`,
    advice: 'Call with fetch() in its usual mode from an origin that the service was started with (--allow-origin)',
  },
  'headers-too-large': {
    describe: () => 'Cannot read the request: its headers are larger than 16 KiB',
    advice: 'Send fewer or shorter headers',
  },
  'request-timeout': {
    describe: () => 'Cannot wait longer for the request: it did not arrive in time',
    advice: 'Send headers within 5 seconds and the whole request within 15',
  },
  'too-many-connections': {
    describe: ({connectionsMax}) => `Cannot take another connection: ${connectionsMax} are busy`,
    advice: 'Reuse connections (keep-alive), or raise the limit with --connections-max',
  },
  'too-many-subscribers': {
    describe: ({subscribersMax}) => `Cannot take another subscriber: there are ${subscribersMax} already`,
    advice: 'Share one subscription within a program, and end those that nobody reads',
  },
  'subscriber-too-slow': {
    describe: ({cursor}) => `Cannot keep more events for the subscriber: it reads too slowly since revision ${cursor}`,
    advice: 'Subscribe again with this cursor as since; nothing is lost',
  },
  'invalid-sign-in': {
    describe: ({problems}) => `Cannot sign in: ${problems.map(describeProblem).join('; ')}`,
    advice: 'Send {"username": "…", "password": "…"}, and "scriptURL" where no airline is configured',
  },
  'sign-in-unavailable': {
    describe: ({problem}) => `Cannot sign in or out: ${problem}`,
    advice: 'Start the service with --airline FILE, or without a source of identities of its own',
  },
  'sign-in-busy': {
    describe: () => 'Cannot sign in: another sign-in is under way',
    advice: 'Wait for its answer, at most half a minute, then try again',
  },
  'wrong-credentials': {
    describe: ({url, message, hint}) =>
      `Cannot sign in at ${url}: the user name or the password is wrong${quoteMessage(message)}${hint === undefined ? '' : `; ${hint}`}`,
    advice:
      'Check both; pilots sign in with their number or their e-mail address, with the password of the airline’s site',
  },
  'pilot-not-confirmed': {
    describe: ({url, message}) => `Cannot sign in at ${url}: the pilot is not confirmed yet${quoteMessage(message)}`,
    advice: 'Wait until the airline has accepted the pilot, or ask its staff; the password was not wrong',
  },
  'account-broken': {
    describe: ({url, status}) => `Cannot sign in at ${url}: it fails without a word (status ${status}, an empty body)`,
    advice: 'The account may be retired or lack a rank or an airline: ask the staff of the airline to look at it',
  },
  'session-unknown': {
    describe: ({url, message}) =>
      `Cannot go on with the session at ${url}: it is unknown there${quoteMessage(message)}`,
    advice: 'Sign in again with "crewroom sign-in"',
  },
  'handler-unreachable': {
    describe: ({url, stage, problem}) => `Cannot reach the handler at ${url}: ${problem} (${stage})`,
    advice: 'Check the address and the network; "crewroom doctor --script-url URL" shows how far it gets',
  },
  'handler-timeout': {
    describe: ({url, timeoutMs}) =>
      `Cannot wait longer for the handler at ${url}: no whole answer within ${timeoutMs} ms`,
    advice: 'Try again later; if other sites are fast, ask the airline about its server',
  },
  'handler-redirect': {
    describe: ({url, target, problem, scriptURL}) =>
      `Cannot use the handler at ${url}: ${problem}, ${target}, and neither password nor session is sent on` +
      (scriptURL === undefined ? '' : `; configure ${quote(scriptURL)}`),
    advice: 'Configure the address at the end of the redirects as scriptURL of the airline, with a slash at its end',
  },
  'not-a-handler': {
    describe: ({url, status, problem, firstLine}) =>
      `Cannot use ${url} as a handler: ${problem} (status ${status})` +
      (firstLine === undefined ? '' : `, and it begins with ${quote(firstLine)}`),
    advice: 'Check that scriptURL names the directory of the handler, not the site of the airline',
  },
  'handler-failed': {
    describe: ({url, status, message}) =>
      `Cannot get an answer of the handler at ${url}: it failed with status ${status}${quoteMessage(message)}`,
    advice: 'Try again later; if it stays, tell the airline what the handler says',
  },
  'invalid-pilot': {
    describe: ({url, problems}) => `Cannot use the pilot of ${url}: ${problems.map(describeProblem).join('; ')}`,
    advice: 'The airline has to mend its handler: "crewroom doctor --script-url URL" shows what is missing',
  },
  'entry-corrupt': {
    describe: ({key}) => `Cannot read ${quote(key)}: its record does not match its checksum`,
    advice: 'Write or delete the key to go on; run "crewroom doctor --deep" to check all others, and check the disk',
  },
  'store-read-only': {
    describe: ({problem}) => `Cannot write: the disk failed and the store is read-only since (${problem})`,
    advice: 'Check the disk, then start the service again; what was acknowledged before can still be read',
  },
  'disk-full': {
    describe: () => 'Cannot write: the disk is full, and what was stored stays as it was',
    advice: 'Make room on the disk of the data directory; writes then work again without a restart',
  },
  'store-busy': {
    describe: ({waitingMax}) => `Cannot queue another write: ${waitingMax} are waiting for the disk`,
    advice: 'Wait for answers before sending more writes; nothing was stored',
  },
  'store-closed': {
    describe: () => 'Cannot use the store: it is closed',
    advice: 'The service is stopping; start it again',
  },
  internal: {
    describe: ({requestId}) => `Cannot answer: an internal error happened (request ${quote(requestId)})`,
    advice: 'Look for the request id in the log of the service, and please report what it says',
  },
  'invalid-usage': {
    describe: ({command, problem}) => `Cannot run "${command}": ${problem}`,
    advice: 'Add --help to the command to see how it is used',
  },
  'invalid-configuration': {
    describe: ({problems}) =>
      `Cannot use the configuration: ${problems.map(({source, problem}) => `${source} ${problem}`).join('; ')}`,
    advice: '"crewroom config" shows every setting, its value and where it came from',
  },
  'invalid-profile': {
    describe: ({file, problems}) =>
      `Cannot use the profile ${quote(file)}: ${problems.map(describeProblem).join('; ')}`,
    advice: 'Correct the file; its content is an identity document, such as the one "crewroom identity" prints',
  },
  'invalid-airline': {
    describe: ({file, problems}) =>
      `Cannot use the airline ${quote(file)}: ${problems.map(describeProblem).join('; ')}`,
    advice: 'Correct the file; its content is what stands under "airline" in an identity document',
  },
  'keychain-unavailable': {
    describe: ({problem}) => `Cannot read the session from the keychain of the system: ${problem}`,
    advice: 'Unlock the keychain: the session is then taken up by itself; or sign in again',
  },
  'unsafe-host': {
    describe: ({host}) => `Cannot listen on ${quote(host)}: it is not a loopback address, so other machines could call`,
    advice: 'Use --host localhost, 127.0.0.1 or ::1; local plugins send no credential, so nothing else is safe',
  },
  'address-in-use': {
    describe: ({address, holder}) =>
      `Cannot listen on ${address}: ${holder === undefined ? 'another program uses the port' : `${holder} uses the port`}`,
    advice: 'Stop that program, or choose another port with --port; plugins expect 7172',
  },
  'address-unusable': {
    describe: ({address, problem}) => `Cannot listen on ${address}: ${problem}`,
    advice: 'Choose another address with --host or --port',
  },
  'data-directory-in-use': {
    describe: ({directory, processId}) => `Cannot open ${quote(directory)}: process ${processId} uses it`,
    advice: 'Stop that process, or give each service a directory of its own with --data-dir',
  },
  'data-directory-unusable': {
    describe: ({directory, problem}) => `Cannot use ${quote(directory)}: ${problem}`,
    advice:
      'Choose a directory of your own that you may write to with --data-dir, or run without a disk with --ephemeral',
  },
  'data-format-unsupported': {
    describe: ({directory, found, supported}) =>
      `Cannot open ${quote(directory)}: it has the data format ${found}, and this version reads up to ${supported}`,
    advice: 'Install the newer Crewroom that wrote it, or use another directory with --data-dir; nothing was changed',
  },
  'store-damaged': {
    describe: ({directory, problem}) => `Cannot open ${quote(directory)}: the store in it is damaged (${problem})`,
    advice: 'Keep a copy of the directory, then restore it from a backup or start with another one (--data-dir)',
  },
  'unreadable-input': {
    describe: ({source, problem}) => `Cannot read ${source}: ${problem}`,
    advice: 'Give the value itself, "-" to read it from standard input, or "@FILE" to read it from a file',
  },
  'unwritable-output': {
    describe: ({problem}) => `Cannot write to standard output: ${problem}`,
    advice: 'Check where the output goes: the disk may be full',
  },
  'service-unreachable': {
    describe: ({url, problem}) => `Cannot reach the service at ${url}: ${problem}`,
    advice: 'Start it with "crewroom start", or name its port with --port',
  },
  'service-timeout': {
    describe: ({url, timeoutMs}) => `Cannot wait longer for ${url}: no answer within ${timeoutMs} ms`,
    advice: 'Run "crewroom doctor" to see whether the service is well',
  },
  'unexpected-answer': {
    describe: ({url, status, problem}) => `Cannot understand the answer ${status} of ${url}: ${problem}`,
    advice: 'Another program may be listening on the port; "crewroom doctor" names it',
  },
};

/** A place in a document and what is wrong with it; the document as a whole needs no path. */
export function describeProblem({path, problem}: DocumentProblem): string {
  return path === '$' ? `it ${problem}` : `${path} ${problem}`;
}

function describeConflict({key, expected, actual}: {key: string; expected: string; actual: string}): string {
  return `Cannot change ${quote(key)}: expected ${describeState(expected)}, found ${describeState(actual)}`;
}

function describeState(state: string): string {
  if (state === 'absent') return 'no entry';
  if (state === 'present') return 'an entry';
  return state === '0' ? 'a revision that no entry ever has' : `revision ${state}`;
}

/** What a handler says, in its words. */
function quoteMessage(message: string | undefined): string {
  return message === undefined ? '' : `, and it says ${quote(message)}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
