import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {findHiddenExpectations} from './support/hidden-expectations.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');

/** The folders of `src/`, the lowest first, each with all that it may know. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  // And the history of an entry.
  core: [],
  platform: ['core'],
  store: ['core', 'platform'],
  // And the history of an entry, from the change log.
  service: ['core', 'platform'],
  plugins: ['core', 'platform'],
  http: ['core', 'platform'],
  client: ['core'],
  app: ['core', 'platform', 'store', 'service', 'plugins', 'http'],
  workbench: ['core', 'service', 'plugins', 'http', 'app'],
  // Errors of programs of Windows, in the code page of their console.
  cli: ['core', 'platform', 'store', 'service', 'plugins', 'client', 'app', 'workbench'],
};

/** More would be no picture any longer. */
const FOLDERS_MAX = 10;
const ARROWS_MAX = 30;

/**
 * Lines of the folders of `src/` without tests, of all tests with what they share, and of what measures and attacks. A change may lower
 * a number; one that has to raise it says here why.
 */
const LINES: Readonly<Record<string, number>> = {
  // Errors of pages in development, figures of the session and of the back end, and the free space of a disk, which three ask.
  // Frames of flights with their ranges, their answers and failures; advice for a page at the name of the console and for a full engine.
  // One change of a history, which the command line prints.
  // An engine that cannot be loaded. Files that are synced without a method of their handle.
  // An engine that cannot be loaded.
  // The retention that an export from etcd needs.
  // The limiter, which the client and a store in etcd share. Failures that several folders threw, each made by itself.
  core: 11_379,
  // An engine that cannot be loaded, or whose paths are too long on Windows. The name of a user who has the port, on each system.
  // An engine that cannot be loaded, or whose paths are too long on Windows.
  platform: 1865,
  // A clock that jumps ahead of etcd, or is no longer told, prefixes inside others, and an engine that is full, or refuses puts.
  // Failures of an engine that cannot be loaded, told apart.
  // A long link to etcd: pages by the size of what was read, fences that are read once, a limit of large answers, and values
  // beside their entries. Snapshots that go on after a compaction.
  store: 10_713,
  // The file by which commands find the service that develops their folder, the figures that alerts need, and daily snapshots.
  // Flights that simulators report, with their phases and landings, a simulation that lands, and a flight that is kept.
  service: 10_444,
  // Errors of pages in development; halves and exports that are never used.
  plugins: 6577,
  // A script in pages in development, a page where there is none, compressed files, the sign-in of `crewroom play`, and a ground for pages without colours.
  // Frames of flights; a way out for cookies that are too large, and reasons that browsers hide.
  http: 7993,
  client: 1673,
  // Plugins in development in other services, which the console names, and daily snapshots.
  app: 901,
  workbench: 748,
  // The service that a command means, with a question if two match; proposals for unknown commands; breaks between words.
  // Earlier values of an entry, and the command that undoes a change.
  // A start at log-on that is put back, read again, and told from one that is gone, switched off or of a package.
  // Damaged entries of etcd, which doctor names and reset deletes. One file for a log, and what a failed install puts back.
  // Damaged entries of etcd, which doctor names in the store asked for, reset deletes and restore replaces, and a full etcd, which status and wait name.
  cli: 12_780,
  // Mistakes of authors as a table, the walk through the pages, commands with two services at once, a clock for daily snapshots, and clients and pages as they are.
  // Earlier values by command and in the console. Forms that are sent, answers that are waited for, lines that are rendered, and the focus after each action.
  // Installations without an engine, starts at log-on, releases that fail, and the workflow. Focus and drafts of live pages.
  // Members of etcd that do not answer, prefixes beside the keys of others, damaged entries, and a full etcd.
  // Pages of a long link.
  // A certificate that is missing for a moment. File handles that are not disposable. Frames that are no object.
  // Folders after a refused install, errors in code pages, and the user who has the port. Programs under Wine that hang, by their CPU time. File handles of Yarn.
  // The focus after a request is sent again, an origin is allowed, and a pilot signs in.
  // The focus after a request is sent again, an origin is allowed, and a pilot signs in. Drafts without their forms. Lists that jump.
  // Streams that are read seldom, and elements that show other lines.
  // A long link to etcd, measured.
  // Landings in the console and the tour, frames that are refused, and a button that restores.
  // Whole answers of Wine's registry, a browser without windows, groups of commits that fit, and pages older than the others.
  tests: 103_030,
  // A long link to etcd, measured. Kills in a flight.
  harness: 17_597,
};

