import {describe, expect, test} from 'vitest';
import {callsOn, killPointsOf, readCalls, tracedPaths} from './call-trace.ts';

const TRACE = `100  04:34:09.07 openat(AT_FDCWD</work>, "/d/format.json", O_RDONLY|O_CLOEXEC <unfinished ...>
101  04:34:09.08 pwrite64(22</d/store/data.mdb>, ""..., 4096, 0) = 4096
100  04:34:09.09 <... openat resumed>) = -1 ENOENT (No such file or directory)
100  04:34:09.10 pwrite64(23</elsewhere/data.mdb>, ""..., 4096, 0) = 4096
100  04:34:09.11 pwrite64(22</d/store/data.mdb>, ""..., 4096, 0) = 4096
100  04:34:09.12 pwrite64(22</d/store/data.mdb>, ""..., 4096, 0) = 4096
100  04:34:09.13 rename("/d/format.json.new", "/d/format.json") = 0
100  04:34:09.14 write(24</dd/other>, ""..., 13) = 13
101  04:34:09.15 +++ killed by SIGKILL +++
`;

describe('a trace', () => {
  const calls = callsOn('/d', readCalls(TRACE));

  test('lists the calls on a directory, each once', () => {
    expect(calls.map(({thread, call}) => `${thread} ${call}`)).toEqual([
      '100 openat',
      '101 pwrite64',
      '100 pwrite64',
      '100 pwrite64',
      '100 rename',
    ]);
  });

  test('lists the files on which they were made', () => {
    expect(tracedPaths('/d', calls)).toEqual(['/d/format.json', '/d/store/data.mdb', '/d/format.json.new']);
  });

  test('lists the kill points: each call of the thread that makes the most', () => {
    expect(killPointsOf(calls)).toEqual([
      {call: 'openat', count: 1},
      {call: 'pwrite64', count: 1},
      {call: 'pwrite64', count: 2},
      {call: 'rename', count: 1},
    ]);
  });
});
