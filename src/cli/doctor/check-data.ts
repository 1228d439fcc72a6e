import {constants, existsSync} from 'node:fs';
import {access, readdir, stat} from 'node:fs/promises';
import {dirname, isAbsolute, join, relative} from 'node:path';
import {formatBytes} from '../../core/domain/byte-size.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {freeBytes, SPACE_LOW_BYTES} from '../../core/files/directory.ts';
import {findOwnProblem} from '../../core/files/own.ts';
import {rulesFile} from '../../service/access/grants/grant-register.ts';
import {tokenFile} from '../../service/access/token-file.ts';
import {
  assertNoOtherFiles,
  type DataDirectory,
  describeDataDirectory,
  unusableDirectory,
} from '../../store/disk/data-directory.ts';
import {readDataFormat} from '../../store/disk/data-format.ts';
import {assertUndamaged} from '../../store/lmdb/check-pages.ts';
import {assertStoreOpens} from '../../store/lmdb/environment.ts';
import {OpeningError} from '../../store/lmdb/opening-limits.ts';
import {findHolder} from '../../store/lmdb/process-lock.ts';
import {type DoctorContext, type Finding, findingOf, NamedCheck} from './finding.ts';

const CHECK = new NamedCheck('Data');

/** Free space below which the next large write fails, in bytes. */
const SPACE_LEAST_BYTES = 16 * 1024 * 1024;

/** Checks the data directory without changing it. */
export async function checkData(dataDir: string, context: DataContext): Promise<readonly Finding[]> {
  const directory = describeDataDirectory(dataDir);
  const accessible = await checkAccess(dataDir, context);
  if (accessible.level === 'problem') return [accessible];
  const place = findExisting(dataDir);
  const opening = await checkOpening(directory, place);
  const inside = place === dataDir && opening.length === 0 ? await checkInside(directory, context) : [];
  return [accessible, ...opening, ...inside, await checkSpace(place)];
}

/** Reports a place where no store can be opened, also before there is one, and an engine that cannot be loaded. */
async function checkOpening({path}: DataDirectory, place: string): Promise<readonly Finding[]> {
  try {
    await assertStoreOpens(place);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [findingOf(CHECK.name, error)];
    // Other errors, such as a full disk, are found by the other checks.
    return error instanceof OpeningError ? [findingOf(CHECK.name, unusableDirectory(path, error))] : [];
  }
}

async function checkInside(directory: DataDirectory, context: DataContext): Promise<readonly Finding[]> {
  const readers = await checkReaders(directory, context);
  const store = await checkStore(directory);
  // Where a mode lets other users read, the file is refused until a start has removed their permissions.
  const rules = readers.level === 'ok' || context.platform === 'win32' ? await checkRules(directory) : [];
  return [readers, ...store, ...rules];
}

type DataContext = Pick<DoctorContext, 'userId' | 'platform' | 'homeDir' | 'environment'>;

async function checkAccess(path: string, {userId}: DataContext): Promise<Finding> {
  const place = findExisting(path);
  const status = await stat(place);
  const problem = (detail: string): Finding => CHECK.problem(detail, 'Choose a directory of your own with --data-dir');
  if (!status.isDirectory()) return problem(`${place} is not a directory`);
  const owner = findOwnProblem(status, {forbidden: 'reading', userId})?.owner;
  if (place === path && owner !== undefined)
    return problem(`${path} belongs to user ${owner}, and this is user ${userId}`);
  const refusal = await access(place, constants.W_OK | constants.X_OK).catch((error: Error) => error);
  if (refusal !== undefined) return problem(`${place} cannot be written to`);
  return CHECK.ok(place === path ? path : `${path} will be created at the first start`);
}

/** Returns the path itself, or its nearest ancestor that exists. */
function findExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findExisting(dirname(path));
}

