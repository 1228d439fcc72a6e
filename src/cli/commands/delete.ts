import {type Entries, LIST_LIMIT_MAX} from '../../domain/entries.ts';
import type {Switch} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {connect} from '../connection.ts';
import type {CliContext} from '../context.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {canAsk, confirm} from '../prompt.ts';
import {invalidUsage, readCount} from '../usage.ts';

/** The flags of `crewroom delete`. */
export interface DeleteFlags {
  readonly ifMatch: string | undefined;
  readonly prefix: string | undefined;
  readonly all: Switch;
  readonly yes: Switch;
  readonly json: Switch;
}

/** `crewroom delete`: one entry, or all under a prefix. */
export async function run(call: Call<DeleteFlags>): Promise<ExitCode> {
  assertOneTarget(call);
  const [key] = call.arguments;
  return key === undefined ? deleteRange(call) : deleteOne(call, key);
}

function assertOneTarget({arguments: [key], flags: {prefix, all, ifMatch}}: Call<DeleteFlags>): void {
  const isRange = prefix !== undefined || all === true;
  if (key === undefined && !isRange) throw invalidUsage('delete', 'it needs a KEY, --prefix PREFIX or --all');
  if (key !== undefined && isRange) throw invalidUsage('delete', 'a KEY goes with neither --prefix nor --all');
  if (isRange && ifMatch !== undefined) throw invalidUsage('delete', '--if-match goes with a KEY only');
  if (prefix === '' && !all) throw invalidUsage('delete', 'an empty prefix would delete every entry; --all says so');
  if (all && prefix !== undefined && prefix !== '')
    throw invalidUsage('delete', '--all deletes every entry, not only those under --prefix');
}

async function deleteOne(call: Call<DeleteFlags>, key: string): Promise<ExitCode> {
  const {ifMatch} = call.flags;
  const expected = ifMatch === undefined ? undefined : readCount(ifMatch, {command: 'delete', flag: '--if-match'});
  const {client} = await connect(call);
  await client.entries.delete(key, {expected});
  await tell(1, call);
  return EXIT.ok;
}

async function deleteRange(call: Call<DeleteFlags>): Promise<ExitCode> {
  const {context, flags} = call;
  const {prefix = '', yes} = flags;
  if (!yes && !canAsk(context))
    throw invalidUsage('delete', 'nobody is there to confirm that many entries go; --yes does');
  const {client} = await connect(call);
  if (!yes && !(await isConfirmed(client.entries, prefix, context))) {
    await context.stderr.write('Nothing was deleted\n');
    return EXIT.failure;
  }
  await tell(await client.entries.deleteRange({prefix}), call);
  return EXIT.ok;
}

async function isConfirmed(entries: Entries, prefix: string, context: CliContext): Promise<boolean> {
  const page = await entries.list({prefix, limit: LIST_LIMIT_MAX});
  const count = page.entries.length;
  const many = page.next === undefined ? `${count}` : `${count} or more`;
  const which = prefix === '' ? 'all there are' : `every key that begins with ${JSON.stringify(prefix)}`;
  return count === 0 || confirm(`Delete ${many} ${count === 1 ? 'entry' : 'entries'}: ${which}?`, context);
}

async function tell(deleted: number, {context: {stdout, stderr}, flags}: Call<DeleteFlags>): Promise<void> {
  if (flags.json) await stdout.write(`${JSON.stringify({deleted})}\n`);
  else if (stderr.isTerminal) await stderr.write(`Deleted ${deleted} ${deleted === 1 ? 'entry' : 'entries'}\n`);
}
