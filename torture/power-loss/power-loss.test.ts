import {describe, expect, test} from 'vitest';
import {LossError} from '../loss-error.ts';
import {readOperations} from './operations.ts';
import {type Fate, imageAt} from './simulated-disk.ts';
import {checkSyncOrder, sentRevisions} from './sync-order.ts';

const MARKS = new Map([[7, '"mark":1,']]);
const WRITE = '10 04:00:00.01 pwrite64(22</d/log>, "\\0{\\"mark\\":1,\\"n\\":1}\\n", 18, 0) = 18';
const SYNC = '10 04:00:00.02 fdatasync(22</d/log>) = 0';
const ANSWER =
  '11 04:00:00.03 write(25<TCP:[127.0.0.1:1->127.0.0.1:2]>, "HTTP/1.1 200 OK\\r\\nETag: \\"3f9c-7\\"\\r\\n\\r\\n{}", 34) = 34';

describe('the order of system calls', () => {
  const cases = [
    {name: 'a write, its sync, and the answer', lines: [WRITE, SYNC, ANSWER]},
    {
      name: 'a sync that ended before the answer, in another thread',
      lines: [
        WRITE,
        '10 04:00:00.02 fdatasync(22</d/log> <unfinished ...>',
        '11 04:00:00.02 write(15<anon_inode:[eventfd]>, "\\1", 8) = 8',
        '10 04:00:00.03 <... fdatasync resumed>) = 0',
        ANSWER,
      ],
    },
    {
      name: 'a write to a file that is opened for synchronous writes',
      lines: ['10 04:00:00.00 openat(AT_FDCWD</>, "/d/log", O_WRONLY|O_DSYNC|O_CLOEXEC) = 22</d/log>', WRITE, ANSWER],
    },
  ];
  for (const {name, lines} of cases) {
    test(`passes: ${name}`, () => {
      expect(checkSyncOrder(readOperations(lines.join('\n')), MARKS)).toBe(1);
    });
  }

  const wrong = [
    {name: 'no sync at all', lines: [WRITE, ANSWER]},
    {name: 'no write of the value', lines: [SYNC, ANSWER]},
    {name: 'the answer before the sync', lines: [WRITE, ANSWER, SYNC]},
    {name: 'the sync before the write', lines: [SYNC, WRITE, ANSWER]},
    {name: 'a sync of another file', lines: [WRITE, SYNC.replace('/d/log', '/d/other'), ANSWER]},
    {name: 'a sync that failed', lines: [WRITE, `${SYNC.slice(0, -1)}-1 EIO (Input/output error)`, ANSWER]},
    {
      name: 'an answer during the sync',
      lines: [
        WRITE,
        '10 04:00:00.02 fdatasync(22</d/log> <unfinished ...>',
        ANSWER,
        '10 04:00:00.04 <... fdatasync resumed>) = 0',
      ],
    },
    {
      name: 'a sync that began during the write',
      lines: [
        WRITE.replace(') = 18', ' <unfinished ...>'),
        '11 04:00:00.02 fdatasync(22</d/log>) = 0',
        '10 04:00:00.03 <... pwrite64 resumed>) = 18',
        ANSWER,
      ],
    },
  ];
  for (const {name, lines} of wrong) {
    test(`is rejected: ${name}`, () => {
      expect(() => checkSyncOrder(readOperations(lines.join('\n')), MARKS)).toThrow(LossError);
    });
  }

  test('is checked across the checksums in sectors of the write-ahead log', () => {
    const content = `${'x'.repeat(505)}"mark":~~~~1,`.padEnd(1024, '.');
    const written = `10 04:00:00.01 pwrite64(22</d/wal-0>, "${content.replaceAll('"', '\\"')}", 1024, 0) = 1024`;
    const lines = [written, SYNC.replace('/d/log', '/d/wal-0'), ANSWER];
    expect(checkSyncOrder(readOperations(lines.join('\n')), MARKS)).toBe(1);
  });

  test('counts revisions in answers, transactions and events', () => {
    const trace = [
      ANSWER,
      '11 04:00:00.04 writev(25<TCP:[1]>, [{iov_base="HTTP/1.1 200 OK\\r\\n\\r\\n", iov_len=19}, {iov_base="{\\"revision\\":\\"9\\"}", iov_len=16}], 2) = 35',
      '11 04:00:00.05 write(25<TCP:[1]>, "event: entry-written\\ndata: {}\\nid: 3f9c-12\\n\\n", 40) = 40',
    ];
    expect(sentRevisions(readOperations(trace.join('\n'))).map(({revision}) => revision)).toEqual([7, 9, 12]);
  });
});

