import {tmpdir} from 'node:os';
import {ownerFilesOf, readOwnerFile} from '../../access/owner-file.ts';
import {parseAnswer} from '../../client/answer.ts';
import {openTransport} from '../../client/options.ts';
import {AppError} from '../../domain/app-error.ts';
import {isSentFailure} from '../../domain/sent-failure.ts';
import {runtimeDirsOf} from '../../paths.ts';
import type {ServiceAddress} from '../../system/loopback.ts';
import type {Call} from '../catalogue/call.ts';
import {readSettings} from '../input/settings.ts';
import {connect} from './connection.ts';
import type {JsonSender} from './json-sender.ts';

/** Sends requests with the token of the owner of a running service. */
export interface OwnerSender extends JsonSender {
  readonly address: ServiceAddress;
}

/**
 * Creates a sender with the token in the file of the owner, only to a service of this user. It sends nothing yet, and follows no redirect.
 *
 * @throws {AppError} Its requests throw `no-owner-token` if no file of this user has a token of this service; `foreign-service`; whatever the
 * service throws.
 */
export async function connectAsOwner(call: Call): Promise<OwnerSender> {
  const {service, url, address, fetch} = await connect(call, {ownOnly: true, asOwner: true});
  const files = await listOwnerFiles(call, address.port);
  return {
    url,
    address,
    send: async (method, path, read, body) => {
      // Fails with the reason if nothing answers.
      await service.about();
      for (const file of files) {
        const token = await readOwnerFile(file);
        if (token === undefined) continue;
        const transport = openTransport({baseUrl: url, token, fetch}, isSentFailure);
        const sent = body === undefined ? {} : {body: new TextEncoder().encode(body)};
        try {
          return parseAnswer(await transport.send(method, path, sent), read);
        } catch (error) {
          if (!isOfAnotherService(error)) throw error;
        }
      }
      throw new AppError({code: 'no-owner-token', url, files: files.join(' and ')});
    },
  };
}

/** Returns whether the service refused a token because it is that of another one, such as one that has ended. */
function isOfAnotherService(error: unknown): boolean {
  return error instanceof AppError && ['owner-required', 'invalid-token'].includes(error.failure.code);
}

/** Returns the files in which the token may be: that of a service in memory, and that of one with this data directory. */
async function listOwnerFiles(call: Call, port: number): Promise<readonly string[]> {
  const {config} = await readSettings(call);
  const {environment, userId} = call.context;
  const runtimeDirs = runtimeDirsOf(environment, {temporaryDir: tmpdir(), userId});
  return [undefined, config.dataDir].flatMap(dataDir => ownerFilesOf({dataDir, runtimeDirs, port}));
}
