import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {History, type LoggedChange, type ReadEntry} from './history.ts';
import {type Attempt, type Change, Ledger} from './ledger.ts';
import {LossError} from './loss-error.ts';

const NOW_MS = Date.parse('2026-06-01T00:00:00Z');

describe('a history that agrees with the ledger', () => {
  test('passes, with every kind of write', () => {
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
    history.endAttempts();
    compare(history, [
      {key: 'b', revision: 3, text: '{"patched":7,"n":1.0}'},
      {key: 'c', revision: 2, text: '3'},
      {key: 'made', revision: 4, text: '{"patched":8}'},
    ]);
    expect(history.size).toBe(3);
  });

  test('may contain an unacknowledged transaction whole or not at all', () => {
    for (const happened of [true, false]) {
      const {ledger, history} = begin();
      ledger.lose(ledger.send([put('a', '1'), put('b', '2')]));
      history.follow(happened ? [written('a', 1, 1), written('b', 1, 2)] : []);
      history.endAttempts();
      expect(history.size).toBe(happened ? 2 : 0);
    }
  });

  test('may contain an import that replaced everything under its prefix, in one commit', () => {
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
    history.endAttempts();
    compare(history, [
      {key: 'p/2', revision: 2, text: '4'},
      {key: 'q', revision: 1, text: '3'},
    ]);
  });

  test('may lack an expired entry, whether or not the log contains its expiry yet', () => {
    const {ledger, history} = begin();
    const {sentMs} = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 1}]);
    const expiresAtMs = sentMs + 1000;
    history.follow([written('a', 1, 1, expiresAtMs)]);
    history.compare([], {beganMs: expiresAtMs, endedMs: expiresAtMs});
    history.follow([{kind: 'entry-expired', key: 'a', revision: '2'}]);
    expect(history.size).toBe(0);
  });

  test('is recorded in a file with every request and its outcome', () => {
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
  const cases: readonly {readonly name: string; readonly message: string; readonly of: (checked: Checked) => void}[] = [
    {
      name: 'if an acknowledged write is missing',
      message: 'Acknowledged and lost: attempt 2 (put "b"), revision 2',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        done(ledger, 2, [put('b', '2')]);
        history.follow([written('a', 1, 1)]);
        history.endAttempts();
      },
    },
    {
      name: 'if an acknowledged deletion is missing',
      message: 'Acknowledged and lost: attempt 2 (delete "a")',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        done(ledger, undefined, [remove('a')]);
        history.follow([written('a', 1, 1)]);
        history.endAttempts();
      },
    },
    {
      name: 'if a commit is missing in the middle',
      message: 'Out of order: revision 2 follows 0',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        done(ledger, 2, [put('b', '2')]);
        history.follow([written('b', 2, 2)]);
      },
    },
    {
      name: 'if a commit occurs twice',
      message: 'Out of order: revision 1 follows 1',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        history.follow([written('a', 1, 1)]);
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'if one write happened twice',
      message: 'Unexplained commit: revision 2',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1')]));
        history.follow([written('a', 1, 1), written('a', 2, 1)]);
      },
    },
    {
      name: 'if a write has another revision than the one in its answer',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        done(ledger, 2, [put('a', '1')]);
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'if a write comes before a revision that was known when it was sent',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        done(ledger, 2, [put('a', '1')]);
        ledger.lose(ledger.send([put('b', '2')]));
        history.follow([written('b', 1, 2)]);
      },
    },
    {
      name: 'if a write comes after the revision in its answer',
      message: 'Unexplained commit: revision 2',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('b', '2')]));
        ledger.acknowledge(ledger.send([put('a', '1')]), {ceiling: 1});
        history.follow([written('b', 1, 2), written('a', 2, 1)]);
      },
    },
    {
      name: 'if half of a transaction is present',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1'), put('b', '2')]));
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'if the halves of a transaction have two revisions',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1'), put('b', '2')]));
        history.follow([written('a', 1, 1), written('b', 2, 2)]);
      },
    },
    {
      name: 'if an import left an entry that it should have replaced',
      message: 'Unexplained commit: revision 2',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('p/1', '1')]);
        ledger.lose(ledger.send([put('p/2', '2')], 'p/'));
        history.follow([written('p/1', 1, 1), written('p/2', 2, 2)]);
      },
    },
    {
      name: 'if an event has another value than the one that was sent',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        history.follow([written('a', 1, 2)]);
      },
    },
    {
      name: 'if a refused write happened',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        ledger.refuse(ledger.send([put('a', '1')]), 'disk-full');
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'if a write that did not happen before a restart happens after it',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        ledger.lose(ledger.send([put('a', '1')]));
        history.endAttempts();
        history.follow([written('a', 1, 1)]);
      },
    },
    {
      name: 'if an entry without a time to live expires',
      message: 'Expired without a time to live: "a"',
      of: ({ledger, history}) => {
        done(ledger, 1, [put('a', '1')]);
        history.follow([written('a', 1, 1), {kind: 'entry-expired', key: 'a', revision: '2'}]);
      },
    },
    {
      name: 'if an entry expires too early',
      message: 'too early: "a"',
      of: ({ledger, history}) => {
        const {sentMs} = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 60}]);
        history.follow([written('a', 1, 1, sentMs + 60_000), {kind: 'entry-expired', key: 'a', revision: '2'}]);
      },
    },
    {
      name: 'if a time to live changed',
      message: 'Unexplained commit: revision 1',
      of: ({ledger, history}) => {
        const {sentMs} = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 60}]);
        history.follow([written('a', 1, 1, sentMs + 600_000)]);
      },
    },
  ];
  for (const {name, message, of} of cases) {
    test(name, () => {
      const checked = begin();
      expect(() => of(checked)).toThrow(LossError);
      const again = begin();
      expect(() => of(again)).toThrow(message);
    });
  }
});

