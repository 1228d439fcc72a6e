import {randomBytes} from 'node:crypto';
import type {Config} from '../../src/config/config.ts';
import {startService, type TestService} from './service.ts';

/** A service whose owner the test is. */
export interface OwnedService extends TestService {
  /** Address of the console, at the only name that gives it the token of the owner. */
  readonly consoleUrl: string;
  /** Returns the fragment with which a console becomes the owner's. It can be used once. */
  ownerFragment(): Promise<string>;
}

/** Length of the random part of a token of the owner, in bytes. */
const TOKEN_BYTES = 32;

/** Starts a service, as {@link startService}, and keeps the token of its owner. */
export async function startOwnedService(options: Partial<Config> = {}): Promise<OwnedService> {
  const drawn: Uint8Array[] = [];
  const service = await startService(options, {
    randomBytes: sizeBytes => {
      const bytes = randomBytes(sizeBytes);
      if (sizeBytes === TOKEN_BYTES) drawn.push(bytes);
      return bytes;
    },
  });
  // The first one of a service: those of pages are drawn when they are asked for.
  const token = `crewroom_${Buffer.from(drawn[0] ?? []).toString('base64url')}`;
  return {
    ...service,
    consoleUrl: `http://crewroom.localhost:${service.port}`,
    async ownerFragment() {
      const headers = {Authorization: `Bearer ${token}`};
      const response = await fetch(`${service.url}/api/access/codes`, {method: 'POST', headers});
      const {code} = (await response.json()) as {readonly code: string};
      return `#code=${code}`;
    },
  };
}
