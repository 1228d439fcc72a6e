import {join} from 'node:path';
import {isFailure} from '../../core/failures/app-error.ts';
import type {Config} from '../../platform/config/config.ts';
import {openKeychain} from '../../service/identity/keychain/keychain.ts';
import {SESSION_FILE} from '../../service/identity/session/storage/session-file.ts';
import {type DoctorContext, type Finding, findingOf, NamedCheck} from './finding.ts';

const CHECK = new NamedCheck('Session');

/** An account without a secret: the check only needs an answer of the keychain. */
const ACCOUNT = 'doctor';

/** Reports where the session of a pilot would be kept. */
export async function checkSession(
  {keepSession, ephemeral, dataDir}: Partial<Pick<Config, 'keepSession' | 'ephemeral' | 'dataDir'>>,
  {environment, platform}: Pick<DoctorContext, 'environment' | 'platform'>,
): Promise<Finding> {
  if (keepSession === false || ephemeral) return CHECK.ok('kept in memory, lost when the service stops');
  try {
    await openKeychain({environment}).get(ACCOUNT);
    return CHECK.ok('kept in the keychain of the system');
  } catch (error) {
    if (!isFailure(error, 'unavailable')) return findingOf(CHECK.name, error);
    const place = dataDir === undefined || dataDir === '' ? SESSION_FILE : join(dataDir, SESSION_FILE);
    const why = `there is no keychain (${error.failure.problem})`;
    return CHECK.ok(`kept in ${place}, ${describeReaders(platform)}: ${why}`);
  }
}

/** Describes who can read a file in the data directory. Modes mean nothing on Windows: a file inherits who may read its directory. */
export function describeReaders(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'which anyone can read who may read that directory' : 'which only you can read';
}

/** Checks the airline, if one is configured. */
export async function checkAirline(file: string): Promise<readonly Finding[]> {
  if (file === '') return [];
  const {readAirline} = await import('../../service/identity/backend/airline-profile.ts');
  try {
    const {scriptURL} = await readAirline(file);
    return [new NamedCheck('Airline').ok(`${file}; pilots sign in at ${scriptURL}`)];
  } catch (error) {
    return [findingOf('Airline', error)];
  }
}