async function checkSpace(path: string): Promise<Finding> {
  const sizeBytes = await freeBytes(path);
  const detail = `${formatBytes(sizeBytes)} are free on the disk of the data`;
  if (sizeBytes >= SPACE_LOW_BYTES) return new NamedCheck('Disk').ok(detail);
  const level = sizeBytes < SPACE_LEAST_BYTES ? 'problem' : 'warning';
  return {check: 'Disk', level, detail: `only ${detail}`, fix: 'Free some space; writes fail when the disk is full'};
}

/** Reports who may read the directory: on Windows by its place, since it inherits that from the directory above it. */
async function checkReaders(directory: DataDirectory, context: DataContext): Promise<Finding> {
  if (context.platform !== 'win32') return checkModes(directory, context);
  const {path} = directory;
  const fromHome = relative(context.homeDir, path);
  if (context.homeDir !== '' && !fromHome.startsWith('..') && !isAbsolute(fromHome))
    return CHECK.ok('in your profile, which Windows keeps from other users');
  const {USERDOMAIN: domain = '%USERDOMAIN%', USERNAME: name = '%USERNAME%'} = context.environment;
  // With the domain: a bare name may be another account, and this user would be locked out.
  const granted = `${domain}\\${name}:(OI)(CI)F`;
  const line = formatLine(['icacls', path, '/inheritance:r', '/grant:r', granted], 'win32');
  return CHECK.skipped(
    `${path} is outside of your profile, and permissions of Windows are not read here: others may have some`,
    `Let only you read it, unless you did already${line === undefined ? ', with "icacls"' : `: ${line}`}`,
  );
}

async function checkModes({path, storePath, lockPath}: DataDirectory, {userId}: DataContext): Promise<Finding> {
  const open: string[] = [];
  for (const directory of [path, storePath, lockPath]) {
    const names = await readdir(directory).catch(() => []);
    for (const place of [directory, ...names.map(name => join(directory, name))]) {
      const status = await stat(place).catch(() => undefined);
      if (status && findOwnProblem(status, {forbidden: 'reading', userId})?.isOpen) open.push(place);
    }
  }
  const [first] = open;
  if (first === undefined) return CHECK.ok('only its owner may read it');
  const detail = `other users may read ${first}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`;
  return CHECK.warning(detail, 'Start the service again: it removes these permissions');
}

async function checkStore(directory: DataDirectory): Promise<readonly Finding[]> {
  try {
    await assertNoOtherFiles(directory);
    const format = await readDataFormat(directory);
    const holder = await findHolder(directory).catch((error: Error) => error);
    // The lock is not to blame.
    if (holder instanceof Error && holder.cause instanceof OpeningError) return [findingOf(CHECK.name, holder)];
    if (holder instanceof Error) return [damagedLock(directory, holder)];
    // While the service writes, a read of the first pages may be torn.
    if (holder === undefined) await assertUndamaged(directory, {expected: format !== undefined});
    const state = format === undefined ? 'nothing is stored yet' : `data format ${format}`;
    const lock = holder === undefined ? 'no process uses it' : `process ${holder} uses it`;
    return [CHECK.ok(`${state}; ${lock}`)];
  } catch (error) {
    return [findingOf(CHECK.name, error)];
  }
}

/** Reports the files with tokens and permissions if the service could not read them, so that it would not start. */
async function checkRules({path}: DataDirectory): Promise<readonly Finding[]> {
  const [tokens, rules] = await Promise.allSettled([tokenFile(path).read(), rulesFile(path).read()]);
  return [
    ...(tokens.status === 'rejected' ? [findingOf('Tokens', tokens.reason)] : []),
    ...(rules.status === 'rejected' ? [findingOf('Permissions', rules.reason)] : []),
  ];
}

function damagedLock({path, lockPath}: DataDirectory, error: Error): Finding {
  return CHECK.problem(
    error instanceof AppError ? error.message : `the lock of ${path} cannot be read (${error.message})`,
    `Delete ${lockPath}, which contains no data, after you stopped every Crewroom that uses the directory`,
  );
}