/** Lines by which a count may be below its number: what was gained is not spent without a word. */
const LINES_SLACK = 100;

/** A folder of `src/`, at any depth, or a file of {@link FILE_BY_FILE}. */
type Room = keyof typeof MAY_IMPORT;

/**
 * Imports that each room may have, within {@link FOLDERS}: other rooms, `node:` for the modules of the platform, and packages by name. Every room may
 * import itself; `core/domain/` stands for that folder and those in it. `app.ts` and `parts.ts` alone import the adapters.
 */
const MAY_IMPORT = {
  'core/time': ['node:timers'],
  'core/failures': ['core/failures/members', 'core/failures/rows'],
  'core/failures/members': [],
  'core/failures/rows': ['core/failures/members'],
  'core/json': ['core/failures', 'core/failures/members'],
  'core/domain': ['core/json', 'core/time'],
  'core/domain/access': [],
  'core/domain/commits': [
    'core/domain',
    'core/domain/access',
    'core/domain/entries',
    'core/domain/plugins',
    'core/failures',
    'core/failures/members',
    'core/json',
  ],
  'core/domain/entries': ['core/domain', 'core/domain/access', 'core/failures', 'core/json'],
  'core/domain/faults': ['core/domain/commits', 'core/domain/identity', 'core/failures'],
  'core/domain/identity': ['core/failures'],
  'core/domain/plugins': ['core/domain', 'core/failures/members'],
  'core/documents': ['core/domain/', 'core/failures', 'core/failures/members', 'core/json', 'valibot'],
  'core/documents/answers': ['core/domain/', 'core/documents', 'valibot'],
  'core/protocol': ['core/domain/', 'core/json', 'core/protocol/failure', 'core/protocol/text'],
  'core/protocol/event': ['core/domain/', 'core/json', 'core/protocol/text'],
  'core/protocol/failure': ['core/failures', 'core/protocol/text'],
  'core/protocol/headers': ['core/domain/', 'core/failures', 'core/protocol/text', 'core/protocol/transaction'],
  'core/protocol/plugin': ['core/domain/', 'core/documents', 'core/json', 'core/protocol/text'],
  'core/protocol/text': ['core/domain/'],
  'core/protocol/transaction': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/json',
    'core/protocol/text',
  ],
  'core/protocol/transfer': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/json',
    'core/protocol/text',
  ],
  'service/entries': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/json',
    'core/protocol/text',
    'core/protocol/transfer',
    'core/time',
  ],
  store: [
    'core/domain/',
    'core/failures',
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
  'store/disk': ['core/domain/', 'core/failures', 'core/files', 'node:'],
  'store/format': ['core/domain/', 'core/failures', 'core/json', 'node:zlib'],
  'store/lmdb': [
    'core/domain/',
    'core/failures',
    'core/files',
    'store/disk',
    'platform/system',
    'core/time',
    'node:',
    'lmdb',
  ],
  // With the queue of the store on disk, so that commits wait in the same order and under the same limit.
  'store/memory': [
    'core/domain/',
    'core/failures',
    'core/json',
    'store/format',
    'store/plan',
    'store/write',
    'node:crypto',
  ],
  'store/plan': ['core/domain/', 'core/failures', 'core/failures/members', 'core/json', 'store/format', 'node:crypto'],
  'store/shared': [
    'core/domain/',
    'core/failures',
    'core/json',
    'store/format',
    'store/plan',
    'store/shared/engine',
    'store/write',
    'core/time',
  ],
  'store/shared/engine': [
    'core/domain/',
    'core/failures',
    'core/json',
    'store/format',
    'store/plan',
    'node:crypto',
    'node:zlib',
  ],
  'store/shared/etcd': [
    'core/domain/',
    'core/failures',
    'store/shared/engine',
    'core/time',
    'node:crypto',
    'node:events',
    'node:fs',
    'node:http',
    'node:https',
    '@grpc/grpc-js',
    '@grpc/proto-loader',
  ],
  'store/tree': [
    'core/domain/',
    'core/failures',
    'core/json',
    'store/disk',
    'store/format',
    'store/lmdb',
    'store/plan',
    'store/wal',
    'core/time',
    'node:buffer',
    'node:zlib',
  ],
  'store/wal': ['core/domain/', 'core/failures', 'core/json', 'store/disk', 'store/format', 'store/plan', 'node:'],
  'store/write': [
    'core/domain/',
    'core/failures',
    'store/disk',
    'store/format',
    'store/plan',
    'store/tree',
    'store/wal',
    'core/time',
  ],
  'service/identity': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'core/failures/members',
    'core/files',
    'core/json',
    'core/protocol/text',
    'node:fs',
    'node:path',
  ],
  'service/identity/backend': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'core/failures/members',
    'core/files',
    'service/identity',
    'service/identity/backend/request',
    'core/json',
  ],
  'service/identity/backend/request': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'service/identity',
    'core/json',
    'core/time',
    'node:buffer',
    'node:net',
  ],
  'service/identity/keychain': [
    'core/failures',
    'service/identity',
    'platform/system',
    'core/time',
    'node:child_process',
    'node:url',
  ],
  'service/identity/session': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'service/identity',
    'service/identity/backend',
    'service/identity/session/storage',
    'core/json',
    'core/time',
    'node:util',
  ],
  'service/identity/session/storage': [
    'core/domain/',
    'core/failures',
    'core/files',
    'service/identity/backend',
    'service/identity/keychain',
    'core/json',
    'node:fs',
    'node:path',
    'valibot',
  ],
  'service/access': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'core/failures/members',
    'core/files',
    'platform/system',
    'node:crypto',
    'node:fs',
    'node:path',
    'valibot',
  ],
  'service/access/grants': [
    'core/domain/',
    'service/access',
    'core/documents',
    'core/failures',
    'core/failures/members',
    'node:path',
    'valibot',
  ],
  'service/access/pages': ['core/domain/', 'service/access', 'node:crypto', 'node:path'],
  'service/events': ['core/domain/', 'core/failures', 'core/time'],
  'service/faults': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'core/failures/rows',
    'core/json',
    'core/time',
    'node:events',
  ],
  'service/metrics': ['core/domain/', 'core/failures/rows'],
  'service/requests': ['core/domain/', 'core/failures', 'core/failures/rows', 'core/protocol/headers', 'core/time'],
  plugins: [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/files',
    'plugins/background',
    'plugins/background/log',
    'plugins/directory',
    'plugins/manifest',
    'core/time',
    'node:fs',
    'node:path',
  ],
  'plugins/background': [
    'core/domain/',
    'core/failures',
    'plugins/background/channel',
    'plugins/background/log',
    'platform/system',
    'core/time',
    'node:',
  ],
  // Runs on both sides.
  'plugins/background/channel': ['core/domain/'],
  'plugins/background/log': [
    'core/domain/',
    'plugins/background/channel',
    'core/time',
    'node:stream',
    'node:string_decoder',
  ],
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
    'node:util',
  ],
  'plugins/background/runtime/modules': [
    'plugins/background/runtime/program',
    'plugins/background/runtime/values',
    'node:',
  ],
  'plugins/background/runtime/program': [],
  'plugins/background/runtime/values': ['plugins/background/channel', 'node:url', 'node:util'],
  'plugins/directory': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/files',
    'core/json',
    'plugins/manifest',
    'core/time',
    'node:crypto',
    'node:fs',
    'node:path',
    'node:util',
  ],
  'plugins/manifest': ['core/domain/', 'core/documents', 'core/failures/members', 'core/json', 'valibot'],
  'plugins/package': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/files',
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
  'plugins/sources': [
    'core/domain/',
    'core/failures',
    'core/files',
    'core/json',
    'plugins/directory',
    'node:fs',
    'node:path',
  ],
  'plugins/package/check': ['core/domain', 'core/failures', 'acorn'],
  // A service of its own, beside that of a plugin in development.
  'workbench/back-end': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'core/failures/members',
    'core/files',
    'http',
    'http/core',
    'core/json',
    'core/protocol/headers',
    'core/time',
    'node:url',
    'valibot',
  ],
  'service/flight': ['core/domain/', 'core/documents', 'core/failures', 'core/files', 'service/access', 'node:path'],
  'service/settings': [
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/files',
    'core/json',
    'core/time',
  ],
  'platform/system': ['core/failures', 'core/files', 'core/time', 'node:'],
  http: [
    'core/domain/',
    'core/failures',
    'http/core',
    'http/node',
    'http/routes',
    'core/protocol/headers',
    'platform/system',
  ],
  'http/core': [
    'core/domain/',
    'core/failures',
    'core/failures/rows',
    'core/protocol/failure',
    'core/protocol/headers',
    'node:buffer',
    'node:crypto',
    'node:http',
    'node:stream',
  ],
  'http/files': [
    'core/files',
    'http/core',
    'core/protocol/headers',
    'node:fs',
    'node:path',
    'node:util',
    'node:zlib',
    'mrmime',
  ],
  'http/node': [
    'core/domain/',
    'core/failures',
    'core/files',
    'http/core',
    'http/node/connections',
    'core/protocol/headers',
    'platform/system',
    'core/time',
    'node:events',
    'node:http',
    'node:net',
    'ws',
  ],
  'http/node/connections': ['core/domain/', 'core/failures', 'node:net'],
  // A client of its own: it passes on raw headers, streams and upgraded connections, which `fetch` cannot.
  'http/proxy': [
    'core/domain/',
    'core/failures',
    'http/core',
    'core/protocol/headers',
    'platform/system',
    'core/time',
    'node:http',
    'node:net',
    'node:stream',
  ],
  'http/operations': ['core/documents', 'core/documents/answers', 'core/failures', 'http/core', 'valibot'],
  'http/routes': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'http/core',
    'http/files',
    'http/proxy',
    'core/json',
    'core/protocol',
    'core/protocol/event',
    'core/protocol/headers',
    'core/protocol/plugin',
    'core/protocol/text',
    'core/protocol/transaction',
    'core/time',
    'platform/system',
    'node:crypto',
    'node:fs',
    'node:path',
    'node:url',
    'valibot',
  ],
  client: [
    'core/domain/',
    'client/network',
    'core/failures',
    'core/failures/members',
    'core/json',
    'core/protocol',
    'core/protocol/event',
    'core/protocol/failure',
    'core/protocol/headers',
    'core/protocol/text',
    'core/protocol/transaction',
    'core/time',
  ],
  'client/network': ['core/domain/'],
  'client/service': [
    'core/domain/',
    'client',
    'core/failures',
    'core/protocol',
    'core/protocol/event',
    'core/protocol/text',
    'core/time',
  ],
  'client/transfer': [
    'core/domain/',
    'client',
    'client/network',
    'core/protocol',
    'core/protocol/transfer',
    'core/time',
  ],
  'workbench/testing': [
    'app/crewroom.ts',
    'app/open-crewroom.ts',
    'core/domain/',
    'core/failures',
    'workbench/back-end',
    'workbench/testing/identity',
    'workbench/testing/plugin',
    'workbench/testing/shared',
  ],
  'workbench/testing/identity': ['core/domain/', 'workbench/testing/shared', 'node:assert'],
  // Runs the whole service, as a program that embeds it does.
  'workbench/testing/plugin': [
    'core/domain/',
    'core/json',
    'workbench/back-end',
    'app/open-crewroom.ts',
    'app/crewroom.ts',
    'service/identity',
    'plugins',
    'plugins/sources',
    'core/time',
    'node:url',
  ],
  'workbench/testing/shared': [],
  'cli/doctor': [
    'core/domain/',
    'cli/terminal',
    'service/access',
    'service/access/grants',
    'client',
    'client/service',
    'platform/config',
    'core/failures',
    'core/files',
    'service/identity/backend',
    'service/identity/keychain',
    'service/identity/session/storage',
    'store',
    'store/disk',
    'store/format',
    'store/lmdb',
    'store/shared/etcd',
    'platform/system',
    'core/time',
    'core/version.ts',
    'node:dns',
    'node:fs',
    'node:net',
    'node:path',
    'core/protocol',
  ],
  'cli/doctor/backend': [
    'core/failures',
    'core/failures/members',
    'core/version.ts',
    'cli/doctor',
    'cli/terminal',
    'service/identity',
    'service/identity/backend',
    'service/identity/backend/request',
    'node:dns',
    'node:net',
    'node:tls',
  ],
  cli: [
    'core/failures',
    'core/files',
    'platform/paths.ts',
    'cli/catalogue',
    'cli/commands',
    'cli/failures',
    'cli/parser',
    'cli/service',
    'cli/terminal',
    'platform/system',
    'node:',
  ],
  'cli/terminal': [
    'core/domain/',
    'platform/config',
    'core/failures',
    'core/protocol/text',
    'core/files',
    'platform/paths.ts',
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
    'core/domain/',
    'cli/catalogue',
    'cli/service',
    'cli/terminal',
    'platform/config',
    'core/failures',
    'core/protocol/text',
    'platform/system',
    'fast-string-width',
    'app/crewroom.ts',
    'cli/output',
  ],
  'cli/failures': [
    'cli/terminal',
    'core',
    'core/domain/',
    'core/failures',
    'core/failures/members',
    'core/protocol/failure',
  ],
  'cli/catalogue': ['core/domain/', 'cli/terminal', 'platform/config', 'core/failures'],
  'cli/output': [
    'core/domain/',
    'cli/terminal',
    'platform/config',
    'app/crewroom.ts',
    'core/documents',
    'core/protocol',
    'core/protocol/text',
    'core/version.ts',
    'core/json',
  ],
  'cli/input': [
    'core/domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/terminal',
    'service/identity/backend',
    'platform/config',
    'core/documents',
    'core/failures',
    'core/files',
    'core/json',
    'platform/paths.ts',
    'node:',
  ],
  'cli/service': [
    'core/domain/',
    'service/access',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/terminal',
    'client',
    'client/service',
    'platform/config',
    'core/failures',
    'platform/paths.ts',
    'core/protocol',
    'core/protocol/headers',
    'core/protocol/text',
    'store/disk',
    'store/lmdb',
    'platform/system',
    'node:',
    'core/files',
  ],
  'cli/autostart': [
    'core/domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/service',
    'cli/terminal',
    'core/failures',
    'core/files',
    'platform',
    'platform/system',
    'node:',
  ],
  'cli/transfer': [
    'core/domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/output',
    'cli/service',
    'cli/terminal',
    'client/transfer',
    'platform/config',
    'core/failures',
    'core/files',
    'platform/paths.ts',
    'core/protocol',
    'core/protocol/text',
    'core/protocol/transfer',
    'service/snapshots',
    'core/time',
    'node:',
  ],
  'cli/npm': ['plugins/sources', 'core/version.ts', 'node:'],
  'cli/plugin': [
    'core/domain/',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/npm',
    'cli/output',
    'cli/service',
    'cli/terminal',
    'cli/transfer',
    'core/failures',
    'core/files',
    'platform/paths.ts',
    'plugins/directory',
    'plugins/manifest',
    'plugins/package',
    'plugins/package/check',
    'plugins/sources',
    'service/snapshots',
    'store/disk',
    'store/lmdb',
    'platform/system',
    'core/time',
    'node:child_process',
    'node:fs',
    'node:os',
    'node:path',
    'node:url',
    'node:util',
    'core/protocol',
    'core/protocol/text',
  ],
  'cli/dev': [
    'service/access',
    'core/domain/',
    'workbench/back-end',
    'cli/catalogue',
    'cli/failures',
    'cli/input',
    'cli/live',
    'cli/output',
    'cli/terminal',
    'platform/config',
    'app/crewroom.ts',
    'core/failures',
    'core/files',
    'core/json',
    'platform/paths.ts',
    'plugins/directory',
    'plugins/sources',
    'platform/system',
    'node:',
    'cross-spawn',
    'core/version.ts',
  ],
  'cli/parser': [
    'core/domain/',
    'core/failures',
    'cli/catalogue',
    'cli/failures',
    'platform/config',
    'node:',
    'core/version.ts',
    'cli/terminal',
  ],
  'cli/commands': [
    'core/domain/',
    'app/app.ts',
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
    'platform/config',
    'app/crewroom.ts',
    'cli/doctor',
    'cli/doctor/backend',
    'core/documents',
    'core/failures',
    'core/failures/rows',
    'core/files',
    'service/identity/backend',
    'core/json',
    'platform/paths.ts',
    'plugins/directory',
    'plugins/sources',
    'core/protocol',
    'core/protocol/failure',
    'core/protocol/headers',
    'core/protocol/plugin',
    'core/protocol/text',
    'service/snapshots',
    'store/lmdb',
    'platform/system',
    'core/time',
    'core/version.ts',
    'node:',
    '@bomb.sh/tab',
    'cross-spawn',
    'client',
    'core/failures/members',
    'plugins/sources',
    'service/identity',
    'fast-string-width',
    'core/protocol/event',
    'cli/parser',
  ],
  'platform/config': [
    'core/domain/',
    'core/documents',
    'core/failures',
    'core/failures/members',
    'core/json',
    'platform/paths.ts',
    'node:path',
    'valibot',
  ],
  'core/files': ['core/failures', 'core/time', 'node:buffer', 'node:fs', 'node:path', 'node:timers', 'node:util'],
  'service/snapshots': [
    'core/domain/',
    'core/failures',
    'core/files',
    'core/protocol/transfer',
    'core/time',
    'node:fs',
    'node:path',
  ],
  'platform/paths.ts': ['core/failures', 'node:os', 'node:path'],
  'core/version.ts': ['node:fs'],
  'app/parts.ts': [
    'core/domain/',
    'service/access',
    'service/flight',
    'service/access/grants',
    'service/access/pages',
    'platform/config',
    'app/crewroom.ts',
    'core/failures',
    'core/files',
    'service/entries',
    'service/identity',
    'service/identity/backend',
    'service/identity/keychain',
    'service/identity/session',
    'service/identity/session/storage',
    'platform/paths.ts',
    'plugins',
    'plugins/package',
    'service/snapshots',
    'store',
    'store/lmdb',
    'store/memory',
    'store/shared',
    'store/shared/etcd',
    'platform/system',
    'core/time',
    'core/version.ts',
    'node:crypto',
    'node:os',
    'node:path',
  ],
  'app/crewroom.ts': ['core/domain/', 'platform/config', 'service/identity/keychain', 'core/time'],
  'app/open-crewroom.ts': ['app/app.ts', 'app/crewroom.ts', 'core/failures', 'platform/config', 'platform/paths.ts'],
  'app/app.ts': [
    'core/domain/',
    'service/access',
    'platform/config',
    'app/crewroom.ts',
    'service/events',
    'core/failures',
    'core/protocol/headers',
    'service/faults',
    'http',
    'http/core',
    'http/proxy',
    'http/routes',
    'service/identity',
    'service/metrics',
    'app/parts.ts',
    'platform/paths.ts',
    'plugins',
    'service/settings',
    'service/requests',
    'service/entries',
    'platform/system',
    'core/time',
    'core/version.ts',
  ],
  'app/index.ts': [
    'core/domain/',
    'platform/config',
    'app/crewroom.ts',
    'app/open-crewroom.ts',
    'core/failures',
    'core/failures/members',
    'service/identity/keychain',
    'core/json',
  ],
} as const satisfies Record<string, readonly string[]>;

