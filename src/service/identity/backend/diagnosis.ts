import {cleanText} from '../clean-text.ts';
import {decodeWithoutSecrets, firstLineOf, readRetryAfterSeconds} from './answer-text.ts';
import {messageIn} from './request/answer-body.ts';
import type {BackEndResponse} from './request/back-end-request.ts';

/** Cause of a wrong answer, described for pilots and for operators of the back end. */
export interface Diagnosis {
  /** `content` if another server answers, `failure` if the back end itself fails. */
  readonly stage: 'content' | 'failure';
  readonly problem: string;
  /** Advice on how to fix the cause. */
  readonly advice: string;
}

/** Maximum length of a page that is searched, in bytes: the pages of web servers are short. */
const HEAD_LENGTH = 8 * 1024;

/**
 * Recognises common faults of the sites of airlines. Signing in, the session and `crewroom doctor` all use this function, and
 * so give the same advice. For redirects see `findRedirect()`.
 */
export function diagnose(answer: BackEndResponse): Diagnosis | undefined {
  const front = diagnoseFront(answer);
  if (front !== undefined) return front;
  const own = findOwnTrouble(answer);
  return own && {stage: 'failure', ...own};
}

/** Recognises the answer of a web server, a proxy or a firewall in front of the back end. */
export function diagnoseFront(answer: BackEndResponse): Diagnosis | undefined {
  const found = findFront(answer);
  return found && {stage: 'content', ...found};
}

type Found = Omit<Diagnosis, 'stage'>;

function findFront(answer: BackEndResponse): Found | undefined {
  const {status, headers} = answer;
  if (headers.get('cf-mitigated') === 'challenge') return CHALLENGE;
  // RFC 9110 section 11.6.1. The common back ends send no scheme, or Bearer.
  if (status === 401 && /^\s*(?:basic|digest)\b/i.test(headers.get('www-authenticate') ?? '')) return PASSWORD;
  if (status === 400 && HTTPS_PORT_PAGE.test(headOf(answer))) return HTTPS_PORT;
  if (status === 419 || (status >= 400 && status <= 499 && FORGERY.test(saidBy(answer)))) return FORM_TOKEN;
  if (![403, 406, 501].includes(status) || !isPage(answer)) return undefined;
  const firewall = FIREWALLS.find(({mark}) => mark.test(`${headers.get('server')}\n${headOf(answer)}`));
  return describeFirewall(firewall?.name);
}

const CHALLENGE: Found = {
  problem: 'Cloudflare in front of it asks for a browser (a challenge page)',
  advice:
    'The address may be right: the airline has to let programs pass, in Cloudflare with a rule that skips challenges for the path of its back end',
};

const PASSWORD: Found = {
  problem: 'the web server in front of it asks for a password of its own',
  advice:
    'The airline has to take the password of the web server off the directory of its back end: programs do not have it',
};

/** Laravel answers 419, Django 403 and Rails 422 to a POST without the token of a form. */
const FORM_TOKEN: Found = {
  problem: 'it asks for a token against forged requests (CSRF), which programs do not have',
  advice:
    'The address is right: the airline has to exempt the path of its back end from the protection against forged requests (CSRF)',
};

const FORGERY = /\bcsrf\b|request forgery/i;

const HTTPS_PORT: Found = {
  problem: 'its port is for https, and the address begins with http://',
  advice: 'Begin the address with https://, or name the port for http',
};

/** Messages of nginx, Apache and Go for plain HTTP on a port for https. */
const HTTPS_PORT_PAGE =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port|sent an HTTP request to an HTTPS server/i;

/** Firewalls, recognised by their pages or by the header `Server`. */
const FIREWALLS = [
  {name: 'ModSecurity', mark: /mod_?security/i},
  {name: 'Cloudflare', mark: /\| cloudflare|cloudflare ray id/i},
  {name: 'Imunify360', mark: /imunify360/i},
  {name: 'Wordfence', mark: /wordfence/i},
  {name: 'Sucuri', mark: /sucuri/i},
] as const;

function describeFirewall(name: string | undefined): Found {
  return {
    problem:
      name === undefined
        ? 'a firewall or a rule of the web server in front of it refuses the request'
        : `a firewall in front of it (${name}) refuses the request`,
    advice:
      'The address may be right: the airline, or the support of its host, has to let requests of programs (POST with JSON, too) pass to the path of its back end',
  };
}

function findOwnTrouble(answer: BackEndResponse): Found | undefined {
  const {status, path, body, headers} = answer;
  if (status === 429) return describeThrottle(readRetryAfterSeconds(headers));
  if (status === 503 && isMaintenance(answer)) return MAINTENANCE;
  if (isDatabaseDown(answer)) return DATABASE;
  if ('json' in body) return undefined;
  const php = describePhp(answer);
  if (php !== undefined) return php;
  if (body.kind === 'mixed') return describeMixed(answer);
  if (body.kind === 'binary' && isLatin1(answer)) return LATIN_1;
  // Only for the probe: an empty answer to a sign-in means that the account is broken.
  return path === '' && status === 500 && body.kind === 'empty' ? UNKNOWN_NAME : undefined;
}

/** Returns whether the message of an answer is that of a database: it has words such as "user" and "password", and is not about the pilot. */
export function isDatabaseDown({body}: BackEndResponse): boolean {
  return DATABASE_MESSAGE.test(messageIn(body) ?? '');
}

/** Messages of PDO, of MySQL and of PostgreSQL, and what people write in their place. */
const DATABASE_MESSAGE =
  /SQLSTATE|PDOException|\bmysqli?_|Access denied for user '|server has gone away|Too many connections|\bconnect\w* .{0,40}\bdatabase\b|\bdatabase\b.{0,20} (?:connection|error|is down|unavailable)/i;

