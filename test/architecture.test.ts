import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');

/** A folder of `src/`, at any depth, or a file directly in `src/`. */
type Room = keyof typeof MAY_IMPORT;

/**
 * Imports that each room may have: other rooms, `node:` for the modules of the platform, and packages by name. Every room may
 * import itself; `domain/` stands for that folder and those in it. `app.ts` and `parts.ts` alone import the adapters.
 */
const MAY_IMPORT = {
  time: ['node:timers'],
  failures: ['failures/members', 'failures/rows'],
  'failures/members': [],
  'failures/rows': ['failures/members'],
  json: ['failures', 'failures/members'],
  domain: ['json', 'time'],
  'domain/access': [],
  'domain/commits': [
    'domain',
    'domain/access',
    'domain/entries',
    'domain/plugins',
    'failures',
    'failures/members',
    'json',
  ],
  'domain/entries': ['domain', 'domain/access', 'failures', 'json'],
  'domain/faults': ['domain/commits', 'domain/identity', 'failures'],
  'domain/identity': ['failures'],
  'domain/plugins': ['failures/members'],
  documents: ['domain/', 'failures', 'failures/members', 'json', 'valibot'],
  'documents/answers': ['domain/', 'documents', 'valibot'],
  protocol: ['domain/', 'failures', 'json', 'protocol/failure', 'protocol/text'],
  'protocol/event': ['domain/', 'json', 'protocol/text'],
  'protocol/failure': ['failures', 'protocol/text'],
  'protocol/headers': ['domain/', 'failures', 'protocol/text', 'protocol/transaction'],
  'protocol/plugin': ['domain/', 'json', 'protocol/text'],
  'protocol/text': ['domain/'],
  'protocol/transaction': ['domain/', 'failures', 'failures/members', 'json', 'protocol/text'],
  'protocol/transfer': ['domain/', 'failures', 'failures/members', 'json', 'protocol/text'],
  service: ['domain/', 'failures', 'failures/members', 'json', 'protocol/text', 'protocol/transfer'],
  store: [
    'domain/',
    'failures',
    'store/disk',
    'store/format',
    'store/lmdb',
    'store/plan',
    'store/tree',
    'store/wal',
    'store/write',
    'node:crypto',
    'node:path',
  ],
  'store/disk': ['domain/', 'failures', 'files', 'node:'],
  'store/format': ['domain/', 'failures', 'json', 'node:zlib'],
  'store/lmdb': ['domain/', 'failures', 'store/disk', 'system', 'time', 'node:', 'lmdb'],
  // With the queue of the store on disk, so that commits wait in the same order and under the same limit.
  'store/memory': ['domain/', 'failures', 'json', 'store/format', 'store/plan', 'store/write', 'node:crypto'],
  'store/plan': ['domain/', 'failures', 'failures/members', 'json', 'store/format'],
  'store/shared': [
    'domain/',
    'failures',
    'json',
    'store/format',
    'store/plan',
    'store/shared/engine',
    'store/write',
    'time',
  ],
  'store/shared/engine': ['domain/', 'failures', 'json', 'store/format', 'store/plan', 'node:crypto', 'node:zlib'],
  'store/shared/etcd': [
    'domain/',
    'failures',
    'store/shared/engine',
    'time',
    'node:crypto',
    'node:events',
    'node:fs',
    'node:http',
    'node:https',
    '@grpc/grpc-js',
    '@grpc/proto-loader',
  ],
  'store/tree': [
    'domain/',
    'failures',
    'json',
    'store/disk',
    'store/format',
    'store/lmdb',
    'store/plan',
    'store/wal',
    'time',
    'node:buffer',
  ],
  'store/wal': ['domain/', 'failures', 'json', 'store/disk', 'store/format', 'store/plan', 'node:'],
  'store/write': ['domain/', 'failures', 'store/disk', 'store/plan', 'store/tree', 'store/wal', 'time'],
  identity: ['domain/', 'documents', 'failures', 'failures/members', 'files', 'json', 'node:fs', 'node:path'],
  'identity/backend': [
    'domain/',
    'documents',
    'failures',
    'failures/members',
    'files',
    'identity',
    'identity/backend/request',
    'json',
  ],
  'identity/backend/request': ['domain/', 'failures', 'failures/members', 'identity', 'json', 'time', 'node:net'],
  'identity/keychain': ['failures', 'identity', 'system', 'time', 'node:child_process', 'node:url'],
  'identity/session': [
    'domain/',
    'failures',
    'failures/members',
    'identity',
    'identity/backend',
    'identity/session/storage',
    'json',
    'time',
  ],
  'identity/session/storage': [
    'domain/',
    'failures',
    'files',
    'identity/backend',
    'identity/keychain',
    'json',
    'node:fs',
    'node:path',
    'valibot',
  ],
  access: [
    'domain/',
    'documents',
    'failures',
    'failures/members',
    'files',
    'node:crypto',
    'node:fs',
    'node:path',
    'valibot',
  ],
  'access/grants': ['domain/', 'access', 'documents', 'failures', 'failures/members', 'files', 'node:path', 'valibot'],
  'access/pages': ['domain/', 'access', 'node:crypto', 'node:path'],
  events: ['domain/', 'failures', 'time'],
  faults: ['domain/', 'documents', 'failures', 'time', 'node:events'],
  metrics: ['domain/', 'failures'],
  requests: ['domain/', 'failures', 'protocol/headers', 'time'],
  plugins: [
    'domain/',
    'failures',
    'failures/members',
    'files',
    'plugins/background',
    'plugins/background/log',
    'plugins/directory',
    'plugins/manifest',
    'time',
    'node:fs',
    'node:path',
  ],
  'plugins/background': [
    'domain/',
    'failures',
    'plugins/background/channel',
    'plugins/background/log',
    'system',
    'time',
    'node:',
  ],
  // Runs on both sides.
  'plugins/background/channel': ['domain/'],
  'plugins/background/log': ['domain/', 'time', 'node:stream', 'node:string_decoder'],
  // A program of its own: it loads code of a plugin, and must not load that of the service.
  'plugins/background/runtime': [
    'plugins/background/channel',
    'plugins/background/runtime/calls',
    'plugins/background/runtime/modules',
    'plugins/background/runtime/program',
    'plugins/background/runtime/values',
    'node:',
  ],
  'plugins/background/runtime/calls': [
    'plugins/background/channel',
    'plugins/background/runtime/values',
    'node:fs',
    'node:path',
  ],
  'plugins/background/runtime/modules': [
    'plugins/background/runtime/program',
    'plugins/background/runtime/values',
    'node:',
  ],
  'plugins/background/runtime/program': [],
  'plugins/background/runtime/values': ['node:url', 'node:util'],
  'plugins/directory': [
    'domain/',
    'failures',
    'failures/members',
    'files',
    'plugins/manifest',
    'time',
    'node:crypto',
    'node:fs',
    'node:path',
    'node:util',
  ],
  'plugins/manifest': ['domain/', 'documents', 'failures/members', 'json', 'valibot'],
  'plugins/package': [
    'domain/',
    'failures',
    'failures/members',
    'files',
    'plugins/background/runtime/modules',
    'plugins/directory',
    'plugins/manifest',
    'plugins/package/check',
    'plugins/sources',
    'node:fs',
    'node:module',
    'node:path',
    'node:util',
    'node:zlib',
    'yauzl',
    'yazl',
  ],
  'plugins/sources': ['files', 'json', 'plugins/directory', 'node:fs', 'node:path'],
  'plugins/package/check': ['domain/', 'plugins/manifest', 'acorn'],
  'back-end': [
    'failures',
    'failures/members',
    'files',
    'json',
    'time',
    'node:events',
    'node:http',
    'node:net',
    'node:url',
  ],
  flight: ['domain/', 'failures', 'failures/members'],
  settings: ['domain/', 'failures', 'failures/members', 'files', 'json', 'time'],
  system: ['failures', 'files', 'time', 'node:'],
  http: ['domain/', 'failures', 'http/core', 'http/node', 'protocol/headers', 'system'],
  'http/core': [
    'domain/',
    'failures',
    'failures/rows',
    'protocol/failure',
    'protocol/headers',
    'node:buffer',
    'node:stream',
  ],
  'http/files': ['files', 'http/core', 'protocol/headers', 'node:fs', 'node:path', 'mrmime'],
  'http/node': [
    'domain/',
    'failures',
    'files',
    'http/core',
    'http/node/connections',
    'protocol/headers',
    'system',
    'time',
    'node:events',
    'node:http',
    'node:net',
    'ws',
  ],
  'http/node/connections': ['domain/', 'failures', 'node:net'],
  // A client of its own: it passes on raw headers, streams and upgraded connections, which `fetch` cannot.
  'http/proxy': [
    'domain/',
    'failures',
    'http/core',
    'protocol/headers',
    'system',
    'time',
    'node:http',
    'node:net',
    'node:stream',
  ],
  'http/operations': ['documents', 'documents/answers', 'failures', 'http/core', 'valibot'],
  'http/routes': [
    'domain/',
    'documents',
    'failures',
    'http/core',
    'http/files',
    'http/proxy',
    'json',
    'protocol',
    'protocol/event',
    'protocol/headers',
    'protocol/plugin',
    'protocol/text',
    'protocol/transaction',
    'protocol/transfer',
    'time',
    'node:crypto',
    'node:fs',
    'node:path',
    'node:url',
    'valibot',
  ],
  client: [
    'domain/',
    'client/network',
    'failures',
    'failures/members',
    'json',
    'protocol',
    'protocol/event',
    'protocol/failure',
    'protocol/headers',
    'protocol/text',
    'protocol/transaction',
    'time',
  ],
  'client/network': ['domain/'],
  'client/service': ['domain/', 'client', 'failures', 'protocol', 'protocol/event', 'time'],
  'client/transfer': ['domain/', 'client', 'client/network', 'failures', 'protocol/transfer', 'time'],
  testing: ['back-end', 'testing/identity', 'testing/plugin', 'testing/shared'],
  'testing/identity': ['domain/', 'testing/shared', 'node:assert'],
  // Runs the whole service, as a program that embeds it does.
  'testing/plugin': [
    'domain/',
    'back-end',
    'app.ts',
    'crewroom.ts',
    'failures',
    'identity',
    'plugins',
    'time',
    'node:url',
  ],
  'testing/shared': [],
  doctor: [
    'domain/',
    'access',
    'access/grants',
    'client',
    'client/service',
    'config',
    'failures',
    'failures/members',
    'files',
    'identity',
    'identity/backend',
    'identity/keychain',
    'identity/session/storage',
    'store',
    'store/disk',
    'store/lmdb',
    'store/shared/etcd',
    'system',
    'time',
    'version.ts',
    'node:dns',
    'node:fs',
    'node:net',
    'node:path',
  ],
  'doctor/backend': [
    'failures',
    'failures/members',
    'version.ts',
    'doctor',
    'identity',
    'identity/backend',
    'identity/backend/request',
    'node:dns',
    'node:net',
    'node:tls',
  ],
  cli: [
    'failures',
    'files',
    'paths.ts',
    'version.ts',
    'cli/catalogue',
    'cli/commands',
    'cli/failures',
    'cli/parser',
    'cli/terminal',
    'system',
    'node:',
  ],
  'cli/terminal': [
    'domain/',
    'config',
    'failures',
    'files',
    'paths.ts',
    'node:fs',
    'node:path',
    'node:stream',
    'node:tty',
    '@clack/prompts',
    'fast-string-width',
    'picocolors',
    'pino',
  ],
  'cli/live': [
    'domain/',
    'cli/catalogue',
    'cli/service',
    'cli/terminal',
    'config',
    'failures',
    'protocol/text',
    'system',
    'node:child_process',
    'fast-string-width',
  ],
  'cli/failures': ['cli/terminal', 'failures', 'failures/members', 'protocol/failure'],
  'cli/catalogue': ['domain/', 'cli/terminal', 'config', 'failures'],
  'cli/output': [
    'domain/',
    'cli/terminal',
    'client',
    'config',
    'crewroom.ts',
    'doctor',
    'documents',
    'plugins/directory',
    'protocol',
    'protocol/event',
    'protocol/text',
    'version.ts',
    'fast-string-width',
  ],
  'cli/input': [
    'domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/output',
    'cli/terminal',
    'config',
    'documents',
    'failures',
    'files',
    'json',
    'paths.ts',
    'node:',
  ],
  'cli/service': [
    'domain/',
    'access',
    'cli/catalogue',
    'cli/input',
    'cli/terminal',
    'client',
    'client/service',
    'config',
    'failures',
    'paths.ts',
    'protocol',
    'protocol/headers',
    'protocol/plugin',
    'protocol/text',
    'store/disk',
    'store/lmdb',
    'system',
    'node:',
  ],
  'cli/autostart': [
    'domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/service',
    'cli/terminal',
    'failures',
    'files',
    'system',
    'node:',
  ],
  'cli/transfer': [
    'domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/output',
    'cli/service',
    'cli/terminal',
    'client/transfer',
    'config',
    'failures',
    'failures/members',
    'files',
    'paths.ts',
    'protocol',
    'protocol/transfer',
    'snapshots',
    'system',
    'time',
    'node:',
  ],
  'cli/npm': ['plugins/sources', 'version.ts', 'node:'],
  'cli/plugin': [
    'domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/npm',
    'cli/output',
    'cli/service',
    'cli/terminal',
    'cli/transfer',
    'failures',
    'files',
    'paths.ts',
    'plugins/directory',
    'plugins/manifest',
    'plugins/package',
    'plugins/package/check',
    'plugins/sources',
    'snapshots',
    'store/disk',
    'store/lmdb',
    'system',
    'time',
    'node:child_process',
    'node:fs',
    'node:os',
    'node:path',
    'node:url',
    'node:util',
  ],
  'cli/dev': [
    'domain/',
    'back-end',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/live',
    'cli/output',
    'cli/service',
    'cli/terminal',
    'config',
    'crewroom.ts',
    'failures',
    'files',
    'json',
    'paths.ts',
    'plugins',
    'plugins/directory',
    'plugins/sources',
    'system',
    'time',
    'node:',
    'cross-spawn',
  ],
  'cli/parser': [
    'failures',
    'paths.ts',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/service',
    'cli/terminal',
    'config',
    'snapshots',
    'node:',
    '@bomb.sh/tab',
  ],
  'cli/commands': [
    'domain/',
    'app.ts',
    'cli/catalogue',
    'cli/dev',
    'cli/failures',
    'cli/input',
    'cli/live',
    'cli/output',
    'cli/plugin',
    'cli/service',
    'cli/autostart',
    'cli/terminal',
    'cli/transfer',
    'config',
    'crewroom.ts',
    'doctor',
    'doctor/backend',
    'documents',
    'failures',
    'failures/rows',
    'files',
    'identity/backend',
    'json',
    'paths.ts',
    'plugins/directory',
    'protocol',
    'protocol/failure',
    'protocol/plugin',
    'protocol/text',
    'snapshots',
    'store/lmdb',
    'system',
    'time',
    'version.ts',
    'node:',
    '@bomb.sh/tab',
    'cross-spawn',
  ],
  config: ['domain/', 'documents', 'failures', 'failures/members', 'json', 'paths.ts', 'node:path', 'valibot'],
  files: ['failures', 'time', 'node:buffer', 'node:fs', 'node:path', 'node:timers'],
  snapshots: ['domain/', 'failures', 'files', 'protocol/transfer', 'node:fs', 'node:path'],
  'paths.ts': ['failures', 'node:os', 'node:path'],
  'version.ts': ['node:fs'],
  'parts.ts': [
    'domain/',
    'access',
    'access/grants',
    'access/pages',
    'config',
    'crewroom.ts',
    'files',
    'identity',
    'identity/backend',
    'identity/keychain',
    'identity/session',
    'identity/session/storage',
    'paths.ts',
    'plugins',
    'snapshots',
    'store',
    'store/memory',
    'store/shared',
    'store/shared/etcd',
    'system',
    'time',
    'version.ts',
    'node:crypto',
    'node:os',
    'node:path',
  ],
  'crewroom.ts': ['domain/', 'config', 'identity/keychain', 'time'],
  'app.ts': [
    'domain/',
    'access',
    'config',
    'crewroom.ts',
    'events',
    'failures',
    'faults',
    'http',
    'http/core',
    'http/proxy',
    'http/routes',
    'identity',
    'metrics',
    'parts.ts',
    'paths.ts',
    'plugins',
    'flight',
    'settings',
    'requests',
    'service',
    'system',
    'time',
    'version.ts',
  ],
  'index.ts': [
    'domain/',
    'app.ts',
    'config',
    'crewroom.ts',
    'failures',
    'failures/members',
    'identity/keychain',
    'json',
    'time',
  ],
} as const satisfies Record<string, readonly string[]>;

