import type {Pilot} from '../../identity/backend/pilot.ts';

/** When a session ends, in seconds since the Unix epoch: as the pilot has it, or as a session that is a JWT says itself. */
export function sessionEndSeconds({expiry, session}: Pilot): number | undefined {
  if (expiry !== undefined) return expiry;
  const [, claims = '', ...others] = session.split('.');
  if (others.length !== 1) return undefined;
  try {
    const {exp} = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {readonly exp?: unknown};
    return typeof exp === 'number' ? exp : undefined;
  } catch {
    return undefined;
  }
}