const DATABASE: Found = {
  problem: 'its database does not work',
  advice: 'Try again later; the airline has to look after the database of its back end',
};

function isLatin1({bytes}: BackEndResponse): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('latin1'));
    return true;
  } catch {
    return false;
  }
}

const LATIN_1: Found = {
  problem: 'its JSON is not in UTF-8, but probably in Latin-1',
  advice:
    'The address is right: the airline has to encode its answers as UTF-8, in PHP also what comes from the database (SET NAMES utf8mb4)',
};

function describePhp({bytes, path, secrets}: BackEndResponse): Found | undefined {
  const found = findPhpMessage(decodeWithoutSecrets(bytes, secrets));
  if (found === undefined) return undefined;
  const {kind, message, file, line} = found;
  const clean = (text: string): string => cleanText(text, secrets);
  return {
    problem: `PHP prints a message into the answer: ${JSON.stringify(clean(`${kind}: ${message}`))} in ${clean(file)} on line ${line}`,
    advice: kind.endsWith('atal error') && path !== '' ? `${PHP_ADVICE}; ${FATAL_ADVICE}` : PHP_ADVICE,
  };
}

/** phpVMS 5 turns `display_errors` on at run time, after its back end turned it off; `php.ini` has no effect. */
const PHP_ADVICE =
  'The address is right, but PHP fails there: the airline has to fix that line, and to turn display_errors off where it is turned on: in phpVMS 5 in core/codon.config.php, otherwise in the configuration of the back end; php.ini has no effect';

/** The common back ends fail for retired pilots. */
const FATAL_ADVICE = 'if only some pilots fail, their accounts are retired or lack a rank';

function describeMixed({bytes, secrets}: BackEndResponse): Found {
  const first = cleanText(firstLineOf(decodeWithoutSecrets(bytes, secrets)), []);
  return {
    problem: `there is other text before its JSON: ${JSON.stringify(first)}`,
    advice:
      'The address is right: the airline has to keep the PHP files of its back end from printing anything else, such as text before "<?php" or a line for debugging',
  };
}

/** Describes a rate limit of a framework or firewall (RFC 6585 section 4). */
function describeThrottle(seconds: number | undefined): Found {
  const when =
    seconds === undefined ? '' : `, and can be called again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return {
    problem: `it accepts no more requests for now${when}`,
    advice:
      'Wait, then try again; if it happens often, the airline has to allow programs more requests to the path of its back end',
  };
}

const MAINTENANCE: Found = {
  problem: 'it is closed for maintenance, or overloaded',
  advice: 'Try again later; the airline ends its maintenance mode (phpVMS 7: php artisan up)',
};

/** Returns whether an answer with status 503 means maintenance: any page, or the JSON of a framework. */
function isMaintenance(answer: BackEndResponse): boolean {
  const {body} = answer;
  if (!('json' in body)) return describePhp(answer) === undefined;
  return /^service unavailable$|maintenance/i.test(messageIn(body) ?? '');
}

const UNKNOWN_NAME: Found = {
  problem: 'its answer is empty',
  advice:
    'Check the spelling of the address, upper and lower case too: sites answer an unknown name like this; if the address is right, see the error log of PHP on the server',
};

/** Returns whether a body may come from a web server: it contains no JSON. */
function isPage({body}: BackEndResponse): boolean {
  return body.kind === 'html' || body.kind === 'text' || body.kind === 'empty';
}

/** Returns the message of an answer, or the beginning of its page. */
function saidBy(answer: BackEndResponse): string {
  return messageIn(answer.body) ?? (isPage(answer) ? headOf(answer) : '');
}

function headOf({bytes}: BackEndResponse): string {
  return new TextDecoder().decode(bytes.subarray(0, HEAD_LENGTH));
}

/** Maximum length of a text that is searched, in UTF-16 units: PHP prints its first message before anything else. */
const PHP_HEAD_LENGTH = 16 * 1024;

/** Beginning of a message: HTML around its severity or, with `html_errors` off, the beginning of a line. */
const PHP_BEGINNING = /(?:<b>|^)((?:Recoverable )?[Ff]atal error|Parse error|Warning|Deprecated|Notice)(?:<\/b>)?: /m;

/** End of a message. */
const PHP_END = / on line (?:<b>)?([0-9]{1,9})\b/;

/** Returns the first message of PHP at the beginning of a text, in linear time, with its severity, and file and line on the server. */
export function findPhpMessage(text: string) {
  const head = text.slice(0, PHP_HEAD_LENGTH);
  const begin = PHP_BEGINNING.exec(head);
  if (begin === null) return undefined;
  const rest = head.slice(begin.index + begin[0].length);
  const end = PHP_END.exec(rest);
  if (end === null) return undefined;
  const said = rest.slice(0, end.index);
  const place = said.lastIndexOf(' in ');
  if (place === -1) return undefined;
  const [first = ''] = said.slice(0, place).trim().split('\n');
  return {
    kind: begin[1] ?? '',
    message: unescapeHtml(withoutPlace(first.trim())),
    file: unescapeHtml(
      said
        .slice(place + ' in '.length)
        .replace(/<\/?b>/g, '')
        .trim(),
    ),
    line: end[1] ?? '',
  };
}

/** Removes the file and the line from the message of an uncaught exception, which repeats them. */
function withoutPlace(message: string): string {
  const place = message.startsWith('Uncaught ') ? message.lastIndexOf(' in ') : -1;
  return place === -1 ? message : message.slice(0, place);
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