/** Folders whose own files are rooms, each with its imports. */
const FILE_BY_FILE = ['core', 'platform', 'app'];

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
    'http/core/failure-response.ts',
    'http/node/',
    'http/proxy/page-server.ts',
    'platform/system/',
    'cli/service/http-fetch.ts',
    'plugins/background/runtime/redirect-calls.ts',
    'store/shared/etcd/member-facts.ts',
  ],
  ws: ['http/node/web-socket.ts'],
  yauzl: ['plugins/package/zip-files.ts'],
  acorn: ['plugins/package/check/'],
  yazl: ['plugins/package/pack-plugin.ts'],
  '@grpc/grpc-js': ['store/shared/etcd/'],
  '@grpc/proto-loader': ['store/shared/etcd/etcd-schema.ts'],
  pino: ['cli/terminal/log.ts'],
  picocolors: ['cli/terminal/context.ts'],
  '@clack/prompts': ['cli/terminal/prompts.ts'],
} as const;

/** Folders beside the service: they use it as its users do, by the name of the package or over HTTP. */
const OUTSIDERS = ['bench', 'console', 'torture', 'fuzz', 'examples'];

/** The file with the types of the documents that the console reads: those with which the service writes them. */
const DOCUMENTS = join('console', 'src', 'service', 'documents.ts');

