import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {createClient} from '../../client/client.ts';
import type {ClientEntries} from '../../client/client-entries.ts';
import {createService} from '../../client/service/service.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {type AppError, isFailure} from '../../core/failures/app-error.ts';
import {PROCESS_TIMERS} from '../../core/time/timers.ts';
import type {EtcdLocation} from '../../platform/config/store-location.ts';
import {addressesOf, type ServiceAddress, serviceUrl} from '../../platform/system/loopback.ts';
import {findPortHolder} from '../../platform/system/port-holder.ts';
import {describeDataDirectory} from '../../store/disk/data-directory.ts';
import {findHolder} from '../../store/lmdb/process-lock.ts';
import {RECOVERY_ADVICE} from '../../store/open-directory.ts';
import {inspectEtcd} from '../../store/shared/etcd/inspect-etcd.ts';
import {type Verification, type VerifyOptions, verifyStore} from '../../store/verify-store.ts';
import {type DoctorContext, type Finding, findingOf, NamedCheck} from './finding.ts';

const CHECK = new NamedCheck('Entries');

/** Maximum number of corrupt keys that are listed: a broken disk must not flood the terminal. */
const KEYS_NAMED_MAX = 100;

/** The data directory, and the address of a service that may use it. */
export interface EntriesPlace extends ServiceAddress {
  /** Undefined if the entries are in {@link etcd}. */
  readonly dataDir: string | undefined;
  readonly etcd?: (EtcdLocation & {readonly nowMs: () => number}) | undefined;
}

/**
 * Verifies the checksum of every entry and lists those that fail. Reads the files if no process uses them, otherwise reads
 * through the service, since the files change meanwhile.
 */
export async function checkEntries(
  place: EntriesPlace,
  {fetch}: Pick<DoctorContext, 'fetch'>,
  options: VerifyOptions,
): Promise<readonly Finding[]> {
  const {dataDir, etcd} = place;
  if (dataDir === undefined) {
    const found = await findService(place);
    const isUsable = found?.crewroomVersion !== undefined && (await hasStore(place, etcd, fetch));
    return isUsable ? verifyAt(place, fetch, options) : [NO_SERVICE];
  }
  const directory = describeDataDirectory(dataDir);
  if (!existsSync(join(directory.storePath, 'data.mdb'))) return [CHECK.ok('there are none yet')];
  const holder = await findHolder(directory);
  if (holder === undefined) return describeVerification(await verifyStore(dataDir, options));
  const service = await findService(place);
  // The process of a service is known on Linux only.
  const isHolder = service?.processId === undefined || service.processId === holder;
  if (service?.crewroomVersion !== undefined && isHolder) return verifyAt(place, fetch, options);
  return [
    CHECK.warning(
      `process ${holder} uses the directory, so they cannot be verified`,
      'Stop that process, or name the port of the service with --port',
    ),
  ];
}

/** Returns whether a service has the store in etcd, as far as this user may read it. */
async function hasStore(
  place: ServiceAddress,
  etcd: EntriesPlace['etcd'],
  fetch: DoctorContext['fetch'],
): Promise<boolean> {
  const {storeKind, storeId} = await createService({baseUrl: serviceUrl(place), fetch}).about();
  const {store} = etcd ? await inspectEtcd({...etcd, timers: PROCESS_TIMERS}) : {};
  return storeKind === 'etcd' && (store === undefined || store.id === storeId);
}

async function findService({host, port}: ServiceAddress): ReturnType<typeof findPortHolder> {
  return port === 0 ? undefined : findPortHolder({address: addressesOf(host)[0], port});
}

const NO_SERVICE = CHECK.warning(
  'they are on other machines, and cannot be verified without a service that has them',
  'Start the service, or name its port with --port',
);

async function verifyAt(
  place: ServiceAddress,
  fetch: DoctorContext['fetch'],
  options: VerifyOptions,
): Promise<readonly Finding[]> {
  const {entries} = createClient({baseUrl: serviceUrl(place), fetch});
  return describeServiceVerification(await verifyThroughService(entries, options));
}

