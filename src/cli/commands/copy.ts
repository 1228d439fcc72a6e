import type {Imported, ImportMode} from '../../core/domain/commits/transfer.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {addressesOf, formatAddress, isLoopback, type ServiceAddress} from '../../platform/system/loopback.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError, invalidUsage, refusedUsage, unconfirmed} from '../failures/report.ts';
import {formatEntries} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import {fetchOverHttp} from '../service/http-fetch.ts';
import {createOwnerFetch, listOwnerFiles, type Send} from '../service/owner-fetch.ts';
import type {CliContext} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {exportTo} from '../transfer/export-file.ts';
import {type InterruptibleImport, importUntil, readMode, reportImport} from '../transfer/run-import.ts';
import {type SavedEntries, snapshotBefore} from '../transfer/snapshot-before.ts';

/** `crewroom copy`: copies entries of the running service to another one. */
export async function run(call: CallOf<'copy'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const [prefix = ''] = call.arguments;
  const to = readTarget(flags.to);
  const mode = readMode(flags.mode, 'copy');
  const dryRun = flags.dryRun === true;
  const ask = mode === 'replace' && !dryRun && !flags.yes;
  if (ask && !canAsk(context)) throw unconfirmed('copy', 'replaces entries');
  const {url: from, address, fetch} = await connect(call);
  if (isSameService(address, to))
    throw refusedUsage('copy', `both services are ${from}`, 'Name another service with --to');
  const options = {from, fetch, to, fetchTo: createTargetFetch(to, context), prefix, mode};
  if (ask && !(await isConfirmed(options, call))) return reportImport(undefined, VERB);
  const saved = mode === 'replace' && !dryRun ? await snapshotOfTarget(options, call) : undefined;
  const copied = await copy({...options, keepAfter: saved?.revision, dryRun}, call);
  return reportImport(copied, {...VERB, snapshot: saved?.snapshot});
}

/** Makes a snapshot of what the other service has, beside those of this one. */
async function snapshotOfTarget(
  {to, fetchTo, prefix}: CopyOptions,
  call: CallOf<'copy'>,
): Promise<SavedEntries | undefined> {
  const service = {url: to, fetch: fetchTo, address: addressOf(to)};
  return snapshotBefore(call, {change: 'import', prefix, service, isOther: true});
}

/** Replaces the usual advice, which is for the service of the settings, if the other service cannot be reached. */
function adviseOnTarget(error: unknown, to: string): unknown {
  if (!(error instanceof AppError) || error.failure?.code !== 'service-unreachable') return error;
  return error.failure.url === to
    ? new AdvisedError(error, 'Start that service, or name another one with --to')
    : error;
}

const VERB = {infinitive: 'copy', past: 'Copied'};

interface CopyOptions {
  readonly mode: ImportMode;
  /** The URLs of the two services. */
  readonly from: string;
  readonly to: string;
  /** Sends the requests to the first one, with its token. The other service must not get it. */
  readonly fetch: Send;
  /** Sends the requests to the other one. */
  readonly fetchTo: Send;
  readonly prefix: string;
}

/** Returns whether an address is one of those that the service of the settings listens on. */
function isSameService({host, port}: ServiceAddress, to: string): boolean {
  const names = [...addressesOf(host), 'localhost'];
  return names.some(name => new URL(`http://${formatAddress(name, port)}`).origin === new URL(to).origin);
}

/** Reads the other service: its address, or its port on this machine. */
function readTarget(to: string | undefined): string {
  const example = 'such as http://localhost:8000';
  if (to === undefined) throw invalidUsage('copy', `--to has to name the service that gets the entries, ${example}`);
  if (/^[1-9]\d{0,4}$/.test(to)) return `http://127.0.0.1:${to}`;
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (
    url === undefined ||
    url.protocol !== 'http:' ||
    url.pathname !== '/' ||
    url.search + url.hash + url.username !== ''
  )
    throw invalidUsage('copy', `--to has to be the address of a service, ${example}, not ${JSON.stringify(to)}`);
  return url.origin;
}

function addressOf(url: string): ServiceAddress {
  const {hostname, port} = new URL(url);
  return {host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80)};
}

/** Creates the fetch for the other service. If it is on this machine and in memory, its owner has a token. */
function createTargetFetch(to: string, context: CliContext): Send {
  const {host, port} = addressOf(to);
  if (!isLoopback(host)) return fetchOverHttp;
  const files = listOwnerFiles({dataDir: undefined, port}, context);
  return createOwnerFetch({url: to, userId: context.userId, files, isRequired: false, ownOnly: false});
}

/** Asks for confirmation, with the result of a dry run. */
async function isConfirmed(options: CopyOptions, call: CallOf<'copy'>): Promise<boolean> {
  const {deleted, replaced} = await copy({...options, dryRun: true}, call);
  if (deleted + replaced === 0) return true;
  const question = `Copy to ${options.to}: ${formatEntries(replaced)} replaced, ${formatEntries(deleted)} deleted there?`;
  return confirm(question, call.context);
}

async function copy(
  {
    from,
    fetch,
    to,
    fetchTo,
    prefix,
    mode,
    keepAfter,
    dryRun,
  }: CopyOptions & Pick<InterruptibleImport, 'keepAfter' | 'dryRun'>,
  {context}: CallOf<'copy'>,
): Promise<Imported> {
  const label = dryRun ? 'Checking' : 'Copying';
  try {
    const {result} = await exportTo({context, url: from, fetch, prefix, label}, (chunks, signal) =>
      importUntil(signal, {url: to, fetch: fetchTo, chunks, mode, keepAfter, dryRun}),
    );
    return result;
  } catch (error) {
    throw adviseOnTarget(error, to);
  }
}
