import {findSimilar} from '../../config/edit-distance.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {FAILURE_CODES, findRow} from '../../failures/rows/rows.ts';
import {pageOf} from '../../protocol/failure/failure-document.ts';
import {serviceUrl} from '../../system/loopback.ts';
import type {CallOf} from '../catalogue/call.ts';
import {refusedUsage} from '../failures/usage.ts';
import {readSettings} from '../input/settings.ts';
import {jsonLine} from '../terminal/escape.ts';
import {printList} from '../terminal/print-list.ts';
import {styleOf} from '../terminal/style.ts';

/** Description of a failure. */
interface Description {
  /** Status of the answer; undefined if no request fails with it. */
  readonly status?: number;
  readonly meaning: string;
  readonly advice: string;
}

/** `crewroom explain`: prints when a failure happens and what to do, or all codes, without a service. */
export async function run(call: CallOf<'explain'>): Promise<ExitCode> {
  const [code] = call.arguments;
  if (code === undefined) return list(call);
  const {context, flags} = call;
  const row = findRow(code);
  if (row === undefined) throw unknownCode(code);
  const {status, advice} = row;
  const {config} = await readSettings(call);
  const service = serviceUrl(config);
  const meaning = withoutMarks(row.when, service);
  const description = {...(status === undefined ? {} : {status}), meaning, advice};
  const url = service + pageOf(code);
  if (flags.json) await context.stdout.write(jsonLine({code, ...description, url}));
  else await context.stdout.write(formatDescription(code, {...description, url}, call));
  return EXIT.ok;
}

function list(call: CallOf<'explain'>): Promise<ExitCode> {
  const codes = FAILURE_CODES.map(code => ({code, status: findRow(code)?.status}));
  return printList(call, codes, {
    head: ['CODE', 'STATUS'],
    row: ({code, status}) => [code, status === undefined ? '-' : String(status)],
    empty: 'No failures',
    next: '"crewroom explain CODE" says when one happens and what to do',
  });
}

function unknownCode(code: string): Error {
  const similar = findSimilar(code, FAILURE_CODES);
  const hint = similar === undefined ? '' : `; did you mean ${similar}?`;
  return refusedUsage(
    'explain',
    `there is no failure ${JSON.stringify(code)}${hint}`,
    '"crewroom explain" lists all codes',
  );
}

/** Returns a line of Markdown as a text for terminals: a link is followed by its address at a service, and backticks show what is code. */
function withoutMarks(text: string, service: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)]+)\.md(#[^)]+)?\)/g, `$1 (${service}/docs/$2$3)`).replaceAll('**', '');
}

function formatDescription(
  code: string,
  {status, meaning, advice, url}: Description & {readonly url: string},
  {context}: CallOf<'explain'>,
): string {
  const style = styleOf(context.stdout, context);
  const answered = status === undefined ? '' : ` (status ${status})`;
  return `${style.bold(code)}${answered}\n\n${meaning}\n\n${advice}\n\n${style.dim(`While the service runs: ${url}`)}\n`;
}