/** Folders beside `src/` with files that import each other. */
const BESIDE = ['bench', 'console', 'fuzz', 'mutants', 'packages', 'release', 'torture'];

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
  'platform/paths.ts': [['environment'], 'the default of what the paths depend on'],
  'app/parts.ts': [
    ['environment', 'process', 'clock', 'randomness', 'network', 'timers'],
    'the defaults of `ServiceParts`',
  ],
  'app/open-crewroom.ts': [['process'], 'the base of relative paths'],
  'cli/autostart/run-key.ts': [['process'], 'text of a program that Windows starts'],
  'cli/main.ts': [['process'], 'the name of the command, by which it chooses a program'],
  'cli/process-context.ts': [
    ['environment', 'clock', 'randomness', 'timers'],
    'the context of every command; no request of this process to this machine goes through a proxy',
  ],
  'cli/transfer/': [['timers'], 'a progress line, and the time to wait for a response after Ctrl+C'],
  'client/options.ts': [['randomness', 'network'], 'the defaults of the options of all clients'],
  'client/': [['timers'], 'timeouts and backoff of requests'],
  'service/events/event-hub.ts': [['timers'], 'heartbeats; their interval is a parameter'],
  'core/files/directory.ts': [['timers'], 'the pause between attempts on Windows, which is a parameter'],
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
  'core/time/timers.ts': [
    ['timers'],
    '`PROCESS_TIMERS`, the default of `timers` for back ends, the keychain and clients',
  ],
  'platform/system/code-cache.ts': [['environment'], 'the options of this process by which V8 compiles'],
  'platform/system/exit-limit.ts': [
    ['process', 'timers'],
    'ends a process that does not stop; its watcher is a program of its own',
  ],
  'platform/system/socket-owner.ts': [['timers'], 'polls the table of sockets'],
};

