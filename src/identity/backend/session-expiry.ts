import type {BackEndPilot} from './pilot.ts';

/**
 * Returns when a session ends, in seconds since the Unix epoch: the `expiry` of the pilot, or else the `exp` of a session
 * that is a JWT (RFC 7519 section 4.1.4). Undefined if neither is there.
 */
export function readExpirySeconds({session, expiry}: Pick<BackEndPilot, 'session' | 'expiry'>): number | undefined {
  return expiry ?? readJwtExpiry(session);
}

function readJwtExpiry(session: string): number | undefined {
  const [header, claims, signature, ...others] = session.split('.');
  if (header === undefined || claims === undefined || signature === undefined || others.length > 0) return undefined;
  const {exp} = readJwtPart(header) === undefined ? {} : (readJwtPart(claims) ?? {});
  return typeof exp === 'number' ? exp : undefined;
}

function readJwtPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? {...value} : undefined;
  } catch {
    return undefined;
  }
}
