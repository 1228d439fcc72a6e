import {randomBytes} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Owner} from '../core/domain/access/owner.ts';
import type {Store} from '../core/domain/commits/store.ts';
import type {Snapshots, Transfer} from '../core/domain/commits/transfer.ts';
import type {IdentitySource} from '../core/domain/identity/identity.ts';
import {SILENT_LOG} from '../core/domain/log.ts';
import type {PageProofs} from '../core/domain/plugins/page-proofs.ts';
import {AppError, isFailure, messageOf} from '../core/failures/app-error.ts';
import {ownUserId} from '../core/files/own.ts';
import {nextTick as pause} from '../core/time/next-tick.ts';
import {PROCESS_TIMERS} from '../core/time/timers.ts';
import {VERSION} from '../core/version.ts';
import {type Config, DEFAULTS} from '../platform/config/config.ts';
import {type EtcdLocation, locateStore, storeKindOf} from '../platform/config/store-location.ts';
import {platformPaths, pluginStorageDirOf, pluginsDirOf, runtimeDirsOf, snapshotsDirOf} from '../platform/paths.ts';
import {namesOf} from '../platform/system/loopback.ts';
import {PluginHost, type PluginHostDeps} from '../plugins/plugin-host.ts';
import {PluginStorage} from '../plugins/storage.ts';
import {listDevelopments} from '../service/access/development-file.ts';
import {GrantRegister, rulesFile} from '../service/access/grants/grant-register.ts';
import {FileOwner} from '../service/access/owner.ts';
import {DerivedProofs, openPageKey} from '../service/access/pages/page-proofs.ts';
import {RefusedRequestList} from '../service/access/refused-requests.ts';
import {tokenFile} from '../service/access/token-file.ts';
import {BackgroundRegister} from '../service/access/token-hash.ts';
import {TokenRegister} from '../service/access/token-register.ts';
import {createTransferService} from '../service/entries/transfer-service.ts';
import {openFlightFile} from '../service/flight/flight-file.ts';
import {openFlight} from '../service/flight/tracked-flight.ts';
import {maskSummaries} from '../service/identity/identity-document.ts';
import {openKeychain} from '../service/identity/keychain/keychain.ts';
import {openEmptySource, SampleSource} from '../service/identity/sample-pilots.ts';
import type {SessionSource, SessionSourceDeps} from '../service/identity/session/session-source.ts';
import {createSnapshots, type SnapshotPlace, saveAutomatic} from '../service/snapshots/automatic-snapshots.ts';
import {saveEachDay} from '../service/snapshots/daily-snapshots.ts';
import {listSnapshots} from '../service/snapshots/snapshot-directory.ts';
import type {Service, ServiceParts} from './crewroom.ts';

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
  trialPilot: undefined,
  keychain: openKeychain({environment: process.env}),
};

async function openStore(config: Config, parts: ServiceParts): Promise<Store> {
  const {ephemeral, dataDir, store} = config;
  const {nowMs, elapsedMs, log, randomBytes, newStoreId} = parts;
  const location = locateStore(store);
  if (location.kind === 'etcd') return openEtcdStore(location, config, parts);
  if (ephemeral || location.kind === 'memory') {
    const {openMemoryStore} = await import('../store/memory/memory-store.ts');
    return openMemoryStore({nowMs, elapsedMs, randomBytes});
  }
  const {openLmdbStore} = await import('../store/lmdb-store.ts');
  const beforeConversion = (opened: Store): Promise<void> => saveBeforeUpgrade(opened, config, parts);
  return openLmdbStore({directory: dataDir, nowMs, elapsedMs, log, randomBytes, newStoreId, beforeConversion});
}

/** Saves the entries of a store whose data directory is about to be converted. @throws {AppError} `snapshot-failed`. */
async function saveBeforeUpgrade(store: Store, {dataDir}: Config, parts: ServiceParts): Promise<void> {
  const place = snapshotPlace(dataDir, parts);
  try {
    const {export: save} = createTransferService({store, nowMs: parts.nowMs, pause, onExpiringEntries: () => {}});
    const name = await saveAutomatic('before-upgrade', await save(), place);
    const saved = (await listSnapshots(place.directory)).find(snapshot => snapshot.name === name);
    if (saved?.entries === undefined) throw new Error('it is not complete');
    parts.log.info('a snapshot was made before the data directory is converted', {snapshot: name});
  } catch (error) {
    const problem = isFailure(error, 'snapshot-failed') ? error.failure.problem : messageOf(error);
    const failure = {code: 'snapshot-failed', directory: place.directory, problem} as const;
    throw new AppError(failure, {cause: error, advice: UPGRADE_ADVICE});
  }
}