/** Reads every page with its values. The service verifies each entry, and its failure names the first corrupt one. */
async function verifyThroughService(
  entries: ClientEntries,
  {onProgress, signal}: VerifyOptions,
): Promise<ServiceVerification> {
  const corruptKeys: string[] = [];
  let after: string | undefined;
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const page = await entries.list({after, limit: DEFAULT_LIMITS.listLimitMax, values: true});
      count += page.entries.length;
      onProgress?.(count, undefined);
      if (page.cursor === undefined) return {corruptKeys, count};
      after = page.cursor;
    } catch (error) {
      if (isFailure(error, 'store-corrupt')) return {corruptKeys, count, damage: error};
      if (!isFailure(error, 'entry-corrupt')) throw error;
      // The entries before it on the page were verified, too.
      after = error.failure.key;
      corruptKeys.push(after);
    }
  }
}

interface ServiceVerification {
  readonly corruptKeys: readonly string[];
  readonly count: number;
  /** Damage after which no further entry could be read. */
  readonly damage?: AppError;
}

function describeServiceVerification({damage, ...found}: ServiceVerification): readonly Finding[] {
  if (damage === undefined) return describeKeys(found);
  const named = found.corruptKeys.length === 0 ? [] : describeKeys(found);
  return [
    {
      ...findingOf(CHECK.name, damage),
      fix: 'Stop the service and run the check again: it then reads every table of the file',
    },
    ...named,
  ];
}

function describeVerification(verification: Verification): readonly Finding[] {
  const {entries, corruptKeys, lostEntries, damage, damagedChanges, wrongExpiries} = verification;
  const {uncheckpointedChanges, walMissing, walDamage, harmlessWalDamage, storeIdDamaged} = verification;
  return [
    ...(storeIdDamaged ? [DAMAGED_STORE_ID] : []),
    ...(walMissing ? [MISSING_LOG] : []),
    ...(walDamage === undefined ? [] : [CHECK.problem(walDamage, `${RECOVERY_ADVICE}; check the disk`)]),
    ...(harmlessWalDamage === undefined ? [] : [harmlessDamage(harmlessWalDamage)]),
    ...(uncheckpointedChanges > 0
      ? [
          CHECK.ok(
            `${uncheckpointedChanges} changes are only in the write-ahead log; the next start reads them from there`,
          ),
        ]
      : []),
    ...(lostEntries > 0 || damage.length > 0 ? [damagedFile(lostEntries, damage)] : []),
    ...(damagedChanges > 0 ? [damagedChangeLog(damagedChanges)] : []),
    ...(wrongExpiries > 0 ? [wrongTimes(wrongExpiries)] : []),
    ...describeKeys({corruptKeys, count: entries}),
  ];
}

function describeKeys({corruptKeys, count}: ServiceVerification): readonly Finding[] {
  if (corruptKeys.length === 0)
    return [CHECK.ok(count === 0 ? 'there are none' : `all ${count} match their checksums`)];
  const named = corruptKeys
    .slice(0, KEYS_NAMED_MAX)
    .map(key => corrupt(`${JSON.stringify(key)} does not match its checksum`));
  const more = corruptKeys.length - named.length;
  return more === 0 ? named : [...named, corrupt(`${more} more do not match their checksums`)];
}

function corrupt(detail: string): Finding {
  return CHECK.problem(detail, 'Write or delete the key to go on, and check the disk');
}

function damagedFile(lostEntries: number, damage: readonly string[]): Finding {
  const lost = lostEntries > 0 ? `${lostEntries} cannot be read` : 'parts of the store cannot be read';
  return CHECK.problem(
    damage.length === 0 ? lost : `${lost}: in data.mdb ${damage.slice(0, 3).join('; ')}`,
    'Keep a copy of the data directory, restore it from a backup, and check the disk',
  );
}

const MISSING_LOG = CHECK.problem(
  'its write-ahead log is missing: commits that were only in it are lost',
  'Keep a copy of the data directory; the next start opens it without them and gives the store a new id. Check the disk',
);

function harmlessDamage(problem: string): Finding {
  return CHECK.warning(
    `${problem}, where the write-ahead log holds no commit`,
    'Check the disk; nothing is lost, and the next write makes the file anew',
  );
}

const DAMAGED_STORE_ID = CHECK.warning(
  'the id of the store cannot be read',
  'Check the disk; no entry is lost, the next start gives the store a new id, and subscribers start over',
);

function damagedChangeLog(count: number): Finding {
  return CHECK.warning(
    `${count} ${count === 1 ? 'record' : 'records'} of the change log cannot be read`,
    'Check the disk; no entry is lost, but subscribers start over',
  );
}

function wrongTimes(count: number): Finding {
  return CHECK.warning(
    `${count} rows of the expiry index do not match the entries`,
    'Check the disk; no entry is lost; every entry still expires in time, but some may do so without an event',
  );
}
