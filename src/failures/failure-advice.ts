import type {Failure, FailureCode} from './failure.ts';
import {CLEAR_ADVICE, faultOf} from './fault-mark.ts';

/** Returns one line of advice for a failure: how to end the fault that caused it, its own hint, the advice that was received with it, or the advice for its code. */
export function adviseOn(failure: Failure): string {
  if (faultOf(failure) !== undefined) return CLEAR_ADVICE;
  if ('hint' in failure && failure.hint !== undefined) return failure.hint;
  if (failure.code === 'no-resource' && failure.meant !== undefined)
    return `Use ${failure.meant}: a slash inside a key is written %2F`;
  if (failure.code === 'foreign-origin' && isAllowable(failure.origin))
    return `If the page is yours, start the service with --allow-origin ${failure.origin}`;
  if (failure.code === 'token-required' && failure.plugin !== undefined)
    return `Open the page of "${failure.plugin}" in the console that "crewroom console" opens: there it proves itself`;
  if (failure.code === 'permission-required' && isPlain(failure.permission)) {
    const [, plugin] = /^plugin:(.+)$/.exec(failure.principal) ?? [];
    if (plugin !== undefined)
      return `The owner of the service gives it to the plugin: "crewroom access grant ${plugin} ${failure.permission}"`;
  }
  if (failure.code === 'unknown-failure' && failure.advice !== undefined) return failure.advice;
  return adviseOnFailure(failure.code);
}

/** Returns whether every shell reads a text as it is. */
function isPlain(text: string): boolean {
  return /^[A-Za-z0-9._:/-]+$/.test(text);
}

/** Returns whether `--allow-origin` accepts an origin; it does not accept `null`, addresses, and origins that were shortened. */
export function isAllowable(origin: string): boolean {
  return origin.length < SHORTENED_LENGTH && URL.canParse(origin) && new URL(origin).origin === origin;
}

/** Length to which the guard shortens origins, in UTF-16 units. */
const SHORTENED_LENGTH = 100;

/** Returns one line of advice for failures of this code. */
export function adviseOnFailure(code: FailureCode): string {
  return FAILURE_ADVICE[Object.hasOwn(FAILURE_ADVICE, code) ? code : 'unknown-failure'];
}

/**
 * The advice for every failure. `docs/errors.md` repeats it, and a test compares the two. In a file of its own so that
 * browser bundles leave it out; the service sends the advice.
 */
