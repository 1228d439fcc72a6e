import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {EXIT} from '../../../src/core/failures/exit-codes.ts';
import {FAILURE_CODES, findRow} from '../../../src/core/failures/rows/rows.ts';

/**
 * Lists each code with its HTTP status and exit code, and its members with their types.
 *
 * @param folder Built declarations of the failures.
 */
export function listFailures(folder: string): string {
  const members = readMembers(folder);
  const lines = FAILURE_CODES.toSorted().flatMap(code => {
    const {status, exit = 'failure'} = findRow(code) ?? {};
    const own = members.get(code);
    if (own === undefined) throw new Error(`${folder} does not declare the members of ${code}`);
    return [`${code}: status ${status ?? 'none'}, exit code ${EXIT[exit]}`, ...own.map(each => `${code}.${each}`)];
  });
  return `${lines.join('\n')}\n`;
}

/** Reads the members as the compiler declares them. */
function readMembers(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(file => file.endsWith('.d.ts'));
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8'));
  const tables = texts.flatMap(text => text.match(/^export interface \w+Members .*\{$[\s\S]*?^\}$/gm) ?? []);
  const rows = tables.flatMap(table => [...table.matchAll(/^ {4}'?([a-z-]+)'?: (?:object|\{$([\s\S]*?)^ {4}\});$/gm)]);
  return new Map(rows.map(([, code = '', body = '']) => [code, Array.from(body.matchAll(MEMBER), describeMember)]));
}

const MEMBER = /^ {8}(\w+)(\??): (.*);$/gm;

function describeMember([, name = '', mark = '', type = '']: readonly string[]): string {
  return `${name}: ${type.replace(/^CaseOf<(.*)>$/, '$1, or more')}${mark === '?' ? '' : ', required'}`;
}
