import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Entries, Page} from '../../core/domain/entries/entries.ts';
import type {Entry, EntryInfo, ListedEntry} from '../../core/domain/entries/entry.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {onOneLine} from '../../core/protocol/text/one-line.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {formatToSecond} from '../output/counts.ts';
import {entryLine} from '../output/entry-json.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, escapeControls, escapeText} from '../terminal/context.ts';
import {formatTable} from '../terminal/table.ts';

/** `crewroom list`: prints entries in the order of their keys, page by page. */
export async function run(call: CallOf<'list'>): Promise<ExitCode> {
  const {context, flags} = call;
  const [prefix] = call.arguments;
  const {stdout, stderr} = context;
  const {limit = Infinity} = flags;
  const {client} = await connect(call);
  const format = chooseFormat(flags, context);
  let isEmpty = true;
  for await (const entries of pages(client.entries, call, limit)) {
    if (entries.length === 0) break;
    await stdout.write(format(entries));
    isEmpty = false;
  }
  if (isEmpty && !flags.json)
    await stderr.write(
      prefix === undefined ? 'No entries; "crewroom put KEY VALUE" stores one\n' : 'No entry begins with this\n',
    );
  return EXIT.ok;
}

/** Requests one page at a time, so that a slow reader does not fill the memory with pages. */
async function* pages(
  entries: Entries,
  {arguments: [prefix], flags: {reverse, values, after: first}}: CallOf<'list'>,
  limit: number,
): AsyncIterable<readonly ListedEntry[]> {
  let after = first;
  let left = limit;
  while (left > 0) {
    const page: Page<ListedEntry> = await entries.list({
      prefix,
      after,
      limit: Math.min(left, DEFAULT_LIMITS.listLimitMax),
      reverse,
      values,
    });
    yield page.entries;
    if (page.cursor === undefined) return;
    left -= page.entries.length;
    after = page.cursor;
  }
}

type Format = (entries: readonly ListedEntry[]) => string | Uint8Array;

function chooseFormat({json, values}: CallOf<'list'>['flags'], context: CliContext): Format {
  const {stdout} = context;
  if (json) return entries => entries.map(entryLine).join('');
  // A terminal would obey control characters in keys and values.
  if (values && stdout.isTerminal) return entries => escapeText(Buffer.concat(entries.map(valueLine)).toString());
  if (values) return entries => Buffer.concat(entries.map(valueLine));
  let shown: readonly string[] = [];
  return entries => {
    const expires = entries.some(({expiresAtMs}) => expiresAtMs !== undefined);
    const head = ['KEY', 'REVISION', 'SIZE', 'UPDATED', ...(expires ? ['EXPIRES'] : [])];
    // The head is repeated if the number of columns changes.
    const continued = head.length === shown.length;
    shown = head;
    const rows = entries.map(entry => tableRow(entry).slice(0, head.length));
    return formatTable(head, rows, context, {continued});
  };
}

/** Formats an entry as key, tab and value. Keys contain no tab. */
function valueLine(entry: EntryInfo | Entry): Uint8Array {
  const value = 'json' in entry ? onOneLine(entry.json) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(`${entry.key}\t`), value, Buffer.from('\n')]);
}

function tableRow({key, revision, sizeBytes, updatedAtMs, expiresAtMs}: EntryInfo): readonly string[] {
  const expires = expiresAtMs === undefined ? 'never' : formatToSecond(expiresAtMs);
  return [escapeControls(key), String(revision), formatBytes(sizeBytes), formatToSecond(updatedAtMs), expires];
}
