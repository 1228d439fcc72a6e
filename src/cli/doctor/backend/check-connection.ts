import {lookup} from 'node:dns/promises';
import {isIP} from 'node:net';
import {connect, type PeerCertificate, type TLSSocket} from 'node:tls';
import {codeOf, messageOf} from '../../../core/failures/app-error.ts';
import {NO_TLS_ADVICE} from '../../../service/identity/backend/request/network-trouble.ts';
import {type Finding, NamedCheck} from '../finding.ts';
import type {WalkDeps} from './call-findings.ts';

/** Timeout for the TLS handshake, in milliseconds. */
const TLS_TIMEOUT_MS = 10_000;

/** Remaining validity below which a certificate is reported, in days: automatic renewal happens earlier. */
const CERTIFICATE_DAYS_MIN = 14;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Checks that the name resolves and, for https, that clients accept the certificate. */
export async function checkConnection(
  scriptURL: string,
  {nowMs}: Pick<WalkDeps, 'nowMs'>,
): Promise<{readonly findings: readonly Finding[]; readonly isReached: boolean}> {
  const {protocol, hostname, port} = new URL(scriptURL);
  const host = hostname.replace(/^\[|\]$/g, '');
  const findings = isIP(host) === 0 ? [await checkName(host)] : [];
  if (findings.every(({level}) => level === 'ok') && protocol === 'https:')
    findings.push(await checkCertificate(host, port === '' ? 443 : Number(port), nowMs()));
  return {findings, isReached: findings.every(({level}) => level !== 'problem')};
}

const CERTIFICATE = new NamedCheck('Certificate');

async function checkName(host: string): Promise<Finding> {
  const check = new NamedCheck('Name');
  try {
    const addresses = await lookup(host, {all: true});
    return check.ok(`${host} resolves to ${addresses.map(({address}) => address).join(' and ')}`);
  } catch (error) {
    const isUnknown = codeOf(error) === 'ENOTFOUND';
    return check.problem(
      isUnknown ? `the name ${host} is not known` : `no name server answers for ${host}`,
      isUnknown
        ? 'Check how the name is written, that the domain is paid for, and that it has an A or AAAA record'
        : 'Check the network of this machine, and the name servers of the domain',
    );
  }
}

async function checkCertificate(host: string, port: number, nowMs: number): Promise<Finding> {
  try {
    const seen = await lookAtCertificate(host, port);
    return seen.refusal === undefined ? judgeEnd(seen, nowMs) : describeRefusal(seen.refusal, seen, host);
  } catch (error) {
    return describeTlsTrouble(error, `${host}:${port}`);
  }
}

interface SeenCertificate {
  readonly validTo: string;
  readonly names: string;
  readonly issuer: string;
  /** Code of the reason why clients refuse it; undefined if they accept it. */
  readonly refusal: string | undefined;
}

/** Performs a TLS handshake and accepts any certificate. Sends no data. */
function lookAtCertificate(host: string, port: number): Promise<SeenCertificate> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? {servername: host} : {};
    const socket = connect({host, port, ...servername, rejectUnauthorized: false, timeout: TLS_TIMEOUT_MS});
    socket.once('secureConnect', () => {
      resolve(describePeer(socket));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), {code: 'ETIMEDOUT'})));
    socket.once('error', reject);
  });
}

function describePeer(socket: TLSSocket): SeenCertificate {
  const peer: Partial<PeerCertificate> = socket.getPeerCertificate();
  // The type says Error, but the value is the code as a string.
  const error: unknown = socket.authorizationError;
  const refusal = error instanceof Error ? (codeOf(error) ?? error.message) : error;
  return {
    validTo: peer.valid_to ?? '',
    names: peer.subjectaltname?.replaceAll('DNS:', '') ?? String(peer.subject?.CN ?? 'no name'),
    issuer: String(peer.issuer?.O ?? peer.issuer?.CN ?? 'an unknown issuer'),
    refusal: typeof refusal === 'string' && refusal !== '' ? refusal : undefined,
  };
}

function judgeEnd({validTo, issuer}: SeenCertificate, nowMs: number): Finding {
  const daysLeft = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
  const detail = `from ${issuer}, valid until ${dateOf(validTo)}`;
  if (daysLeft >= CERTIFICATE_DAYS_MIN) return CERTIFICATE.ok(detail);
  const left = `${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`;
  return CERTIFICATE.warning(`${detail}, in ${left}`, 'Renew it: pilots cannot sign in once it has expired');
}

function describeRefusal(code: string, {validTo, names}: SeenCertificate, host: string): Finding {
  if (code === 'CERT_HAS_EXPIRED')
    return CERTIFICATE.problem(
      `it expired on ${dateOf(validTo)}`,
      'Renew the certificate and load it into the web server',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return CERTIFICATE.problem(
      `it is for ${names}, not for ${host}`,
      `Get a certificate that names ${host} too, or configure the address with a name that it has`,
    );
  if (/SELF_SIGNED_CERT$/.test(code) && code.startsWith('DEPTH_ZERO'))
    return CERTIFICATE.problem(
      'it is self-signed, so clients cannot tell whose it is',
      'Get one from an authority that clients know; Let’s Encrypt gives them at no cost',
    );
  if (code.startsWith('UNABLE_TO_'))
    return CERTIFICATE.problem(
      'it is not from an authority that clients know',
      'Let the web server send the intermediate certificates, too ("fullchain.pem"): browsers find them elsewhere, programs do not',
    );
  return CERTIFICATE.problem(`clients refuse it (${code})`, 'Get a certificate that browsers accept');
}

function describeTlsTrouble(error: unknown, place: string): Finding {
  const code = String(codeOf(error) ?? '');
  if (code === 'ECONNREFUSED')
    return CERTIFICATE.problem(
      `no server listens at ${place}`,
      'Check the port, and that the web server runs and serves https',
    );
  if (code === 'ETIMEDOUT')
    return CERTIFICATE.problem(
      `${place} does not answer`,
      'Check the address, and whether a firewall keeps visitors out',
    );
  if (code === 'ECONNRESET' || code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return CERTIFICATE.problem(`${place} does not speak TLS`, NO_TLS_ADVICE);
  const problem = `${place} cannot be reached: ${code || messageOf(error)}`;
  return CERTIFICATE.problem(problem, 'Check the address, and the network');
}

function dateOf(text: string): string {
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? text : new Date(timeMs).toISOString().slice(0, 10);
}