/** Number of source files, without tests, that a folder may have before it gets inner rooms. */
const FOLDER_FILES_MAX = 15;

/** Longest file and function, in lines. */
const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 50;

/** Folders that may have more, and what each of their files is. */
const MAY_GROW: Readonly<Record<string, string>> = {
  'http/routes': 'a resource',
  'cli/commands': 'a command',
};

/** Packages and modules that only one file or one folder may import. */
const ONLY_IN = {
  lmdb: ['store/lmdb/environment.ts', 'store/lmdb/table.ts'],
  'node:http': [
    'http/node/',
    'http/proxy/page-server.ts',
    'system/',
    'cli/service/http-fetch.ts',
    'plugins/background/runtime/redirect-calls.ts',
    'store/shared/etcd/member-facts.ts',
    'back-end/recording-back-end.ts',
  ],
  ws: ['http/node/web-socket.ts'],
  yauzl: ['plugins/package/zip-files.ts'],
  acorn: ['plugins/package/check/'],
  yazl: ['plugins/package/pack-plugin.ts'],
  '@grpc/grpc-js': ['store/shared/etcd/'],
  '@grpc/proto-loader': ['store/shared/etcd/etcd-schema.ts'],
  pino: ['cli/terminal/log.ts'],
  picocolors: ['cli/terminal/style.ts'],
  '@clack/prompts': ['cli/terminal/prompts.ts'],
} as const;

