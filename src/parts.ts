import {randomBytes} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {BackgroundRegister} from './access/background-register.ts';
import {GrantRegister} from './access/grants/grant-register.ts';
import {rulesFile} from './access/grants/rules-file.ts';
import {FileOwner} from './access/owner.ts';
import {openPageKey} from './access/pages/page-key.ts';
import {DerivedProofs} from './access/pages/page-proofs.ts';
import {RefusedRequestList} from './access/refused-requests.ts';
import {tokenFile} from './access/token-file.ts';
import {TokenRegister} from './access/token-register.ts';
import {type Config, DEFAULTS} from './config/config.ts';
import {type EtcdLocation, locateStore} from './config/store-location.ts';
import type {CrewroomParts} from './crewroom.ts';
import type {Owner} from './domain/access/owner.ts';
import type {Snapshots} from './domain/commits/snapshots.ts';
import type {Store} from './domain/commits/store.ts';
import type {Transfer} from './domain/commits/transfer.ts';
import type {IdentitySource} from './domain/identity/identity.ts';
import type {ServedSessions} from './domain/identity/session.ts';
import {SILENT_LOG} from './domain/log.ts';
import type {PageProofs} from './domain/plugins/page-proofs.ts';
import {ownUserId} from './files/own.ts';
import {openKeychain} from './identity/keychain/keychain.ts';
import {openEmptySource, SampleSource} from './identity/sample-source.ts';
import type {SessionSourceDeps} from './identity/session/session-source.ts';
import {platformPaths, pluginStorageDirOf, pluginsDirOf, runtimeDirsOf, snapshotsDirOf} from './paths.ts';
import {PluginHost, type PluginHostDeps} from './plugins/plugin-host.ts';
import {PluginStorage} from './plugins/storage.ts';
import {createSnapshots} from './snapshots/service-snapshots.ts';
import {namesOf} from './system/loopback.ts';
import {PROCESS_TIMERS} from './time/timers.ts';
import {VERSION} from './version.ts';

/** All parts. Only the tests of the service replace the store. */
export interface ServiceParts extends CrewroomParts {
  /** @default {a store in `dataDir`, or in memory if `ephemeral`} */
  readonly openStore: (config: Config, parts: ServiceParts) => Promise<Store>;
}

/** The default parts. */
export const DEFAULT_PARTS: ServiceParts = {
  openStore,
  openIdentity,
  log: SILENT_LOG,
  nowMs: Date.now,
  elapsedMs: () => performance.now(),
  random: Math.random,
  randomBytes,
  newStoreId: false,
  timers: {
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs).unref();
      return () => clearTimeout(timer);
    },
  },
  fetch: (...request) => globalThis.fetch(...request),
  pageServer: undefined,
  takesForeignPlugins: false,
  stop: undefined,
  command: 'npx crewroom',
  keychain: openKeychain({environment: process.env}),
};

async function openStore(config: Config, parts: ServiceParts): Promise<Store> {
  const {ephemeral, dataDir, store} = config;
  const {nowMs, elapsedMs, log, randomBytes, newStoreId} = parts;
  const location = locateStore(store);
  if (location.kind === 'etcd') return openEtcdStore(location, config, parts);
  if (ephemeral || location.kind === 'memory') {
    const {openMemoryStore} = await import('./store/memory/memory-store.ts');
    return openMemoryStore({nowMs, elapsedMs, randomBytes});
  }
  const {openLmdbStore} = await import('./store/lmdb-store.ts');
  return openLmdbStore({directory: dataDir, nowMs, elapsedMs, log, randomBytes, newStoreId});
}

/** Opens a store in etcd. Only then are its client and the library for it loaded. */
async function openEtcdStore(
  {members, prefix, tls, user}: EtcdLocation,
  {ephemeral, dataDir}: Config,
  {nowMs, elapsedMs, log, randomBytes, random, newStoreId}: CrewroomParts,
): Promise<Store> {
  const {openEtcdDriver} = await import('./store/shared/etcd/etcd-driver.ts');
  const {openSharedStore} = await import('./store/shared/shared-store.ts');
  const {lockDataDirectory} = await import('./store/open-directory.ts');
  // Not those of the other parts, which do not keep the process alive: what waits for etcd has to end.
  const timers = PROCESS_TIMERS;
  const owned = ephemeral ? [] : [await lockDataDirectory(dataDir)];
  const driver = openEtcdDriver({members, prefix, tls, user, log, timers, nowMs});
  return openSharedStore({driver, nowMs, elapsedMs, randomBytes, random, newStoreId, timers, owned});
}

async function openIdentity({profile}: Config, {log}: CrewroomParts): Promise<IdentitySource> {
  if (profile === '') return new SampleSource(log);
  if (profile === 'none') return openEmptySource();
  const {openProfileSource} = await import('./identity/profile-source.ts');
  return openProfileSource({file: profile, log});
}