describe('an entry that is read back is rejected', () => {
  const cases: readonly {readonly name: string; readonly message: string; readonly entries: readonly ReadEntry[]}[] = [
    {name: 'if it is missing', message: 'Lost: entry "a" of revision 1 does not exist', entries: []},
    {
      name: 'if a byte of its value differs',
      message: 'Torn: "a" is 1, and 1.0 was written',
      entries: [{key: 'a', revision: 1, text: '1'}],
    },
    {
      name: 'if its revision differs',
      message: 'Wrong revision: "a" has 2, and the log has 1',
      entries: [{key: 'a', revision: 2, text: '1.0'}],
    },
    {
      name: 'if it expires and should not',
      message: 'Wrong expiry: "a"',
      entries: [{key: 'a', revision: 1, text: '1.0', expiresAtMs: NOW_MS}],
    },
    {
      name: 'if it was never written',
      message: 'Deleted or never written: "b" of revision 1',
      entries: [
        {key: 'a', revision: 1, text: '1.0'},
        {key: 'b', revision: 1, text: '2'},
      ],
    },
  ];
  for (const {name, message, entries} of cases) {
    test(name, () => {
      const {ledger, history} = begin();
      done(ledger, 1, [put('a', '1.0')]);
      history.follow([written('a', 1, 1)]);
      history.endAttempts();
      expect(() => compare(history, entries)).toThrow(message);
    });
  }

  test('if it had expired before it was requested', () => {
    const {ledger, history} = begin();
    const expiresAtMs = done(ledger, 1, [{...put('a', '1'), ttlSeconds: 1}]).sentMs + 1000;
    history.follow([written('a', 1, 1, expiresAtMs)]);
    const read = [{key: 'a', revision: 1, text: '1', expiresAtMs}];
    history.compare(read, {beganMs: expiresAtMs - 1, endedMs: expiresAtMs + 5});
    expect(() => history.compare(read, {beganMs: expiresAtMs, endedMs: expiresAtMs})).toThrow(
      'Expired and still present',
    );
  });
});

describe('an entry read during writes', () => {
  const history = [written('a', 1, 1), written('a', 2, 2), {kind: 'entry-deleted', key: 'a', revision: '3'}];
  const seen = (revision: number, text: string) => ({revision, text});
  const cases = [
    {name: 'the state before', reading: {floor: 0, seen: undefined}, message: undefined},
    {name: 'a write in progress', reading: {floor: 0, seen: seen(2, '2')}, message: undefined},
    {name: 'a write, before the next one was known', reading: {floor: 1, seen: seen(1, '1')}, message: undefined},
    {name: 'absent, during a deletion', reading: {floor: 2, seen: undefined}, message: undefined},
    {name: 'a superseded write', reading: {floor: 2, seen: seen(1, '1')}, message: 'Stale read: "a"'},
    {name: 'a write that never happened', reading: {floor: 0, seen: seen(4, '1')}, message: 'Read and not in the log'},
    {
      name: 'a value that was never written',
      reading: {floor: 0, seen: seen(1, '2')},
      message: 'Read and not in the log',
    },
    {name: 'absent, before it was written', reading: {floor: 0, seen: undefined}, message: undefined},
    {name: 'an entry that was deleted', reading: {floor: 3, seen: seen(2, '2')}, message: 'Stale read'},
  ];
  for (const {name, reading, message} of cases) {
    test(`may ${message === undefined ? '' : 'not '}be ${name}`, () => {
      expect(check(history, reading)).toEqual(message === undefined ? undefined : expect.stringContaining(message));
    });
  }

  test('may not be absent between two writes', () => {
    expect(check(history.slice(0, 2), {floor: 1, seen: undefined})).toContain('Missing although it existed');
  });

  function check(
    changes: readonly LoggedChange[],
    reading: {readonly floor: number; readonly seen: {readonly revision: number; readonly text: string} | undefined},
  ): string | undefined {
    const {ledger, history: checked} = begin();
    done(ledger, 1, [put('a', '1')]);
    done(ledger, 2, [put('a', '2')]);
    if (changes.length > 2) done(ledger, undefined, [remove('a')]);
    ledger.read({key: 'a', ...reading});
    checked.follow(changes);
    try {
      checked.endAttempts();
      return undefined;
    } catch (error) {
      return (error as LossError).message;
    }
  }
});

interface Checked {
  readonly ledger: Ledger;
  readonly history: History;
  readonly path: string;
}

function begin(): Checked {
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

function written(key: string, revision: number, value: unknown, expiresAtMs?: number): LoggedChange {
  const expiry = expiresAtMs === undefined ? {} : {expiresAt: new Date(expiresAtMs).toISOString()};
  return {kind: 'entry-written', key, revision: String(revision), value, ...expiry};
}

function compare(history: History, entries: readonly ReadEntry[]): void {
  history.compare(entries, {beganMs: NOW_MS, endedMs: NOW_MS});
}