describe('a disk after a loss of power', () => {
  const TRACE = [
    '10 04:00:00.00 mkdir("/d/s", 0700) = 0',
    '10 04:00:00.01 fsync(21</d>) = 0',
    '10 04:00:00.02 openat(AT_FDCWD</>, "/d/s/a", O_RDWR|O_CREAT, 0600) = 22</d/s/a>',
    '10 04:00:00.03 fsync(23</d/s>) = 0',
    '10 04:00:00.04 write(22</d/s/a>, "one", 3) = 3',
    '10 04:00:00.05 fdatasync(22</d/s/a>) = 0',
    '10 04:00:00.06 lseek(22</d/s/a>, 1, SEEK_SET) = 1',
    '10 04:00:00.07 writev(22</d/s/a>, [{iov_base="X", iov_len=1}, {iov_base="Y", iov_len=1}], 2) = 2',
    '10 04:00:00.08 openat(AT_FDCWD</>, "/d/s/b.new", O_WRONLY|O_CREAT|O_TRUNC, 0600) = 24</d/s/b.new>',
    '10 04:00:00.09 write(24</d/s/b.new>, "b", 1) = 1',
    '10 04:00:00.10 fsync(24</d/s/b.new>) = 0',
    '10 04:00:00.11 rename("/d/s/b.new", "/d/s/b") = 0',
    '10 04:00:00.12 fsync(23</d/s>) = 0',
  ];

  function found(lines: number, fate: Fate): Record<string, string | undefined> {
    const operations = readOperations(TRACE.join('\n'));
    const image = imageAt(operations, {directory: '/d', at: lines, choose: () => fate});
    return Object.fromEntries([...image].map(([path, content]) => [path, content?.toString()]));
  }

  test('contains all synced writes, and file names whose directories were synced', () => {
    expect(found(1, 'lost')).toEqual({'/d': undefined});
    expect(found(2, 'lost')).toEqual({'/d': undefined, '/d/s': undefined});
    expect(found(3, 'lost')).toEqual({'/d': undefined, '/d/s': undefined});
    expect(found(5, 'lost')).toMatchObject({'/d/s/a': ''});
    expect(found(6, 'lost')).toMatchObject({'/d/s/a': 'one'});
    expect(found(12, 'lost')).toEqual({'/d': undefined, '/d/s': undefined, '/d/s/a': 'one'});
    expect(found(13, 'lost')).toMatchObject({'/d/s/a': 'one', '/d/s/b': 'b'});
  });

  test('may contain all pending operations', () => {
    expect(found(8, 'kept')).toMatchObject({'/d/s/a': 'oXY'});
    expect(found(11, 'kept')).toMatchObject({'/d/s/b.new': 'b'});
    expect(found(12, 'kept')).not.toHaveProperty(['/d/s/b.new']);
  });

  test('may contain some sectors of a write and not others', () => {
    const page = 'n'.repeat(2048);
    const lines = [
      '10 04:00:00.00 openat(AT_FDCWD</>, "/d/a", O_RDWR|O_CREAT, 0600) = 22</d/a>',
      '10 04:00:00.01 fsync(21</d>) = 0',
      `10 04:00:00.02 pwrite64(22</d/a>, "${page}", 2048, 0) = 2048`,
    ];
    const image = imageAt(readOperations(lines.join('\n')), {directory: '/d', at: 3, choose: () => 'torn'});
    const content = image.get('/d/a') ?? Buffer.alloc(0);
    const sectors = [0, 512, 1024].map(start => content.subarray(start, start + 512).toString());
    expect(sectors).toEqual(['n'.repeat(512), '\0'.repeat(512), 'n'.repeat(512)]);
  });

  test('cannot be derived from an incomplete trace', () => {
    const cut = '10 04:00:00.02 pwrite64(22</d/a>, "nnn"..., 2048, 0) = 2048';
    expect(() => readOperations(cut)).toThrow('The trace does not contain all bytes');
  });
});
