import {describe, expect, test} from 'vitest';
import {useService} from '../support/service.ts';

const WRITERS = 50;

const service = useService();

/** Value that a request saw, and when it started and ended, as sequence numbers of this process. */
interface Seen {
  readonly kind: 'read' | 'won' | 'lost';
  readonly revision: number;
  readonly value: number | undefined;
  readonly expected: number | undefined;
  readonly began: number;
  readonly ended: number;
}

describe(`${WRITERS} writers that all expect the same revision (C8)`, () => {
  test('have one winner', async () => {
    const url = `${service().url}/api/store/race`;
    const first = await fetch(url, {method: 'PUT', body: '0'});
    const etag = first.headers.get('ETag') ?? '';
    const answers = await Promise.all(
      Array.from({length: WRITERS}, async (_, writer) => {
        const response = await fetch(url, {method: 'PUT', headers: {'If-Match': etag}, body: String(writer)});
        const {code, conflicts} = (await response.json()) as {code?: string; conflicts?: readonly {expected: string}[]};
        return [response.status, code, conflicts?.[0]?.expected];
      }),
    );
    const lost = [412, 'revision-conflict', etag.slice(1, -1).split('-')[1]];
    expect(answers.toSorted()).toEqual([[200, undefined, undefined], ...Array(WRITERS - 1).fill(lost)]);
  });

  test('increment without lost updates, and all readers see one history', async () => {
    const url = `${service().url}/api/store/count`;
    await fetch(url, {method: 'PUT', body: '0'});
    let clock = 0;
    const history: Seen[] = [];
    const read = async (): Promise<Seen> => {
      const began = ++clock;
      const response = await fetch(url);
      const value = Number(await response.text());
      const revision = readTag(response);
      const seen = {kind: 'read', revision, value, expected: undefined, began, ended: ++clock} as const;
      history.push(seen);
      return seen;
    };
    const compareAndSet = async (expected: number, value: number): Promise<boolean> => {
      const began = ++clock;
      const response = await fetch(url, {
        method: 'PUT',
        headers: {'If-Match': `"${service().crewroom.storeId}-${expected}"`},
        body: String(value),
      });
      const answer = (await response.json()) as {conflicts?: readonly {actual: string}[]};
      const ended = ++clock;
      expect([200, 412]).toContain(response.status);
      if (response.status === 200)
        history.push({kind: 'won', revision: readTag(response), value, expected, began, ended});
      else {
        const revision = Number(answer.conflicts?.[0]?.actual);
        history.push({kind: 'lost', revision, value: undefined, expected, began, ended});
      }
      return response.status === 200;
    };
    await Promise.all(
      Array.from({length: WRITERS}, async () => {
        for (;;) {
          const {revision, value = 0} = await read();
          if (await compareAndSet(revision, value + 1)) return;
        }
      }),
    );
    expect((await read()).value).toBe(WRITERS);
    expectOneHistory(history);
  });
});

function readTag(response: Response): number {
  return Number(response.headers.get('ETag')?.slice(1, -1).split('-')[1]);
}

/**
 * The order of the revisions is the order in which everything happened: each revision follows from the one that its
 * writer expected, and no reader sees one before it is written, or an older one after a newer one.
 */
function expectOneHistory(history: readonly Seen[]): void {
  const wins = history.filter(({kind}) => kind === 'won').toSorted((a, b) => a.revision - b.revision);
  expect(new Set(wins.map(({revision}) => revision)).size).toBe(wins.length);
  expect(new Set(wins.map(({expected}) => expected)).size).toBe(wins.length);
  for (const [index, win] of wins.slice(1).entries())
    expect([win.expected, win.value]).toEqual([wins[index]?.revision, index + 2]);
  const written = new Map(wins.map(win => [win.revision, win]));
  const byEnd = history.toSorted((a, b) => a.ended - b.ended);
  for (const seen of history) {
    const known = Math.max(0, ...byEnd.filter(({ended}) => ended < seen.began).map(({revision}) => revision));
    expect(seen.revision).toBeGreaterThanOrEqual(known);
  }
  // The first value was not written by these writers.
  const afterFirst = history.flatMap(seen => {
    const win = written.get(seen.revision);
    return win === undefined ? [] : [{seen, win}];
  });
  expect(afterFirst.length).toBeGreaterThan(WRITERS);
  for (const {seen, win} of afterFirst) {
    expect(win.began).toBeLessThan(seen.ended);
    expect(seen.kind === 'read' ? seen.value : win.value).toBe(win.value);
  }
  for (const {revision, expected} of history.filter(({kind}) => kind === 'lost')) expect(revision).not.toBe(expected);
}