interface Import {
  readonly file: string;
  readonly wanted: string;
}

const files = listFiles(source, /(?<!\.test)\.ts$/);
const imports = readImports(source, /(?<!\.test)\.ts$/);

describe('src/ is ten folders', () => {
  const names = Object.keys(FOLDERS);

  test(`they are ${names.join(', ')}, and there is nothing beside them`, () => {
    expect(readdirSync(source).sort()).toEqual(names.toSorted());
    expect(names.length).toBeLessThanOrEqual(FOLDERS_MAX);
  });

  for (const [folder, known] of Object.entries(FOLDERS)) {
    test(`${folder} knows ${known.join(', ') || 'no other'}`, () => {
      const own = imports.filter(({file, wanted}) => folderOf(file) === folder && wanted.startsWith('.'));
      const targets = new Set(own.map(each => folderOf(targetOf(each))));
      expect(names.filter(name => name !== folder && targets.has(name))).toEqual(known);
    });
  }

  test(`each knows only folders before it, and all of them have at most ${ARROWS_MAX} arrows`, () => {
    const arrows = Object.entries(FOLDERS).flatMap(([folder, known]) => known.map(name => ({folder, name})));
    expect(arrows.filter(({folder, name}) => names.indexOf(name) >= names.indexOf(folder))).toEqual([]);
    expect(arrows.length).toBeLessThanOrEqual(ARROWS_MAX);
  });
});

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
        const isTold = join(room, file) === DOCUMENTS && target.startsWith(join('src', 'core'));
        return wanted.startsWith('.') && !target.startsWith(room) && !target.startsWith(SHARED) && !isTold;
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
      const own = listFiles(join(root, folder), /^(?!.*(?:node_modules|dist|\.temp)\/).*\.(?:tsx?|js)$/);
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
  for (const folder of files.map(file => dirname(file))) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
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
      const readers = files.filter(file => !file.startsWith('workbench/testing/') && pattern.test(readCode(file)));
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
  for (const file of files.filter(each => !each.startsWith('workbench/testing/')))
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

