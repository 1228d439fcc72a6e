import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, onTestFinished} from 'vitest';
import {openService} from '../../src/app/app.ts';
import type {Service, ServiceParts} from '../../src/app/crewroom.ts';
import {type Config, DEFAULTS} from '../../src/platform/config/config.ts';
import {exchange, formatRequest, keepConnection, type RawAnswer, RawClient} from './raw-client.ts';

/** A service that listens, for one test or one file of tests. */
export interface TestService extends AsyncDisposable {
  readonly crewroom: Service;
  readonly port: number;
  /** Such as `http://127.0.0.1:43210`. */
  readonly url: string;
  readonly dataDir: string;
}

/** Opens a service with settings that differ from the defaults. */
export function openTestService(options: Partial<Config>, parts: Partial<ServiceParts> = {}): Promise<Service> {
  return openService({...DEFAULTS, ...options}, parts);
}

/**
 * Starts a service on a free port, with its store in a temporary directory that is removed with it.
 *
 * @param options Settings that differ; a given `dataDir` is not removed.
 */
export async function startService(
  options: Partial<Config> = {},
  parts: Partial<ServiceParts> = {},
): Promise<TestService> {
  const directory = await makeTemporaryDirectory();
  const dataDir = options.dataDir ?? join(directory.path, 'data');
  try {
    const crewroom = await openTestService({port: 0, ...options, dataDir}, parts);
    const dispose = async (): Promise<void> => {
      await crewroom[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    };
    try {
      const {port, urls} = await crewroom.listen();
      return {crewroom, port, url: urls[0] ?? '', dataDir, [Symbol.asyncDispose]: dispose};
    } catch (error) {
      await dispose();
      throw error;
    }
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts one service for all tests of a file or `describe`. @returns A function, since it runs only inside tests. */
export function useService(options: Partial<Config> = {}, parts: Partial<ServiceParts> = {}): () => TestService {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await startService(options, parts);
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  return () => {
    if (service === undefined) throw new Error('The service runs only inside tests');
    return service;
  };
}

/** Starts a service for the rest of a test. */
export async function startInTest(options: Partial<Config> = {}): Promise<TestService> {
  const service = await startService(options);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

/** Opens a connection to a service for the rest of a test. */
export async function connectInTest({port}: {readonly port: number}): Promise<RawClient> {
  const client = await RawClient.connect({port});
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

/** The rest of a request beside its first line. */
interface CallOptions {
  readonly headers?: readonly string[] | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** @default {localhost, with the port} */
  readonly host?: string | undefined;
}

/** Sends a request to a service, as programs of the same machine do, on a connection of its own. */
export function callService({port}: {readonly port: number}, line: string, options?: CallOptions): Promise<RawAnswer> {
  return exchange({port}, formatCall(port, line, options));
}

/** Creates a function that calls a service like {@link callService}, on the connection of {@link keepConnection}. */
export function callOnConnection(
  service: () => {readonly port: number},
): (line: string, options?: CallOptions) => Promise<RawAnswer> {
  const send = keepConnection(service);
  return (line, options) => send(formatCall(service().port, line, options));
}

function formatCall(
  port: number,
  line: string,
  {headers = [], body, host = `localhost:${port}`}: CallOptions = {},
): Buffer {
  return formatRequest(line, [`Host: ${host}`, ...headers], body);
}

/** Creates an empty directory, which disposal removes with its content. */
export async function makeTemporaryDirectory(): Promise<AsyncDisposable & {readonly path: string}> {
  const path = await mkdtemp(join(tmpdir(), 'crewroom-test-'));
  return {path, [Symbol.asyncDispose]: () => rm(path, {recursive: true, force: true})};
}

/** Returns the revision of the last commit. */
export async function lastRevision({transfer}: Pick<Service, 'transfer'>): Promise<number> {
  const exported = await transfer.export();
  await exported.return();
  return exported.revision;
}
