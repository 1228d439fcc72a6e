import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {ACCESS_MODES, type AccessMode} from '../../src/core/domain/access/access.ts';
import type {Entries} from '../../src/core/domain/entries/entries.ts';
import {
  type CallAnswer,
  type CallerKind,
  callAs,
  callEmbedded,
  type SentCall,
  startCallers,
} from '../support/access-callers.ts';

/** A caller in a mode. */
interface Column {
  readonly mode: AccessMode;
  readonly kind: CallerKind;
}

/** A request, and the documented outcome for each caller. */
interface Row extends SentCall {
  readonly outcomes: readonly (Column & {readonly expected: string})[];
}

/** Bodies of the requests for which `{}` does not show what is permitted. */
const BODIES: Readonly<Record<string, string>> = {
  'POST /api/transactions': JSON.stringify({
    checks: [{key: 'com.a/none', absent: true}],
    operations: ['com.a/x', 'shared/x'].map(key => ({kind: 'put', key, value: 1})),
  }),
  'PUT /api/pilots/current': '{"name":"captain"}',
  'PUT /api/faults': '{"faults":[]}',
  'POST /api/allowed-origins': '{"origin":"http://page.example"}',
  'POST /api/navigate': '{"plugin":"com.a"}',
  'POST /api/log': '{"level":"info","message":"x"}',
  'POST /api/import': '',
  // Of no plugin that the table is about.
  'POST /api/access/grants': '{"plugin":"com.c","permissions":["admin"]}',
};

const [HEAD = [], ...LINES] = readTable('## Every request, caller and mode');

/** The callers of each column of the table. */
const COLUMNS: readonly (readonly Column[])[] = HEAD.slice(1).map(heading => {
  const [modes = '', kinds = ''] = heading.split(': ');
  return (modes === 'every mode' ? ACCESS_MODES : [modes as AccessMode]).flatMap(mode =>
    kinds.split(', ').map(kind => ({mode, kind: kind as CallerKind})),
  );
});

/** All requests: those with the same outcomes have one row of the table. */
const ROWS: readonly Row[] = LINES.flatMap(([lines = '', ...cells]) =>
  lines.split(', ').map(line => ({
    line,
    body: bodyOf(line),
    outcomes: cells.flatMap((cell, at) => {
      const values = cell.split(', ');
      return (COLUMNS[at] ?? []).map((column, of) => ({...column, expected: values[of] ?? values[0] ?? ''}));
    }),
  })),
);

/** Reads the table of a section of the documentation, the cells without marks of code. */
function readTable(heading: string): readonly (readonly string[])[] {
  const text = readFileSync(new URL('../../docs/access-for-plugins.md', import.meta.url), 'utf8');
  return text
    .slice(text.indexOf(heading))
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line => line.split('|').slice(1, -1))
    .map(cells => cells.map(cell => cell.replaceAll('`', '').trim()));
}

function bodyOf(line: string): string | undefined {
  return line.startsWith('GET ') ? undefined : (BODIES[line] ?? '{}');
}

/** Returns the outcome of a request, in the words of the table. */
function outcomeOf(line: string, {status, text}: CallAnswer): string {
  if (status === 401 || status === 403) return String(status);
  return IS_PART[line]?.(JSON.parse(text)) === true ? 'part' : 'yes';
}

type Document = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** Requests whose answers depend on the caller. */
const IS_PART: Readonly<Record<string, (document: Document) => boolean>> = {
  'GET /api/identity': ({va_user: user, vendor_design_user: account}) =>
    !Object.hasOwn(Object(user), 'session') && !Object.hasOwn(Object(account), 'token'),
  'GET /api/settings': document => !Object.hasOwn(document, 'com.b'),
  'GET /readyz': ({identity}) =>
    !Object.hasOwn(Object(identity), 'pilot') && !Object.hasOwn(Object(identity), 'summary'),
};

describe('the table of access', () => {
  test('has every mode and caller, and every row a value for each', () => {
    expect(new Set(COLUMNS.flat().map(({mode, kind}) => `${mode} ${kind}`)).size).toBe(16);
    expect(ROWS.length).toBeGreaterThan(70);
    expect(new Set(ROWS.map(({line}) => line)).size).toBe(ROWS.length);
    for (const {line, outcomes} of ROWS) {
      expect(outcomes, line).toHaveLength(COLUMNS.flat().length);
      expect(['yes', 'part', '401', '403'], line).toEqual(expect.arrayContaining(outcomes.map(each => each.expected)));
    }
  });

  test('permits no program without a token what a page or a background of a plugin may not do', () => {
    for (const {line, outcomes} of ROWS)
      for (const mode of ['attributed', 'strict'] as const) {
        const of = (kind: CallerKind) => outcomes.find(each => each.mode === mode && each.kind === kind)?.expected;
        const isPermitted = of('program') === 'yes' || of('program') === 'part';
        for (const kind of ['page in the console', 'background'] as const) {
          // In the other modes the origin suffices.
          const same = mode === 'attributed' && kind === 'page in the console' ? 'page' : kind;
          expect(isPermitted ? ['yes', 'part'] : [of(same)], `${line} of ${same}`).toContain(of(same));
        }
      }
  });

  for (const mode of ACCESS_MODES)
    test(`holds in the mode ${mode}, over HTTP and in an embedding program`, async () => {
      const service = await startCallers(mode);
      const {entries} = service.crewroom;
      await putEntries(entries);
      const wrong: string[] = [];
      // A background is a process, which calls over HTTP only.
      for (const {line, body, outcomes} of ROWS)
        for (const {kind, expected} of outcomes.filter(each => each.mode === mode))
          for (const call of kind === 'background' ? [callAs] : [callAs, callEmbedded]) {
            const answer = await call(service, kind, {line, body});
            const outcome = outcomeOf(line, answer);
            if (outcome !== expected) wrong.push(`${line} of ${kind}: ${outcome}, not ${expected}: ${answer.text}`);
            wrong.push(...findUnclear(line, answer));
            // The next caller finds what this one changed.
            if (!line.startsWith('GET ') && answer.status < 400) await putEntries(entries);
          }
      expect(wrong).toEqual([]);
    });
});

async function putEntries(entries: Pick<Entries, 'put'>): Promise<void> {
  for (const key of ['com.a/x', 'com.ab/x', 'com.b/x', 'shared/x']) await entries.put(key, 1);
}

/** Returns the problem of a refusal that does not say what is missing and what to do. */
function findUnclear(line: string, {status, text}: CallAnswer): readonly string[] {
  if (status !== 401 && status !== 403) return [];
  const {code, permission, advice} = JSON.parse(text) as Readonly<Record<string, string | undefined>>;
  const isClear =
    code === 'token-required' || code === 'permission-required'
      ? permission !== undefined && /crewroom (?:token create|access grant|console)/.test(advice ?? '')
      : code === 'owner-required' || code === 'foreign-page';
  return isClear ? [] : [`${line} is refused without what to do: ${text}`];
}
