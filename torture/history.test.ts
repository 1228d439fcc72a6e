import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {History, LossError, type ReadEntry, type Told} from './history.ts';
import {type Attempt, type Change, Ledger} from './ledger.ts';

const NOW_MS = Date.parse('2026-06-01T00:00:00Z');

describe('a history that is as the ledger says', () => {
  test('passes, with everything that can be done to entries', () => {
    const {ledger, history} = begin();
    done(ledger, 1, [put('a', '1.0')]);
    done(ledger, 2, [put('b', '{"patched":null,"n":1.0}'), put('c', '3'), remove('missing')]);
    done(ledger, 3, [{kind: 'patch', key: 'b', mark: 7}]);
    done(ledger, 4, [{kind: 'patch', key: 'made', mark: 8}]);
    done(ledger, undefined, [remove('a')]);
    history.follow([
      written('a', 1, 1),
      written('b', 2, {patched: null, n: 1}),
      written('c', 2, 3),
      written('b', 3, {patched: 7, n: 1}),
      written('made', 4, {patched: 8}),
      {kind: 'entry-deleted', key: 'a', revision: '5'},
    ]);
    history.settle();
    compare(history, [
      {key: 'b', revision: 3, text: '{"patched":7,"n":1.0}'},
      {key: 'c', revision: 2, text: '3'},
      {key: 'made', revision: 4, text: '{"patched":8}'},
    ]);
    expect(history.size).toBe(3);
  });

  test('may have of what was not acknowledged all or nothing', () => {
    for (const happened of [true, false]) {
      const {ledger, history} = begin();
      ledger.lose(ledger.send([put('a', '1'), put('b', '2')]));
      history.follow(happened ? [written('a', 1, 1), written('b', 1, 2)] : []);
      history.settle();
      expect(history.size).toBe(happened ? 2 : 0);
    }
  });

  test('may have an import that replaced everything under its prefix, in one commit', () => {
    const {ledger, history} = begin();
    done(ledger, 1, [put('p/1', '1'), put('p/2', '2'), put('q', '3')]);
    ledger.acknowledge(ledger.send([put('p/2', '4')], 'p/'), {ceiling: 5});
    history.follow([
      written('p/1', 1, 1),
      written('p/2', 1, 2),
      written('q', 1, 3),
      {kind: 'entry-deleted', key: 'p/1', revision: '2'},
      written('p/2', 2, 4),
    ]);
    history.settle();
    compare(history, [
      {key: 'p/2', revision: 2, text: '4'},
      {key: 'q', revision: 1, text: '3'},
    ]);
  });

  test('may lack an entry whose time is over, whether or not the log says so yet', () => {
    const {ledger, history} = begin();
    const {sentMs} = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 1}]);
    const expiresAtMs = sentMs + 1000;
    history.follow([written('a', 1, 1, expiresAtMs)]);
    history.compare([], {beganMs: expiresAtMs, endedMs: expiresAtMs});
    history.follow([{kind: 'entry-expired', key: 'a', revision: '2'}]);
    expect(history.size).toBe(0);
  });

  test('is told of in a file that says what was sent and what became of it', () => {
    const {ledger, path} = begin();
    ledger.note({kill: 1});
    ledger.refuse(ledger.send([put('a', `"${'x'.repeat(500)}"`)]), 'disk-full');
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const said: readonly Record<string, unknown>[] = lines.map(line => JSON.parse(line));
    expect(said).toMatchObject([
      {kill: 1},
      {attempt: 1, changes: [{kind: 'put', key: 'a', text: expect.stringContaining('502 bytes')}]},
      {attempt: 1, state: 'refused'},
      {attempt: 1, code: 'disk-full'},
    ]);
  });
});

