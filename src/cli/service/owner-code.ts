import {tmpdir} from 'node:os';
import {ownerFileOf, readOwnerFile} from '../../access/owner-file.ts';
import {parseAnswer} from '../../client/answer.ts';
import {openTransport} from '../../client/options.ts';
import {AppError} from '../../domain/app-error.ts';
import type {OwnerCode} from '../../domain/owner.ts';
import {isSentFailure} from '../../domain/sent-failure.ts';
import {runtimeDirOf} from '../../paths.ts';
import {readOwnerCode} from '../../protocol/owner.ts';
import type {Call} from '../catalogue/call.ts';
import {readSettings} from '../input/settings.ts';
import {connect} from './connection.ts';

/** Address that opens the console as the owner. */
export interface ConsoleAddress {
  readonly url: string;
  readonly expiresInSeconds: number;
}

/**
 * Creates a code of the running service, with the token in the file of its owner, and the address of the console with it.
 *
 * @throws {AppError} `no-owner-token` if no file of this user has a token of this service; `foreign-service`; whatever the service throws.
 */
export async function createOwnerCode(call: Call): Promise<ConsoleAddress> {
  const {service, url, address, fetch} = await connect(call, {ownOnly: true});
  // Fails with the reason if nothing answers.
  await service.about();
  const files = await listOwnerFiles(call, address.port);
  for (const file of files) {
    const token = await readOwnerFile(file);
    const created = token === undefined ? undefined : await requestCode({url, fetch, token});
    if (created === undefined) continue;
    // In the fragment, which browsers send to no server.
    const page = `http://crewroom.localhost:${address.port}/#code=${created.code}`;
    return {url: page, expiresInSeconds: created.expiresInSeconds};
  }
  throw new AppError({code: 'no-owner-token', url, files: files.join(' and ')});
}

/** Returns the files in which the token may be: that of a service in memory, and that of one with this data directory. */
async function listOwnerFiles(call: Call, port: number): Promise<readonly string[]> {
  const {config} = await readSettings(call);
  const {environment, userId} = call.context;
  const runtimeDir = runtimeDirOf(environment, {temporaryDir: tmpdir(), userId});
  return [undefined, config.dataDir].map(dataDir => ownerFileOf({dataDir, runtimeDir, port}));
}

interface CodeRequest {
  readonly url: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly token: string;
}

/** Requests a code. @returns Undefined if the token is of another service, such as one that has ended. */
async function requestCode({url, fetch, token}: CodeRequest): Promise<OwnerCode | undefined> {
  const withToken = (request: Request): Promise<Response> => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return fetch(request);
  };
  const transport = openTransport({baseUrl: url, fetch: withToken}, isSentFailure);
  try {
    return parseAnswer(await transport.send('POST', '/api/access/codes'), readOwnerCode);
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'owner-required') return undefined;
    throw error;
  }
}