const UPGRADE_ADVICE =
  'The data directory has the format of an earlier version, and was not converted, since there would be no way back; make space for the snapshot, or start the earlier version';

function snapshotPlace(
  dataDir: string,
  {nowMs, randomBytes}: Pick<ServiceParts, 'nowMs' | 'randomBytes'>,
): SnapshotPlace {
  const randomName = (): string => Buffer.from(randomBytes(8)).toString('hex');
  return {directory: snapshotsDirOf(dataDir), userId: ownUserId(), nowMs, randomName};
}

/** Opens a store in etcd. Only then are its client and the library for it loaded. */
async function openEtcdStore(
  {members, prefix, tls, user}: EtcdLocation,
  {ephemeral, dataDir}: Config,
  {nowMs, elapsedMs, log, randomBytes, random, newStoreId}: ServiceParts,
): Promise<Store> {
  const {openEtcdDriver} = await import('../store/shared/etcd/etcd-driver.ts');
  const {openSharedStore} = await import('../store/shared/shared-store.ts');
  const {lockDataDirectory} = await import('../store/open-directory.ts');
  // Not those of the other parts, which do not keep the process alive: what waits for etcd has to end.
  const timers = PROCESS_TIMERS;
  const owned = ephemeral ? [] : [await lockDataDirectory(dataDir)];
  const driver = openEtcdDriver({members, prefix, tls, user, log, timers, nowMs});
  return openSharedStore({driver, nowMs, elapsedMs, randomBytes, random, newStoreId, timers, owned});
}

async function openIdentity({profile}: Config, {log}: ServiceParts): Promise<IdentitySource> {
  if (profile === '') return new SampleSource(log);
  if (profile === 'none') return openEmptySource();
  const {openProfileSource} = await import('../service/identity/profile-source.ts');
  return openProfileSource({file: profile, log});
}

/** Opens the identity source that pilots sign in to. It serves `base` while no pilot is signed in. */
export async function openSessions(
  {airline, allowPlainHttp, dataDir, ephemeral, keepSession}: Config,
  {log, nowMs, random, timers, fetch, keychain}: ServiceParts,
  given: Pick<SessionSourceDeps, 'base' | 'faults' | 'offersSignIn'>,
): Promise<SessionSource> {
  const {createBackEndClient} = await import('../service/identity/backend/back-end-client.ts');
  const {openMemoryKeeper, FileKeeper} = await import('../service/identity/session/storage/session-keeper.ts');
  const {openSessionSource} = await import('../service/identity/session/session-source.ts');
  const {readAirline} = await import('../service/identity/backend/airline-profile.ts');
  return openSessionSource({
    ...given,
    base: maskSummaries(given.base),
    airline: airline === '' ? undefined : await readAirline(airline),
    client: createBackEndClient({fetch, userAgent: `Crewroom/${VERSION}`, allowPlainHttp}),
    keeper:
      keepSession && !ephemeral && given.offersSignIn
        ? new FileKeeper({directory: dataDir, keychain, log})
        : openMemoryKeeper(),
    log,
    nowMs,
    random,
    timers,
  });
}

/** Creates the snapshots that the service makes: before changes of the console, and each day of a store in `dataDir`. The latter only after `start()`. @param port Returns the port that it listens on. */
export function openSnapshots(
  config: Config,
  parts: ServiceParts,
  {store, transfer, port}: {readonly store: Store; readonly transfer: Transfer; readonly port: () => number},
): Snapshots & AsyncDisposable & {start(): void} {
  const {ephemeral, host, dataDir, dailySnapshots: days} = config;
  const place = ephemeral ? undefined : snapshotPlace(dataDir, parts);
  const closing = new AbortController();
  const isDaily = days > 0 && storeKindOf(config) === 'lmdb';
  let daily: Promise<void> | undefined;
  const snapshots = createSnapshots({
    store,
    transfer,
    place,
    flags: () => [
      ...(host === DEFAULTS.host ? [] : ['--host', host]),
      ...(port() === DEFAULTS.port ? [] : ['--port', String(port())]),
      ...(dataDir === platformPaths().dataDir ? [] : ['--data-dir', dataDir]),
    ],
    platform: process.platform,
  });
  return {
    ...snapshots,
    start() {
      if (place && isDaily) daily = saveEachDay({...parts, store, transfer, place, days, signal: closing.signal});
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await daily;
    },
  };
}

/** The owner of a service, with the tokens and permissions of other callers. */
export interface OpenedAccess {
  readonly owner: Owner;
  readonly tokens: TokenRegister;
  readonly grants: GrantRegister;
  readonly refused: RefusedRequestList;
  readonly backgrounds: BackgroundRegister;
  /** Lists the plugins that `crewroom dev` runs in other processes of this user. */
  readonly developments: () => Promise<readonly {readonly plugin: string; readonly port: number}[]>;
  /** Key of the host names at which pages of plugins prove themselves; undefined if the mode trusts their origins. */
  readonly pageKey: Uint8Array | undefined;
}

