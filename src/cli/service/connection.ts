import {stat} from 'node:fs/promises';
import {parseAnswer} from '../../client/answer.ts';
import {type Client, createClient} from '../../client/client.ts';
import {type ClientOptions, openTransport} from '../../client/options.ts';
import {type ClientService, createService} from '../../client/service/service.ts';
import {isTokenText, TOKEN_PROBLEM} from '../../core/domain/access/token-text.ts';
import type {PluginLogLine} from '../../core/domain/plugins/plugin.ts';
import {type AppError, refusedSetting} from '../../core/failures/app-error.ts';
import {findOwnProblem} from '../../core/files/own.ts';
import {describeFileError, FileError, readTextFile} from '../../core/files/text-file.ts';
import {documentReader} from '../../core/protocol/text/times.ts';
import {type ServiceAddress, serviceUrl} from '../../platform/system/loopback.ts';
import type {SettingsCall} from '../catalogue/commands.ts';
import {readSettings} from '../input/settings.ts';
import {escapeControls} from '../terminal/context.ts';
import {createOwnerFetch, createSameUserFetch, listOwnerFiles, type Send, withToken} from './owner-fetch.ts';

/** Clients of the running service, and its address. */
export interface ConnectedClient {
  readonly send: SendJson;
  readonly client: Client;
  readonly service: ClientService;
  readonly url: string;
  readonly address: ServiceAddress;
  /** Sends the requests of the clients, with the token of `--token-file`, or else of the owner. */
  readonly fetch: Send;
}

/** Sends a request with JSON to the service, and reads its answer. Throws what the service threw. */
export type SendJson = <T>(
  method: string,
  path: string,
  read: (json: string) => T,
  body?: string | object,
) => Promise<T>;

export interface ConnectOptions {
  readonly timeoutMs?: number;
  /** Refuses a service of another user before anything is sent, such as a password. */
  readonly ownOnly?: boolean;
  /** True for calls that only the owner may send: leaves out the token of `--token-file`. */
  readonly asOwner?: boolean;
}

/**
 * Creates clients of the service that the settings of a call name. Sends nothing yet. Requests carry the token of `--token-file`, or else that of the
 * owner; both are sent only to a process of this user.
 *
 * @throws {AppError} `invalid-configuration`, also for a file without a token. Calls of a client also throw `foreign-service` with `ownOnly`, `asOwner`
 * or `--token-file`, and `no-owner-token` with `asOwner`.
 */
export async function connect(
  call: SettingsCall,
  {ownOnly = false, asOwner = false, ...options}: ConnectOptions = {},
): Promise<ConnectedClient> {
  const {context} = call;
  const {config, origins} = await readSettings(call);
  if (config.port === 0) {
    const problem = 'has to name the port of the service; 0 is for "crewroom start"';
    throw refusedSetting('port', problem, origins.port);
  }
  if (call.notice !== undefined) await context.stderr.write(`${call.notice}\n`);
  const url = serviceUrl(config);
  const service = {url, userId: context.userId};
  const token = asOwner ? undefined : await readProgramToken(call, {path: config.tokenFile, source: origins.tokenFile});
  const fetch =
    token === undefined
      ? createOwnerFetch({...service, files: listOwnerFiles(config, context), isRequired: asOwner, ownOnly})
      : withToken(createSameUserFetch(service), token);
  const clientOptions = {...options, fetch, baseUrl: url};
  const clients = {client: createClient(clientOptions), service: createService(clientOptions)};
  return {...clients, send: createJsonSender(clientOptions), url, address: config, fetch};
}

/** Creates a sender of JSON to a service. Sends nothing yet. */
export function createJsonSender(options: ClientOptions): SendJson {
  const transport = openTransport(options);
  return async (method, path, read, body) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return parseAnswer(await transport.send(method, path, text === undefined ? {} : {body: text}), read);
  };
}

/** Reads the log of a plugin. */
export async function readPluginLog(send: SendJson, id: string): Promise<readonly PluginLogLine[]> {
  const read = documentReader<{readonly lines: readonly PluginLogLine[]}>('lines');
  return (await send('GET', `${pluginPath(id)}/logs`, read)).lines;
}

/** Returns the path of a plugin in the API. */
export function pluginPath(id: string): string {
  return `/api/plugins/${encodeURIComponent(id)}`;
}

/** A file with a token, and the flag, variable or file that names it. */
interface TokenFile {
  /** Empty for none. */
  readonly path: string;
  readonly source: string;
}

/** Largest file with a token, in bytes. It is one line; a larger file was probably named by mistake. */
const FILE_BYTES_MAX = 1024;

/**
 * Reads the token that the settings of a call name. White space around it does not count. Warns if other users of the machine may read the file.
 *
 * @returns Undefined if the settings name no file.
 * @throws {AppError} `invalid-configuration` if the file is missing, or has no token. The message never repeats its content.
 */
async function readProgramToken({context}: SettingsCall, {path, source}: TokenFile): Promise<string | undefined> {
  if (path === '') return undefined;
  const refuse = (problem: string): AppError => {
    // A user who gives the token in place of its file must not read it again in a log.
    const named = hasToken(path)
      ? 'is a token: write it into a file, and name that'
      : `names ${JSON.stringify(path)}, which ${problem}`;
    return refusedSetting('tokenFile', named, source);
  };
  const token = await readTextFile(path, FILE_BYTES_MAX)
    .then(bytes => bytes.toString().trim())
    .catch(error => {
      throw error instanceof FileError ? refuse(describeFileError(error, FILE_BYTES_MAX)) : error;
    });
  if (!isTokenText(token)) throw refuse(`has no token: ${TOKEN_PROBLEM}`);
  if (findOwnProblem(await stat(path), {forbidden: 'reading', userId: context.userId})?.isOpen) {
    const warning = `Other users of this machine may read ${path}: take their permissions away (chmod 600)`;
    await context.stderr.write(`${escapeControls(warning)}\n`);
  }
  return token;
}

function hasToken(path: string): boolean {
  return path.includes('crewroom_') && isTokenText(path.slice(path.lastIndexOf('crewroom_')));
}