const FAILURE_ADVICE: {readonly [C in FailureCode]: string} = {
  'invalid-key': 'Use 1 to 512 bytes of UTF-8 without control characters, percent-encoded as one path segment',
  'invalid-json': 'Send one JSON text (RFC 8259) in UTF-8 without a byte order mark',
  'invalid-transaction': 'See POST /api/transactions in /openapi.json for its form; nothing was applied',
  'invalid-import': 'Correct the line, or export again; importing an entry twice is safe',
  'value-too-deep': 'Nest arrays and objects less deeply, or raise the limit with --value-depth-max',
  'value-too-large': 'Split the value over several keys, or raise the limit with --value-bytes-max',
  'transaction-too-large': 'Split it into several transactions; nothing was applied',
  'patch-too-large': 'Store the whole value with PUT, or change it with several patches; nothing was applied',
  'unsupported-body':
    'Send the JSON text itself, not compressed and not as multipart; application/json is the usual content type',
  'invalid-parameter': 'See /openapi.json for the parameters of each operation',
  'invalid-header':
    'Send the header once, in the form of RFC 9110; send an ETag exactly as it was received, with its quotes',
  'malformed-request':
    'Send a well-formed HTTP/1.1 request (RFC 9112), and JSON as the body if its Content-Type says so',
  'no-entry': 'Keys are exact, down to case and accents; GET /api/keys lists them',
  'no-identity':
    'Sign in ("crewroom sign-in", or POST /api/session), start the service with --profile FILE, or start it without --profile to serve the sample identity',
  'no-resource': 'GET /api lists all resources, and /docs describes them; a slash inside a key is written %2F',
  'method-not-allowed': 'Use one of the methods in the Allow header',
  'revision-conflict': 'Read the entry again, apply the change to its current value, and write with its new ETag',
  'foreign-host':
    'Call http://127.0.0.1, http://localhost or http://[::1] with the port of the service (a proxy: changeOrigin), or start it with --allow-host NAME',
  'foreign-origin': 'If the page is yours, start the service with --allow-origin and exactly this origin',
  'cross-site': 'Call with fetch() in its default mode (cors), from an origin that the service allows (--allow-origin)',
  'not-a-page':
    'Open /docs in the browser, where each operation can be tried out, or send the request with curl or the command "crewroom"',
  'unmarked-request':
    'Open http://localhost with the port of the service in the browser; a program that calls itself Mozilla sends X-Crewroom-Client: 1 or a token',
  'other-user':
    'Call as the user who runs the service, and read the answer before you close the connection; or start the service with --allow-user NAME',
  'headers-too-large': 'Send fewer or shorter headers',
  'request-timeout': 'Send headers within 5 seconds and the whole request within 15',
  'too-many-connections': 'Reuse connections (keep-alive), or raise the limit with --connections-max',
  'too-many-bodies': 'Try again in a moment, and send or read fewer large values at once',
  'user-lookup-failed':
    'Try again in a moment; if it persists, let the service open more files (ulimit -n) or close connections',
  'too-many-subscribers': 'Share one subscription within a program, and close unused ones',
  'subscriber-too-slow': 'Subscribe again with this cursor as since; nothing is lost',
  'reader-too-slow': 'Start again and read without pausing; if processing is slow, export to a file first',
  'invalid-sign-in': 'Send {"username": "…", "password": "…"}, and "scriptURL" if no airline is configured',
  'sign-in-unavailable': 'Start the service with --airline FILE, or without --profile',
  'sign-in-busy': 'Wait until it has ended, at most half a minute, then try again',
  'invalid-pilot-choice':
    '"crewroom pilot list" and GET /api/pilots name all sample pilots; a request is {"name": "captain"}',
  'pilot-choice-unavailable':
    'Sign out with "crewroom sign-out", or start the service without --profile and --airline; "crewroom status" shows where the identity comes from',
  'invalid-faults':
    'See PUT /api/faults in /openapi.json for the form, and "crewroom fault --help" for the command line; nothing was changed',
  'own-callers-only':
    'Use a page of the service itself, or a program of this machine such as "crewroom" or curl; allowing the origin does not suffice',
  'owner-required':
    'Open the console with "crewroom console", or use a program of this machine such as "crewroom" or curl',
  'code-unavailable':
    'Start the service without --host: it then listens on both 127.0.0.1 and ::1, so that no other program can imitate it',
  'invalid-token':
    'Ask the owner of the service for another one ("crewroom token create"), or send no Authorization header to call as any local program',
  'permission-required':
    'The owner of the service creates a token with this permission: "crewroom token create --name NAME --permission PERMISSION"; for a plugin: "crewroom access grant ID PERMISSION"',
  'token-required':
    'The owner of the service creates a token: "crewroom token create --name NAME --permission PERMISSION"; send it as "Authorization: Bearer TOKEN"',
  'invalid-token-request':
    'Correct the named problems; "crewroom token --help" has examples, and docs/access.md all permissions',
  'no-token': '"crewroom token list" shows all tokens; names are exact',
  'invalid-grant-request':
    'Correct the named problems; "crewroom access --help" has examples, and docs/access.md all permissions',
  'no-grant': '"crewroom access list" shows the permissions of all plugins; ids and permissions are exact',
  'invalid-origin':
    'Send {"origin": "http://localhost:3000"}: one origin, as browsers send it; GET /api/allowed-origins lists those that were refused',
  'invalid-code': 'Run "crewroom console" again, and open the address that it prints within a minute',
  'no-plugin': '"crewroom plugin list" and GET /api/plugins name all plugins; ids are exact',
  'invalid-plugin': 'Correct the named problems; "crewroom plugin check DIR" checks the folder of a plugin',
  'invalid-plugin-settings':
    'See availableSettings in the plugin.json of the plugin for its settings; nothing was changed',
  'no-plugin-route': '"crewroom plugin list" shows the state and the routes of each plugin',
  'invalid-flight': 'Correct the named problems; "crewroom flight start" without options flies from EDDF to LPMA',
  'no-flight': 'Start one with "crewroom flight start" or POST /api/flight',
  'plugin-request-too-large': 'Send it to the plugin in parts',
  'plugin-busy': 'Wait for answers before sending more requests to this plugin',
  'plugin-failed': 'Look at "crewroom plugin logs ID"; the author of the plugin can fix it',
  'plugin-timeout': 'Look at "crewroom plugin logs ID"; the request may still have had an effect',
  'plugin-ended':
    'Try again in a moment: the plugin is being restarted; "crewroom plugin logs ID" shows its last lines',
  'dev-server-failed': 'Start the dev server of the page, or name its address with "crewroom dev --ui URL"',
  'wrong-credentials':
    'Check the user name and the password; pilots sign in with their number or e-mail address and the password of the airline’s site, or, if they signed up through Discord or VATSIM, with the API key on their profile page as the password',
  'pilot-not-confirmed': 'Wait until the airline has accepted the pilot, or ask its staff; the password was not wrong',
  'account-broken':
    'The account may be retired or lack a rank or an airline: ask the staff of the airline to look at it',
  'session-unknown': 'Sign in again with "crewroom sign-in"',
  'unprotected-back-end':
    'Configure the https:// address as scriptURL of the airline; if it has none and you trust the network, start the service with --allow-plain-http',
  'back-end-unreachable':
    'Check the address and the network; "crewroom doctor --script-url URL" shows which step fails',
  'back-end-timeout': 'Try again later; if other sites are fast, ask the airline about its server',
  'back-end-redirect':
    'Configure the address at the end of the redirects as scriptURL of the airline, with a slash at its end',
  'not-a-back-end': 'Check that scriptURL names the directory of the back end, not the site of the airline',
  'back-end-failed': 'Try again later; if it persists, send the message of the back end to the airline',
  'back-end-busy':
    'Wait as long as the back end asks, or some minutes, then try again; if it persists, the airline has to allow more requests',
  'invalid-pilot': 'The airline has to fix its back end: "crewroom doctor --script-url URL" shows what is missing',
  'entry-corrupt':
    'Write or delete the key to continue; run "crewroom doctor --deep" to check all others, and check the disk',
  'store-corrupt':
    'Read entries by their keys; run "crewroom doctor --deep" to see what is lost, restore a backup, and check the disk',
  'store-read-only': 'Check the disk, then restart the service; acknowledged entries can still be read',
  'disk-full': 'Free space on the disk of the data directory; writes then work again without a restart',
  'store-busy': 'Wait for answers before sending more writes',
  'store-closed': 'The service is stopping; start it again',
  'store-unavailable': 'Try again in a moment; if it persists, tell the operator of the store',
  'outcome-unknown':
    'Send it again as a transaction with the commit id as its "id", or read the entry to see whether it was stored; a write with If-Match or If-None-Match is stored at most once',
  internal: 'Find the request id in the log of the service, and please report the logged error',
  'invalid-usage': 'Add --help to the command to see how it is used',
  'invalid-configuration': '"crewroom config" shows every setting, its value and where it came from',
  'invalid-profile':
    'Correct the file; its content is an identity document, such as the one "crewroom identity" prints',
  'invalid-airline': 'Correct the file; its content is the member "airline" of an identity document',
  'keychain-unavailable': 'Unlock the keychain, and the session is resumed automatically; or sign in again',
  'unsafe-host': 'Use --host localhost, 127.0.0.1 or ::1; local plugins send no credential, so nothing else is safe',
  'address-in-use': 'Stop that program, or choose another port with --port; plugins expect 7172',
  'address-unusable': 'Choose another address with --host or --port',
  'data-directory-in-use': 'Stop that process, or give each service a directory of its own with --data-dir',
  'data-directory-unusable':
    'Choose a directory of your own that you may write to with --data-dir, or run without a disk with --ephemeral',
  'data-format-unsupported':
    'Open or export it with the version of Crewroom that wrote it, or use another directory with --data-dir; nothing was changed',
  'store-damaged': 'Keep a copy of the directory, then restore it from a backup or start with another one (--data-dir)',
  'invalid-token-file':
    'Correct the file, or delete it, start the service, and create the tokens again with "crewroom token create"',
  'invalid-rules-file':
    'Correct the file, or delete it, start the service, and give the permissions again with "crewroom access grant"',
  'unreadable-input': 'Give the value itself, "-" to read it from standard input, or "@FILE" to read it from a file',
  'unwritable-output': 'Check where the output goes: the disk may be full',
  'invalid-package': 'Ask its author for a package that is a ZIP of the folder of the plugin; nothing was unpacked',
  'plugin-not-started': 'Send the lines to the author of the plugin; "crewroom plugin check DIR" checks its folder',
  'service-manager-failed':
    'Run it in a session of the user who is logged in, not by su or sudo; "crewroom start" needs no service manager',
  'service-unreachable': 'Start it with "crewroom start", or name its port with --port',
  'foreign-service':
    'Run "crewroom doctor" to see which program that is; sign in as its user, or start a service of your own on another port',
  'no-owner-token':
    'Name the data directory of the service with --data-dir, and run the command as the user who started it',
  'service-timeout': 'Run "crewroom doctor" to check the service',
  'invalid-value': 'Correct the value, or the schema that reads it; the text of the entry has the stored value',
  'unexpected-answer':
    'Another program, or another version of Crewroom, may be listening on the port; "crewroom doctor" names it',
  'unknown-failure': 'See the log of the service for details; a newer Crewroom may know this failure',
};
