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
    advice: 'Start the service with a profile (--profile FILE), or without --profile for the sample identity',
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

function quote(text: string): string {
  return JSON.stringify(text);
}
