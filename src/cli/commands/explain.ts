import {findSimilar, suggest} from '../../core/domain/commits/option-names.ts';
import {adviseOnCode} from '../../core/failures/facts.ts';
import type {FailureCode} from '../../core/failures/failure.ts';
import {FAILURE_CODES, findRow} from '../../core/failures/rows/rows.ts';
import {pageOf} from '../../core/protocol/failure/failure-document.ts';
import {serviceUrl} from '../../platform/system/loopback.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {refusedUsage} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import {styleOf} from '../terminal/context.ts';
import {type CommandOutcome, listed} from '../terminal/outcome.ts';

/** `crewroom explain`: prints when a failure happens and what to do, or all codes, without a service. */
export async function run(call: CallOf<'explain'>): Promise<CommandOutcome> {
  const [code] = call.arguments;
  if (code === undefined) return list(call);
  const row = findRow(code);
  if (row === undefined) throw unknownCode(code);
  const {status} = row;
  const advice = adviseOnCode(code as FailureCode);
  const {config} = await readSettings(call);
  const service = serviceUrl(config);
  const meaning = withoutMarks(row.when, service);
  const url = service + pageOf(code);
  const style = styleOf(call.context.stdout, call.context);
  const answered = status === undefined ? '' : ` (status ${status})`;
  const parts = [`${style.bold(code)}${answered}`, meaning, advice, style.dim(`While the service runs: ${url}`)];
  // A status only if requests fail with it.
  return {json: {code, status, meaning, advice, url}, text: `${parts.join('\n\n')}\n`};
}

function list(call: CallOf<'explain'>): CommandOutcome {
  const codes = FAILURE_CODES.map(code => ({code, status: findRow(code)?.status}));
  return listed(call.context, codes, {
    head: ['CODE', 'STATUS'],
    row: ({code, status}) => [code, status === undefined ? '-' : String(status)],
    empty: 'No failures',
    next: '"crewroom explain CODE" says when one happens and what to do',
  });
}

function unknownCode(code: string): Error {
  const answered = FAILURE_CODES.filter(each => String(findRow(each)?.status) === code);
  const hint = suggest(answered.join(', ') || findSimilar(code, FAILURE_CODES));
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
