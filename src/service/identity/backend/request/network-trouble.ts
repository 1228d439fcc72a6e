import {isIP} from 'node:net';
import type {BackEndStage} from '../../../../core/failures/members/sent.ts';
import {cleanText} from '../../clean-text.ts';

/** A failure of the network, of TLS or of the HTTP connection. */
interface Trouble {
  readonly stage: BackEndStage;
  readonly problem: string;
  /** Advice, if there is any. */
  readonly advice?: string;
}

/** The request, and how much of its answer arrived. */
interface Asked {
  readonly url: URL;
  /** The headers of the answer; undefined if it did not begin. */
  readonly headers: Headers | undefined;
}

/** Describes an error of `fetch()`, by the codes of Node, OpenSSL and undici. */
export function describeNetworkTrouble(error: unknown, {url, headers}: Asked): Trouble {
  const {host, hostname} = url;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const {code = '', name = '', message = ''} = cause as ConnectError & {readonly name?: string};
  const proxyProblem = findProxyProblem(cause as ConnectError, url);
  if (proxyProblem !== undefined) return {stage: 'connection', problem: proxyProblem, advice: adviseOnProxy(url)};
  const encoding = headers?.get('content-encoding');
  if (encoding && NOT_ENCODED.test(String(code)))
    return {stage: 'answer', problem: `${WRONG_ENCODING}${cleanText(encoding, [])}`, advice: ENCODING_ADVICE};
  // Parser errors of newer versions of undici have no code.
  const known = TROUBLES.find(
    ([codes, , , more]) => codes.test(String(code || name)) && !(more?.isSilence && headers !== undefined),
  );
  if (known !== undefined) {
    const [, stage, describe, more] = known;
    const advice = more?.advice?.(url);
    return {stage, problem: describe(hostname, host), ...(advice === undefined ? {} : {advice})};
  }
  if (message === 'bad port') return {stage: 'connection', problem: `web clients refuse the port of ${host}`};
  return {stage: 'connection', problem: cleanText(String(code) || message || 'the request failed', [])};
}

/** Codes of zlib and Brotli for bytes that are not compressed. */
const NOT_ENCODED = /^(?:Z_DATA_ERROR|ERR_(?:BROTLI_DECODER)?_?ERROR_FORMAT\w*)$/;

const WRONG_ENCODING = 'its answer is not encoded as its Content-Encoding claims: ';

const ENCODING_ADVICE =
  'The address is right: the web server of the airline has to compress the answer, or to leave the header out';

/** Advice for a port that does not speak TLS. */
export const NO_TLS_ADVICE =
  'Check the port in the address, or turn on https for the site; where it has no https, begin the address with http://';

/** Advice for a connection that ends without an answer: an https port does so for plain HTTP, and so does a crash. */
const SILENCE_ADVICE =
  'If that port is for https, begin the address with https://; otherwise the process of the server crashed: see the logs of PHP and the web server';

/** Errors by their codes, with what is known of them. */
type KnownTrouble = readonly [
  codes: RegExp,
  stage: BackEndStage,
  describe: (hostname: string, host: string) => string,
  more?: {
    readonly advice?: (url: URL) => string | undefined;
    /** Applies only if not even the headers of an answer arrived. */
    readonly isSilence?: true;
  },
];

const CUT_OFF = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|Z_BUF_ERROR|Z_DATA_ERROR)$/;

const TROUBLES: readonly KnownTrouble[] = [
  [/^ENOTFOUND$/, 'name', name => `the name ${name} is not known`],
  [/^EAI_/, 'name', name => `no name server answers for ${name}`],
  [/^ECONNREFUSED$/, 'connection', (_, host) => `no server listens at ${host}`],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$/, 'connection', name => `there is no network route to ${name}`],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'connection', (_, host) => `${host} does not answer`],
  [/^CERT_HAS_EXPIRED$/, 'tls', name => `the certificate of ${name} has expired`],
  [
    /^CERT_NOT_YET_VALID$/,
    'tls',
    name => `the certificate of ${name} is not valid yet; the clock of this machine may be wrong`,
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'tls', name => `the certificate is for another name than ${name}`],
  [/SELF_SIGNED_CERT/, 'tls', name => `the certificate of ${name} is self-signed`],
  [
    /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    'tls',
    name =>
      `the certificate of ${name} is not from a known authority; the server may not send an intermediate certificate`,
  ],
  [
    /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|EPROTO)$/,
    'tls',
    (_, host) => `${host} does not speak TLS`,
    {advice: () => NO_TLS_ADVICE},
  ],
  [
    /^(?:ERR_SSL_|ERR_TLS_|CERT_)/,
    'tls',
    name => `${name} and this machine have no version or cipher of TLS in common`,
  ],
  [/^HPE_|^HTTPParserError$|^UND_ERR_HEADERS_OVERFLOW$/, 'answer', (_, host) => `${host} does not speak HTTP`],
  [
    CUT_OFF,
    'answer',
    (_, host) => `${host} ended the connection without an answer`,
    {isSilence: true, advice: ({protocol}) => (protocol === 'http:' ? SILENCE_ADVICE : undefined)},
  ],
  [CUT_OFF, 'answer', () => 'the answer was cut off'],
];

/** Facts that Node and undici tell about a connection that failed. */
interface ConnectError {
  readonly code?: unknown;
  readonly message?: string;
  /** The address and the port that could not be connected to. */
  readonly address?: unknown;
  readonly port?: unknown;
  /** The name that could not be resolved. */
  readonly hostname?: unknown;
  readonly cause?: unknown;
}

/**
 * Returns the problem, if a request failed at the proxy that Node uses with `NODE_USE_ENV_PROXY`: its address or name is then not that of
 * the request.
 */
function findProxyProblem(error: ConnectError, url: URL): string | undefined {
  const proxy = `the proxy of ${url.protocol === 'http:' ? 'HTTP_PROXY' : 'HTTPS_PROXY or HTTP_PROXY'}`;
  const refusal = PROXY_REFUSAL.exec(`${error.message}\n${(error.cause as Error | undefined)?.message ?? ''}`);
  if (refusal !== null) return `${proxy} refuses the request with status ${refusal[1] ?? refusal[2]}`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (error.code === 'ECONNREFUSED' && isElsewhere(error, host, Number(url.port) || DEFAULT_PORTS[url.protocol]))
    return `no server listens at ${formatPlace(error)}, ${proxy}`;
  if (error.code === 'ENOTFOUND' && typeof error.hostname === 'string' && error.hostname !== host)
    return `the name ${error.hostname} is not known, ${proxy}`;
  return undefined;
}

/** Advice for a failure of the proxy. */
function adviseOnProxy({hostname}: URL): string {
  return `Correct the address of the proxy, ask those who run it, or add ${hostname} to NO_PROXY to call it directly`;
}

/** Answers of a proxy to `CONNECT` and to a plain request, in the words of undici. */
const PROXY_REFUSAL = /Proxy response \((\d{3})\) !== 200|Proxy Authentication Required \((\d{3})\)/;

const DEFAULT_PORTS: Readonly<Record<string, number>> = {'http:': 80, 'https:': 443};

/** Returns whether a connection was not one to a host. A name may have any address, so that its port alone tells. */
function isElsewhere({address, port}: ConnectError, host: string, expectedPort: number | undefined): boolean {
  if (typeof address !== 'string' || typeof port !== 'number') return false;
  return port !== expectedPort || (isIP(host) !== 0 && address !== host);
}

function formatPlace({address, port}: ConnectError): string {
  return isIP(String(address)) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