/** Folders beside the service: they use it as its users do, by the name of the package or over HTTP. */
const OUTSIDERS = ['bench', 'console', 'torture', 'fuzz', 'examples'];

/** Folders beside `src/` with files that import each other. */
const BESIDE = ['bench', 'console', 'fuzz', 'packages', 'release', 'torture'];

/** Files that such folders may share with the tests. */
const SHARED = join('test', 'support');

/** Ways to read the clock, randomness, the network, and the facts of the process. Everything else takes them as parameters. */
const AMBIENT: Readonly<Record<string, RegExp>> = {
  environment: /\bprocess\.env\b/,
  process: /\bprocess\.(?:pid|cwd|argv)\b/,
  clock: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.(?:now|timeOrigin)\b/,
  randomness: /\bMath\.random\b|^import .*\brandom(?:Bytes|UUID|Int)\b.* from 'node:crypto'/m,
  network: /\bglobalThis\.fetch\(/,
  timers: /\bset(?:Timeout|Interval)(?:\(| as )/,
};

/** The files and folders that may do so, and why. */
const MAY_READ: Readonly<Record<string, readonly [what: readonly string[], why: string]>> = {
  'paths.ts': [['environment'], 'the default of what the paths depend on'],
  'parts.ts': [['environment', 'clock', 'randomness', 'network', 'timers'], 'the defaults of `CrewroomParts`'],
  'app.ts': [['process'], 'the base of relative paths'],
  'cli/run-process.ts': [['environment'], 'no request of this process to this machine goes through a proxy'],
  'cli/main.ts': [['process'], 'the name of the command, by which it chooses a program'],
  'cli/process-context.ts': [['clock', 'randomness', 'timers'], 'the context of every command'],
  'cli/transfer/': [['timers'], 'a progress line, and the time to wait for a response after Ctrl+C'],
  'client/options.ts': [['randomness', 'network'], 'the defaults of the options of all clients'],
  'client/': [['timers'], 'timeouts and backoff of requests'],
  'events/event-hub.ts': [['timers'], 'heartbeats; their interval is a parameter'],
  'files/rename-over.ts': [['timers'], 'the pause between attempts on Windows, which is a parameter'],
  'http/core/failure-log.ts': [['clock'], 'the default of `nowMs`'],
  'http/node/': [['clock', 'timers'], 'timeouts of sockets, which are parameters, and the default of `nowMs`'],
  'http/proxy/page-server.ts': [['timers'], 'idle timeouts of sockets'],
  'http/routes/': [['timers'], 'the time that a long poll waits, which is a parameter'],
  'plugins/background/runtime/': [['process', 'timers'], 'a program of its own, with a timer that measures its memory'],
  'store/lmdb-store.ts': [['randomness'], 'the default of `randomBytes`'],
  'store/lmdb/': [['timers'], 'waits for the engine'],
  'store/memory/memory-store.ts': [['randomness'], 'the default of `randomBytes`'],
  'store/plan/store-clock.ts': [['clock'], 'the default of `elapsedMs`'],
  'store/tree/snapshots.ts': [['timers'], 'ends idle snapshots; the time is a parameter'],
  'store/shared/etcd/': [['clock'], 'deadlines of calls'],
  'store/write/checkpointer.ts': [['timers'], 'delays a checkpoint, so that it covers more commits'],
  'time/timers.ts': [['timers'], '`PROCESS_TIMERS`, the default of `timers` for back ends, the keychain and clients'],
  'system/code-cache.ts': [['environment'], 'the options of this process by which V8 compiles'],
  'system/exit-limit.ts': [
    ['process', 'timers'],
    'ends a process that does not stop; its watcher is a program of its own',
  ],
  'system/socket-owner.ts': [['timers'], 'polls the table of sockets'],
};

interface Import {
  readonly file: string;
  readonly wanted: string;
}

const files = listFiles(source, /(?<!\.test)\.ts$/);
const imports = readImports(source, /(?<!\.test)\.ts$/);

describe('every folder imports only what the table allows', () => {
  test('each folder is in the table', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  for (const room of Object.keys(MAY_IMPORT) as Room[]) {
    const allowed: readonly string[] = MAY_IMPORT[room];
    test(`${room} imports ${allowed.join(', ') || 'nothing'}`, () => {
      const own = imports.filter(({file}) => roomOf(file) === room);
      const isAllowed = (target: string): boolean => target === room || allowed.some(entry => covers(entry, target));
      expect(own.filter(each => !isAllowed(targetOf(each)))).toEqual([]);
      expect(allowed.filter(entry => !own.some(each => covers(entry, targetOf(each))))).toEqual([]);
    });
  }

  for (const [wanted, owners] of Object.entries(ONLY_IN)) {
    test(`only ${owners.join(' and ')} imports ${wanted}`, () => {
      const found = imports.filter(each => each.wanted === wanted).map(({file}) => file);
      expect(found.filter(file => !owners.some(owner => file.startsWith(owner)))).toEqual([]);
    });
  }

  for (const room of OUTSIDERS) {
    test(`${room} knows the product by its public doors only`, () => {
      const forbidden = readImports(join(root, room), /\.(tsx?|js)$/).filter(({file, wanted}) => {
        const target = relative(root, resolve(root, room, dirname(file), wanted));
        return wanted.startsWith('.') && !target.startsWith(room) && !target.startsWith(SHARED);
      });
      expect(forbidden).toEqual([]);
    });
  }

  test('there are no import cycles between folders', () => {
    expect(findCircles(new Map(Object.entries(MAY_IMPORT)))).toEqual([]);
  });

  test('there are no import cycles between files, types included', () => {
    expect(findCircles(new Map(files.map(file => [file, findRelativeImports(source, file)])))).toEqual([]);
  });

  for (const folder of BESIDE) {
    test(`there are no import cycles between files of ${folder}, types included`, () => {
      const own = listFiles(join(root, folder), /^(?!.*(?:node_modules|dist)\/).*\.(?:tsx?|js)$/);
      expect(own).not.toEqual([]);
      expect(findCircles(new Map(own.map(file => [file, findRelativeImports(join(root, folder), file)])))).toEqual([]);
    });
  }
});

test('no port has a method that may be absent', () => {
  const code = files.map(file => ({room: roomOf(file), text: readCode(file)}));
  const implementers = new Map<string, string[]>();
  for (const {room, text} of code)
    for (const [, names = ''] of text.matchAll(/^(?:export )?class [^{]*\bimplements ([^{]+) \{/gm))
      for (const name of names.match(/[A-Z]\w+/g) ?? [])
        implementers.set(name, [...(implementers.get(name) ?? []), room]);
  const interfaces = code.flatMap(({room, text}) =>
    Array.from(text.matchAll(/^(?:export )?interface (\w+)[^{]*\{\n(.*?)^\}/gms), ([, name = '', body = '']) => ({
      ...{name, room},
      optional: Array.from(
        body.matchAll(/^ {2}(?:readonly )?(\w+)\?(?:\(|: \(\()/gm),
        ([, method]) => `${name}.${method}`,
      ),
    })),
  );
  const ports = interfaces.filter(({name, room}) => implementers.get(name)?.some(each => each !== room));
  expect(ports.map(({name}) => name)).toContain('Store');
  expect(ports.flatMap(({optional}) => optional)).toEqual([]);
});

describe('folders are small', () => {
  const sizes = new Map<string, number>();
  for (const folder of files.filter(file => file.includes('/')).map(roomOf))
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  const large = [...sizes].filter(([, size]) => size > FOLDER_FILES_MAX).map(([folder]) => folder);

  test(`at most ${FOLDER_FILES_MAX} source files, unless the table allows more`, () => {
    expect(large.sort()).toEqual(Object.keys(MAY_GROW).sort());
  });
});

describe('files and functions can be seen whole', () => {
  test(`files have at most ${FILE_LINES_MAX} lines`, () => {
    const long = files.filter(file => readFileSync(join(source, file), 'utf8').split('\n').length - 1 > FILE_LINES_MAX);
    expect(long).toEqual([]);
  });

  test(`functions have at most ${FUNCTION_LINES_MAX} lines, with their parameters`, () => {
    expect(lengthsOf('function a(\n  b,\n) {\n  c();\n}\nconst d = () => {\n};\nif (e) {\n  f();\n}\n')).toEqual([
      {name: 'function a(', lines: 5},
      {name: 'const d = () => {', lines: 2},
    ]);
    const long = files.flatMap(file =>
      lengthsOf(readFileSync(join(source, file), 'utf8'))
        .filter(({lines}) => lines > FUNCTION_LINES_MAX)
        .map(({name, lines}) => `${file}: ${name.trim()} has ${lines}`),
    );
    expect(long).toEqual([]);
  });
});

describe('clock, randomness, network and process are given', () => {
  for (const [what, pattern] of Object.entries(AMBIENT)) {
    test(`${what}: read only where the table allows it`, () => {
      const readers = files.filter(file => !file.startsWith('testing/') && pattern.test(readCode(file)));
      const allowed = Object.entries(MAY_READ).filter(([, [whats]]) => whats.includes(what));
      expect(readers.filter(file => !allowed.some(([place]) => file.startsWith(place)))).toEqual([]);
      expect(allowed.map(([place]) => place).filter(place => !readers.some(file => file.startsWith(place)))).toEqual(
        [],
      );
    });
  }
});

test('a name that is exported is declared in one file', () => {
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  const homes = new Map<string, Set<string>>();
  for (const file of files.filter(each => !each.startsWith('testing/')))
    for (const [, name = ''] of readCode(file).matchAll(declaration))
      homes.set(name, (homes.get(name) ?? new Set()).add(file));
  // The door of each command.
  homes.delete('run');
  const twice = [...homes].filter(([, {size}]) => size > 1).map(([name]) => name);
  expect(twice).toEqual([]);
});

test('no docstring begins with the words "Dependencies of", which only say that something is needed', () => {
  expect(files.filter(file => readFileSync(join(source, file), 'utf8').includes('/** Dependencies of'))).toEqual([]);
});

test('only files/own.ts knows the user of this process, and what other users may do with its files', () => {
  const rule = /\b0o(?:077|022|600|700)\b|\bgetuid\b/;
  // The context of a command takes the user from its host, which tests replace.
  expect(files.filter(file => rule.test(readCode(file))).sort()).toEqual(['cli/process-context.ts', 'files/own.ts']);
});

test('only Backoff lengthens waits between attempts', () => {
  const doubling = /(?:Ms|_MS)\b \* 2 \*\*|\bpauseMs \* 2\b|\b2 \* pauseMs\b/;
  expect(files.filter(file => doubling.test(readCode(file)))).toEqual(['time/backoff.ts']);
});

test('no module has mutable state', () => {
  const state = /^(?:export )?(?:(?:let|var) |const \w+ = new (?:Weak)?(?:Map|Set)\b)/m;
  expect(files.filter(file => state.test(readCode(file)))).toEqual([]);
});

/** Statements whose blocks are no functions. */
const STATEMENT =
  /^\s*(?:\} )?(?:if|else|for|while|do|switch|try|catch|finally|class|interface|type|enum|export (?:class|interface|type))\b/;

/** Returns the functions of a file with blocks: as it is formatted, each begins and ends at one indentation. */
function lengthsOf(code: string): readonly {readonly name: string; readonly lines: number}[] {
  const lines = code.split('\n');
  return lines.flatMap((line, index) => {
    if (!/(?:=> |\).* )\{$/.test(line)) return [];
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const isAt = (text: string | undefined, end: RegExp): boolean =>
      text?.startsWith(indent) === true && end.test(text.slice(indent.length));
    // Parameters that are broken over lines begin at the last line before them that is as far to the left.
    const first = isAt(line, /^[)}\]]/)
      ? lines.findLastIndex((text, at) => at < index && isAt(text, /^[^\s)}\]]/))
      : index;
    const last = lines.findIndex((text, at) => at > index && isAt(text, /^\}/));
    const name = lines[first] ?? '';
    return STATEMENT.test(name) || last === -1 ? [] : [{name, lines: last - first + 1}];
  });
}

/** Returns the text of a file without its comments. */
function readCode(file: string): string {
  return readFileSync(join(source, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function listFiles(folder: string, names: RegExp): readonly string[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(file => names.test(file));
}

function readImports(folder: string, names: RegExp): readonly Import[] {
  return listFiles(folder, names).flatMap(file =>
    findImports(readFileSync(join(folder, file), 'utf8')).map(wanted => ({file, wanted})),
  );
}

/** Returns everything that a file imports, also on demand. */
function findImports(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return Array.from(code.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)'([^']+)'/gm), match => match[1] ?? '');
}

/** Returns the folder of a file, or the file itself if it is directly in `src/`. */
function roomOf(file: string): string {
  return file.includes('/') ? dirname(file) : file;
}

/** Returns what is imported: a folder or file of `src/`, a module of the platform, or a package. */
function targetOf({file, wanted}: Import): string {
  return wanted.startsWith('.') ? roomOf(relative(source, resolve(source, dirname(file), wanted))) : wanted;
}

/** Returns whether an entry of the table allows a target. Of modules and packages it also allows what is below them. */
function covers(allowed: string, target: string): boolean {
  if (allowed in MAY_IMPORT) return target === allowed;
  if (allowed === 'node:' || allowed === 'domain/') return `${target}/`.startsWith(allowed);
  return target === allowed || target.startsWith(`${allowed}/`);
}

/** Returns circles in a graph, each as a path from a node to itself. Depth first; a node that was searched is not searched again. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = [];
  const searched = new Set<string>();
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(' -> '));
    if (searched.has(node)) return;
    searched.add(node);
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

/** Returns the files of a folder that one of them imports. Packages that are compiled name the compiled files. */
function findRelativeImports(folder: string, file: string): readonly string[] {
  return findImports(readFileSync(join(folder, file), 'utf8'))
    .filter(wanted => wanted.startsWith('.'))
    .map(wanted => resolve(folder, dirname(file), wanted))
    .map(path => relative(folder, existsSync(path) ? path : path.replace(/\.js$/, '.ts')));
}