describe('a history is rejected', () => {
  const cases: readonly {readonly name: string; readonly says: string; readonly of: (judged: Judged) => void}[] = [
    {
      name: 'when a write that was acknowledged is not in it',
      says: 'Acknowledged and lost: attempt 2 (put "b"), revision 2',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        done(ledger, 2, [put('b', '2')]);
        history.follow([written('a', 1, 1)]);
        history.settle();
      },
    },
    {
      name: 'when a deletion that was acknowledged is not in it',
      says: 'Acknowledged and lost: attempt 2 (delete "a")',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        done(ledger, undefined, [remove('a')]);
        history.follow([written('a', 1, 1)]);
        history.settle();
      },
    },
    {
      name: 'when a commit is missing in the middle',
      says: 'Out of order: revision 2 follows 0',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        done(ledger, 2, [put('b', '2')]);
        history.follow([written('b', 2, 2)]);
      },
    },
    {
      name: 'when a commit is told twice',
      says: 'Out of order: revision 1 follows 1',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        history.follow([written('a', 1, 1)]);
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'when one write happened twice',
      says: 'Nobody did this, or not like this: revision 2',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1')]));
        history.follow([written('a', 1, 1), written('a', 2, 1)]);
      },
    },
    {
      name: 'when a write is under another revision than the one that was told',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        done(ledger, 2, [put('a', '1')]);
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'when a write comes before what was known when it was sent',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        done(ledger, 2, [put('a', '1')]);
        ledger.lose(ledger.send([put('b', '2')]));
        history.follow([written('b', 1, 2)]);
      },
    },
    {
      name: 'when a write comes later than the answer could know',
      says: 'Nobody did this, or not like this: revision 2',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('b', '2')]));
        ledger.acknowledge(ledger.send([put('a', '1')]), {ceiling: 1});
        history.follow([written('b', 1, 2), written('a', 2, 1)]);
      },
    },
    {
      name: 'when a half of a transaction is in it',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1'), put('b', '2')]));
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'when the halves of a transaction are under two revisions',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1'), put('b', '2')]));
        history.follow([written('a', 1, 1), written('b', 2, 2)]);
      },
    },
    {
      name: 'when an import left something that it was to replace',
      says: 'Nobody did this, or not like this: revision 2',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('p/1', '1')]);
        ledger.lose(ledger.send([put('p/2', '2')], 'p/'));
        history.follow([written('p/1', 1, 1), written('p/2', 2, 2)]);
      },
    },
    {
      name: 'when an event has another value than the one that was sent',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        history.follow([written('a', 1, 2)]);
      },
    },
    {
      name: 'when what was refused happened',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        ledger.refuse(ledger.send([put('a', '1')]), 'disk-full');
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'when what did not happen before a restart happens after it',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1')]));
        history.settle();
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'when something expires that has no time to live',
      says: 'Expired without being asked to: "a"',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        history.follow([written('a', 1, 1), {kind: 'entry-expired', key: 'a', revision: '2'}]);
      },
    },
    {
      name: 'when something expires before its time',
      says: 'too early: "a"',
      of: ({ledger, history}) => {
        const {sentMs} = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 60}]);
        history.follow([written('a', 1, 1, sentMs + 60_000), {kind: 'entry-expired', key: 'a', revision: '2'}]);
      },
    },
    {
      name: 'when a time to live became another one',
      says: 'Nobody did this, or not like this: revision 1',
      of: ({ledger, history}) => {
        const {sentMs} = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 60}]);
        history.follow([written('a', 1, 1, sentMs + 600_000)]);
      },
    },
  ];
  for (const {name, says, of} of cases) {
    test(name, () => {
      const judged = begin();
      expect(() => of(judged)).toThrow(LossError);
      const again = begin();
      expect(() => of(again)).toThrow(says);
    });
  }
});

describe('what is read back is rejected', () => {
  const cases: readonly {readonly name: string; readonly says: string; readonly entries: readonly ReadEntry[]}[] = [
    {name: 'when an entry is missing', says: 'Lost: "a" of revision 1 is not there', entries: []},
    {
      name: 'when a byte of a value differs',
      says: 'Torn: "a" is 1, and written was 1.0',
      entries: [{key: 'a', revision: 1, text: '1'}],
    },
    {
      name: 'when its revision is another',
      says: 'Wrong revision: "a" has 2, and the log says 1',
      entries: [{key: 'a', revision: 2, text: '1.0'}],
    },
    {
      name: 'when it expires and should not',
      says: 'Wrong expiry: "a"',
      entries: [{key: 'a', revision: 1, text: '1.0', expiresAtMs: NOW_MS}],
    },
    {
      name: 'when there is an entry that nobody wrote',
      says: 'Deleted or never written: "b" of revision 1',
      entries: [
        {key: 'a', revision: 1, text: '1.0'},
        {key: 'b', revision: 1, text: '2'},
      ],
    },
  ];
  for (const {name, says, entries} of cases) {
    test(name, () => {
      const {ledger, history} = begin();
      done(ledger, 1, [put('a', '1.0')]);
      history.follow([written('a', 1, 1)]);
      history.settle();
      expect(() => compare(history, entries)).toThrow(says);
    });
  }

  test('when an entry is there whose time was over when it was asked for', () => {
    const {ledger, history} = begin();
    const expiresAtMs = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 1}]).sentMs + 1000;
    history.follow([written('a', 1, 1, expiresAtMs)]);
    const read = [{key: 'a', revision: 1, text: '1', expiresAtMs}];
    history.compare(read, {beganMs: expiresAtMs - 1, endedMs: expiresAtMs + 5});
    expect(() => history.compare(read, {beganMs: expiresAtMs, endedMs: expiresAtMs})).toThrow(
      'Expired and still there',
    );
  });
});

