import {readFile} from 'node:fs/promises';
import {findSimilar} from '../../config/edit-distance.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {pageOf} from '../../protocol/failure/failure-document.ts';
import {serviceUrl} from '../../system/loopback.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {EXPLAIN} from '../catalogue/setup-commands.ts';
import {refusedUsage} from '../failures/usage.ts';
import {readSettings} from '../input/settings.ts';
import {jsonLine} from '../terminal/escape.ts';
import {styleOf} from '../terminal/style.ts';

/** Descriptions of all failures, which the build takes from the documentation: in `dist/`, seen from the sources and from the built files alike. */
const DESCRIPTIONS = new URL('../../../dist/docs/errors.json', import.meta.url);

/** Description of a failure. */
interface Description {
  /** Status of the answer; undefined if no request fails with it. */
  readonly status?: number;
  readonly meaning: string;
  readonly advice: string;
}

/** `crewroom explain`: prints when a failure happens and what to do, without a service. */
export async function run(call: CallOf<typeof EXPLAIN>): Promise<ExitCode> {
  const [code = ''] = call.arguments;
  const {context, flags} = call;
  const described = JSON.parse(await readFile(DESCRIPTIONS, 'utf8')) as Readonly<Record<string, Description>>;
  const description = Object.hasOwn(described, code) ? described[code] : undefined;
  if (description === undefined) throw unknownCode(code, Object.keys(described));
  const {config} = await readSettings(call);
  const url = serviceUrl(config) + pageOf(code);
  if (flags.json) await context.stdout.write(jsonLine({code, ...description, url}));
  else await context.stdout.write(formatDescription(code, {...description, url}, call));
  return EXIT.ok;
}

function unknownCode(code: string, codes: readonly string[]): Error {
  const similar = findSimilar(code, codes);
  const hint = similar === undefined ? '' : `; did you mean ${similar}?`;
  return refusedUsage('explain', `there is no failure ${JSON.stringify(code)}${hint}`, 'docs/errors.md has all codes');
}

function formatDescription(
  code: string,
  {status, meaning, advice, url}: Description & {readonly url: string},
  {context}: CallOf<typeof EXPLAIN>,
): string {
  const style = styleOf(context.stdout, context);
  const answered = status === undefined ? '' : ` (status ${status})`;
  return `${style.bold(code)}${answered}\n\n${meaning}\n\n${advice}\n\n${style.dim(`While the service runs: ${url}`)}\n`;
}