/** Opens the identity source that pilots sign in to. It serves `base` while no pilot is signed in. */
export async function openSessions(
  {airline, allowPlainHttp, dataDir, ephemeral, keep}: Config,
  {log, nowMs, random, timers, fetch, keychain}: CrewroomParts,
  given: Pick<SessionSourceDeps, 'base' | 'faults' | 'offersSignIn'>,
): Promise<IdentitySource & ServedSessions> {
  const {createBackEndClient} = await import('./identity/backend/back-end-client.ts');
  const {openMemoryKeeper, FileKeeper} = await import('./identity/session/storage/session-keeper.ts');
  const {openSessionSource} = await import('./identity/session/session-source.ts');
  const {readAirline} = await import('./identity/backend/airline-profile.ts');
  return openSessionSource({
    ...given,
    airline: airline === '' ? undefined : await readAirline(airline),
    client: createBackEndClient({fetch, userAgent: `Crewroom/${VERSION}`, allowPlainHttp}),
    keeper:
      keep && !ephemeral && given.offersSignIn
        ? new FileKeeper({directory: dataDir, keychain, log})
        : openMemoryKeeper(),
    log,
    nowMs,
    random,
    timers,
  });
}

/** Creates the snapshots that the service makes before changes of the console. @param port Returns the port that it listens on. */
export function openSnapshots(
  {ephemeral, host, dataDir}: Config,
  {nowMs, randomBytes}: CrewroomParts,
  {store, transfer, port}: {readonly store: Store; readonly transfer: Transfer; readonly port: () => number},
): Snapshots {
  const randomName = (): string => Buffer.from(randomBytes(8)).toString('hex');
  return createSnapshots({
    store,
    transfer,
    place: ephemeral ? undefined : {directory: snapshotsDirOf(dataDir), userId: ownUserId(), nowMs, randomName},
    flags: () => [
      ...(host === DEFAULTS.host ? [] : ['--host', host]),
      ...(port() === DEFAULTS.port ? [] : ['--port', String(port())]),
      ...(dataDir === platformPaths().dataDir ? [] : ['--data-dir', dataDir]),
    ],
    platform: process.platform,
  });
}

/** The owner of a service, with the tokens and permissions of other callers. */
export interface OpenedAccess {
  readonly owner: Owner;
  readonly tokens: TokenRegister;
  readonly grants: GrantRegister;
  readonly refused: RefusedRequestList;
  readonly backgrounds: BackgroundRegister;
  /** Key of the host names at which pages of plugins prove themselves; undefined if the mode trusts their origins. */
  readonly pageKey: Uint8Array | undefined;
}

/**
 * Opens the token of the owner, and the tokens and permissions that the data directory keeps; with a store of another kind nothing is kept.
 *
 * @throws {AppError} `invalid-token-file`, `invalid-rules-file` if a file is damaged.
 */
export async function openAccess(config: Config, parts: ServiceParts): Promise<OpenedAccess> {
  const {access, ephemeral, dataDir: directory} = config;
  const {openStore: given, nowMs, timers, randomBytes, log} = parts;
  const dataDir = ephemeral || given !== openStore ? undefined : directory;
  const keptTokens = dataDir === undefined ? undefined : tokenFile(dataDir);
  const keptRules = dataDir === undefined ? undefined : rulesFile(dataDir);
  const [readTokens, readRules] = await Promise.all([keptTokens?.read(), keptRules?.read()]);
  const tokens = new TokenRegister({
    tokens: readTokens ?? [],
    save: async changed => keptTokens?.replace(changed, randomBytes),
    ...{nowMs, timers, randomBytes},
  });
  const grants = new GrantRegister({
    grants: readRules ?? [],
    save: async changed => keptRules?.replace(changed, randomBytes),
  });
  return {
    owner: createOwner(config, parts, dataDir),
    tokens,
    grants,
    refused: new RefusedRequestList({mode: access, grants, nowMs}),
    backgrounds: new BackgroundRegister({randomBytes}),
    pageKey: access === 'strict' ? await openPageKey({dataDir, randomBytes, log}) : undefined,
  };
}

/** Creates the host names at which pages of plugins prove themselves, if the mode asks for it. */
export function createPages({pageKey}: OpenedAccess, host: PluginHost): PageProofs | undefined {
  return pageKey && new DerivedProofs({key: pageKey, list: () => host.pages()});
}

/** Creates the token of the owner. Without a data directory of this service its file is by its port: the directory may be that of another one. */
function createOwner(
  {host}: Config,
  {log, elapsedMs, nowMs, randomBytes}: CrewroomParts,
  dataDir: string | undefined,
): Owner {
  const runtimeDirs = runtimeDirsOf(process.env, {temporaryDir: tmpdir(), userId: ownUserId()});
  return new FileOwner({host, place: {dataDir, runtimeDirs}, log, elapsedMs, nowMs, randomBytes});
}

/** Opens the plugin host. It starts plugins only when `start` is called. */
export function openPlugins(
  {plugins, plugin, dataDir, ephemeral, host}: Config,
  {log, nowMs, elapsedMs, timers, pageServer, takesForeignPlugins: takesForeign}: CrewroomParts,
  {identity, tokens}: Pick<PluginHostDeps, 'identity' | 'tokens'>,
): PluginHost {
  const installed = ephemeral ? undefined : pluginsDirOf(dataDir);
  return new PluginHost({
    directory: plugins === '' ? installed : plugins,
    development: plugin,
    hasPageServer: pageServer !== undefined,
    takesForeign,
    storage: new PluginStorage(
      ephemeral ? {temporary: join(tmpdir(), 'crewroom-plugins-')} : {directory: pluginStorageDirOf(dataDir)},
    ),
    environment: process.env,
    serviceHosts: namesOf(host),
    ...{identity, tokens, log, nowMs, elapsedMs, timers},
  });
}