test('only core/files/own.ts knows the user of this process, and what other users may do with its files', () => {
  const rule = /\b0o(?:077|022|600|700)\b|\bgetuid\b/;
  // The context of a command takes the user from its host, which tests replace.
  expect(files.filter(file => rule.test(readCode(file))).sort()).toEqual([
    'cli/process-context.ts',
    'core/files/own.ts',
  ]);
});

test('only windowsProgram() names programs that come with Windows, which looks for a name in the working folder first', () => {
  const named =
    /'(?:powershell\.exe|(?:clip|cmd|conhost|icacls|netsh|notepad|reg|rundll32|taskkill|tasklist|where)(?:\.exe)?)'/;
  const others = files.filter(file => named.test(readCode(file).replaceAll(/windowsProgram\('[a-z0-9]+\.exe'/g, '')));
  // A line to copy, and the Linux below Windows, which looks in PATH only.
  expect(others.sort()).toEqual(['cli/doctor/check-data.ts', 'platform/system/open-address.ts']);
});

test('only Backoff lengthens waits between attempts', () => {
  const doubling = /(?:Ms|_MS)\b \* 2 \*\*|\bpauseMs \* 2\b|\b2 \* pauseMs\b/;
  expect(files.filter(file => doubling.test(readCode(file)))).toEqual(['core/time/backoff.ts']);
});

test('no test can pass without its expectations', () => {
  const tests = ['src', 'console/src', 'test', 'torture', 'fuzz', 'bench'].flatMap(folder =>
    listFiles(join(root, folder), /\.tsx?$/).map(file => join(folder, file)),
  );
  const found = tests
    .filter(file => /\.test\.tsx?$/.test(file) || /^(?:test|src\/workbench\/testing)\//.test(file))
    .flatMap(file =>
      findHiddenExpectations(readFileSync(join(root, file), 'utf8'), file).map(
        ({line, reason, text}) => `${file}:${line} ${reason}: ${text}`,
      ),
    );
  expect(found).toEqual([]);
});

test('valibot is called by its documented names only', () => {
  const hidden = /~run|~standard|\bv\._|\b_addIssue\b/;
  // Programs give schemas of any library, in the form that libraries agreed on.
  expect(files.filter(file => hidden.test(readCode(file)))).toEqual(['core/domain/entries/typed-entry.ts']);
});

test('no object is spread that was written only to join names on one line', () => {
  // Each name but the last has a comma: otherwise it would take exponential time.
  const joined = /\.\.\.\{\s*(?:(?:\.\.\.)?\w+,\s*)*(?:(?:\.\.\.)?\w+\s*)?\}/;
  expect(['...{a, b}', '...{a, ...B}', '...{\n  a,\n}', '...{a: 1}', '{...a}'].map(text => joined.test(text))).toEqual([
    ...[true, true, true, false, false],
  ]);
  expect(files.filter(file => joined.test(readCode(file)))).toEqual([]);
});

test('no folder grows without a word, and what shrinks stays small', () => {
  const counts = new Map(Object.keys(LINES).map(name => [name, 0]));
  for (const folder of ['src', 'console/src', 'test', 'torture', 'fuzz', 'bench'])
    for (const file of listFiles(join(root, folder), /\.(?:tsx?|js|mjs)$/)) {
      const path = join(folder, file);
      const isTest = /\.test\.tsx?$/.test(path) || /^(?:test|src\/workbench\/testing)\//.test(path);
      const counted = isTest ? 'tests' : folder === 'src' ? folderOf(file) : 'harness';
      const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
      if (isTest || folder !== 'console/src') counts.set(counted, (counts.get(counted) ?? 0) + lines);
    }
  for (const [name, lines] of counts) {
    expect(lines, `${name} has grown: say in LINES why`).toBeLessThanOrEqual(LINES[name] ?? 0);
    expect(lines, `${name} has shrunk: lower its number in LINES`).toBeGreaterThanOrEqual(
      (LINES[name] ?? 0) - LINES_SLACK,
    );
  }
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

/** Returns the folder of a file, or the file itself if its folder is one of {@link FILE_BY_FILE}. */
function roomOf(file: string): string {
  return FILE_BY_FILE.includes(dirname(file)) ? file : dirname(file);
}

/** Returns the folder of {@link FOLDERS} in which a file or a folder is. */
function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}

/** Returns what is imported: a folder or file of `src/`, a module of the platform, or a package. */
function targetOf({file, wanted}: Import): string {
  return wanted.startsWith('.') ? roomOf(relative(source, resolve(source, dirname(file), wanted))) : wanted;
}

/** Returns whether an entry of the table allows a target. Of modules and packages it also allows what is below them. */
function covers(allowed: string, target: string): boolean {
  if (allowed in MAY_IMPORT) return target === allowed;
  if (allowed === 'node:' || allowed === 'core/domain/') return `${target}/`.startsWith(allowed);
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