/**
 * Opens the token of the owner, and the tokens and permissions that the data directory keeps; with a store of another kind nothing is kept.
 *
 * @throws {AppError} `invalid-token-file`, `invalid-rules-file` if a file is damaged.
 */
export async function openAccess(config: Config, parts: ServiceParts): Promise<OpenedAccess> {
  const {access, ephemeral, dataDir: directory, host} = config;
  const {openStore: given, nowMs, elapsedMs, timers, randomBytes, log} = parts;
  const dataDir = ephemeral || given !== openStore ? undefined : directory;
  const keptTokens = dataDir === undefined ? undefined : tokenFile(dataDir);
  const keptRules = dataDir === undefined ? undefined : rulesFile(dataDir);
  const [readTokens, readRules] = await Promise.all([keptTokens?.read(), keptRules?.read()]);
  const tokens = new TokenRegister({
    tokens: readTokens ?? [],
    save: async changed => keptTokens?.replace(changed, randomBytes),
    nowMs,
    timers,
    randomBytes,
  });
  const grants = new GrantRegister({
    grants: readRules ?? [],
    save: async changed => keptRules?.replace(changed, randomBytes),
  });
  return {
    // Without a data directory of this service the file of its token is by its port: the directory may be that of another one.
    owner: new FileOwner({host, place: {dataDir, runtimeDirs: ownRuntimeDirs()}, log, elapsedMs, nowMs, randomBytes}),
    tokens,
    grants,
    refused: new RefusedRequestList({mode: access, grants, nowMs}),
    backgrounds: new BackgroundRegister({randomBytes}),
    developments: listOthers,
    pageKey: access === 'strict' ? await openPageKey({dataDir, randomBytes, log}) : undefined,
  };
}

/** Opens the flight. With `--ephemeral`, or a store of another kind, it ends with the service. */
export async function openOwnFlight(
  {ephemeral, dataDir}: Config,
  parts: ServiceParts,
): Promise<Service['flight'] & AsyncDisposable> {
  const isKept = !ephemeral && parts.openStore === openStore;
  return openFlight({...parts, file: isKept ? await openFlightFile(dataDir, parts.log) : undefined});
}

/** Creates the host names at which pages of plugins prove themselves, if the mode asks for it. */
export function createPages({pageKey}: OpenedAccess, host: PluginHost): PageProofs | undefined {
  return pageKey && new DerivedProofs({key: pageKey, list: () => host.pages()});
}

/** Maximum number of services that {@link listOthers} lists: the document of a service stays short. */
const OTHERS_MAX = 8;

async function listOthers(): Promise<readonly {plugin: string; port: number}[]> {
  const all = await listDevelopments(ownRuntimeDirs(), process.pid);
  return all.flatMap(({plugin, port}) => (plugin === undefined ? [] : [{plugin, port}])).slice(0, OTHERS_MAX);
}

function ownRuntimeDirs(): readonly string[] {
  return runtimeDirsOf(process.env, {temporaryDir: tmpdir(), userId: ownUserId()});
}

/** Opens the plugin host. It starts plugins only when `start` is called. */
export function openPlugins(
  {pluginsDir, devPlugins, dataDir, ephemeral, host}: Config,
  {log, nowMs, elapsedMs, timers, pageServer, takesForeignPlugins: takesForeign}: ServiceParts,
  {identity, tokens}: Pick<PluginHostDeps, 'identity' | 'tokens'>,
): PluginHost {
  const installed = ephemeral ? undefined : pluginsDirOf(dataDir);
  return new PluginHost({
    directory: pluginsDir === '' ? installed : pluginsDir,
    development: devPlugins,
    hasPageServer: pageServer !== undefined,
    takesForeign,
    storage: new PluginStorage(
      ephemeral ? {temporary: join(tmpdir(), 'crewroom-plugins-')} : {directory: pluginStorageDirOf(dataDir)},
    ),
    restoreKept,
    environment: process.env,
    serviceHosts: namesOf(host),
    identity,
    tokens,
    log,
    nowMs,
    elapsedMs,
    timers,
  });
}

/** Loads what it needs on demand: many services have no plugins, and few commands are killed. */
async function restoreKept(plugins: string): Promise<void> {
  const staging = await import('../plugins/package/staging.ts');
  const takeLock = async (folder: string): Promise<AsyncDisposable> =>
    (await import('../store/lmdb/process-lock.ts')).takeFolderLock(folder);
  await staging.restoreKept(plugins, takeLock);
}