describe('what was read while others wrote', () => {
  const history = [written('a', 1, 1), written('a', 2, 2), {kind: 'entry-deleted', key: 'a', revision: '3'}];
  const seen = (revision: number, text: string) => ({revision, text});
  const cases = [
    {name: 'the state before', reading: {floor: 0, seen: undefined}, says: undefined},
    {name: 'a write that was under way', reading: {floor: 0, seen: seen(2, '2')}, says: undefined},
    {name: 'a write, before the next was known', reading: {floor: 1, seen: seen(1, '1')}, says: undefined},
    {name: 'nothing, where a deletion was under way', reading: {floor: 2, seen: undefined}, says: undefined},
    {name: 'a write that is over', reading: {floor: 2, seen: seen(1, '1')}, says: 'Read when it was over: "a"'},
    {name: 'a write that never was', reading: {floor: 0, seen: seen(4, '1')}, says: 'Read and not in the log'},
    {name: 'a value that never was', reading: {floor: 0, seen: seen(1, '2')}, says: 'Read and not in the log'},
    {name: 'nothing, before it was there', reading: {floor: 0, seen: undefined}, says: undefined},
    {name: 'an entry that was deleted', reading: {floor: 3, seen: seen(2, '2')}, says: 'Read when it was over'},
  ];
  for (const {name, reading, says} of cases) {
    test(`may ${says === undefined ? '' : 'not '}be ${name}`, () => {
      expect(judge(history, reading)).toEqual(says === undefined ? undefined : expect.stringContaining(says));
    });
  }

  test('may not be nothing between two writes', () => {
    expect(judge(history.slice(0, 2), {floor: 1, seen: undefined})).toContain('Not found when it was there');
  });

  function judge(
    changes: readonly Told[],
    reading: {readonly floor: number; readonly seen: {readonly revision: number; readonly text: string} | undefined},
  ): string | undefined {
    const {ledger, history: judged} = begin();
    done(ledger, 1, [put('a', '1')]);
    done(ledger, 2, [put('a', '2')]);
    if (changes.length > 2) done(ledger, undefined, [remove('a')]);
    ledger.read({key: 'a', ...reading});
    judged.follow(changes);
    try {
      judged.settle();
      return undefined;
    } catch (error) {
      return (error as LossError).message;
    }
  }
});

interface Judged {
  readonly ledger: Ledger;
  readonly history: History;
  readonly path: string;
}

function begin(): Judged {
  const directory = mkdtempSync(join(tmpdir(), 'crewroom-ledger-'));
  const path = join(directory, 'ledger.ndjson');
  const ledger = new Ledger(path);
  onTestFinished(() => {
    ledger[Symbol.dispose]();
    rmSync(directory, {recursive: true});
  });
  return {ledger, history: new History(ledger), path};
}

function done(ledger: Ledger, revision: number | undefined, changes: readonly Change[]): Attempt {
  const attempt = ledger.send(changes);
  ledger.acknowledge(attempt, revision === undefined ? {} : {revision});
  return attempt;
}

function put(key: string, text: string): Extract<Change, {kind: 'put'}> {
  return {kind: 'put', key, text};
}

function remove(key: string): Change {
  return {kind: 'delete', key};
}

function written(key: string, revision: number, value: unknown, expiresAtMs?: number): Told {
  const expiry = expiresAtMs === undefined ? {} : {expiresAt: new Date(expiresAtMs).toISOString()};
  return {kind: 'entry-written', key, revision: String(revision), value, ...expiry};
}

function compare(history: History, entries: readonly ReadEntry[]): void {
  history.compare(entries, {beganMs: NOW_MS, endedMs: NOW_MS});
}
