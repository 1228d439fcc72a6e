import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

/**
 * Parsers of the platform. All take linear time and accept any depth; the size of their results must be bounded before.
 */
const PARSERS =
  /\b(?:JSON\.parse|new URL|URL\.canParse|Date\.parse|decodeURIComponent|decodeIfEncoded|checkValue)\((?!\))/g;

/** Calls of parsers of the platform: their number, and the bound of the text before each. */
const VERDICTS: Readonly<Record<string, readonly [calls: number, bound: string]>> = {
  'service/access/development-file.ts': [1, 'a file of the user, whose size is limited before'],
  'service/access/token-file.ts': [1, 'a time in a file of FILE_BYTES_MAX'],
  'service/access/own-document.ts': [2, 'a file of the user, whose size is limited before'],
  'cli/commands/airline.ts': [2, 'the name of a folder of the package, and an address that was read'],
  'cli/commands/play.ts': [1, 'a folder of the package'],
  'cli/commands/plugin.ts': [1, 'an argument: the operating system limits it'],
  'workbench/back-end/back-end-data.ts': [
    3,
    'a file of the author, of DATA_BYTES_MAX; the name of a file of the package',
  ],
  'workbench/back-end/back-end-server.ts': [
    2,
    'a request of the plugin in development: 16 KiB of headers, BODY_BYTES_MAX',
  ],
  'cli/dev/check-page-server.ts': [3, 'an argument, and the header Location: fetch() reads 16 KiB of headers'],
  'cli/dev/dev-settings.ts': [1, 'an argument'],
  'cli/dev/provide-sdks.ts': [1, 'the name of a folder of the package'],
  'cli/dev/side-command.ts': [1, 'an argument'],
  'cli/input/settings.ts': [1, 'CONFIG_BYTES_MAX, and VALUE_DEPTH_MAX by parseJsonText()'],
  'cli/live/service-keys.ts': [1, 'an address that the service made'],
  'cli/main.ts': [1, 'the name of a file of the package'],
  'cli/npm/own-packages.ts': [2, 'the name of a folder of the package, and its package.json'],
  'cli/output/banner.ts': [1, 'an address that the service made'],
  'cli/plugin/new.ts': [1, 'the name of a folder of the package'],
  'cli/service/owner-code.ts': [1, 'an address that the service made'],
  'cli/service/http-fetch.ts': [1, 'the address of a service, from an argument'],
  'cli/terminal/log.ts': [1, 'a line that the log made'],
  'client/network/network.ts': [1, 'the address of a service, which the program gives'],
  'platform/config/store-location.ts': [1, 'a setting of the user'],
  'cli/doctor/backend/check-connection.ts': [
    3,
    'an address that was read; dates of a certificate, which TLS limits to 16 KiB',
  ],
  'cli/doctor/backend/walk.ts': [3, 'addresses that were read'],
  'core/domain/percent-encoding.ts': [2, 'see its callers'],
  'core/documents/flight.ts': [1, 'a flight that a program or a page gives, and a frame of it: a body of some KiB'],
  'service/flight/flight-file.ts': [1, 'a file of this user alone, of limited size'],
  'core/documents/faults.ts': [1, 'faults that a program gives'],
  'core/documents/requests.ts': [
    3,
    'what JsonIndex took: a body of some KiB, with few members; a time that an expression took',
  ],
  'core/failures/facts.ts': [2, 'an origin, shortened by the guard'],
  'core/json/json-document.ts': [1, 'files of 16 MiB; VALUE_DEPTH_MAX and BREADTH_MAX by parseJsonText()'],
  'core/json/json-index.ts': [2, 'a name or a string of a document that parseJsonText() accepted'],
  'core/json/json-string.ts': [1, 'a name of a document that is being scanned'],
  'core/json/merge-patch.ts': [1, 'a name of a text that parseJsonText() accepted'],
  'core/domain/entries/typed-entry.ts': [1, 'a value, limited by the size of values; only if the caller reads it'],
  'core/failures/web-origin.ts': [2, 'an origin in a setting, or of ORIGIN_LENGTH_MAX'],
  'service/faults/fault-switch.ts': [
    3,
    'the identity document that is served; the target of a request: 16 KiB of headers',
  ],
  'service/requests/kept-requests.ts': [1, 'the query of a request: 16 KiB of headers'],
  'http/core/route.ts': [2, 'the target of a request: 16 KiB of headers'],
  'http/fetch-handler.ts': [1, 'an address of the embedding program'],
  'http/files/file-answer.ts': [1, 'the target of a request: 16 KiB of headers'],
  'http/proxy/page-server.ts': [1, 'an argument'],
  'http/routes/page-template.ts': [1, 'the name of a folder of the package'],
  'http/routes/flight-routes.ts': [1, 'the identity document that is served'],
  'http/routes/access-routes.ts': [2, 'the target of a request: 16 KiB of headers'],
  'http/routes/plugin-routes.ts': [4, 'the target of a request: 16 KiB of headers'],
  'http/routes/settings-routes.ts': [1, 'the target of a request: 16 KiB of headers'],
  'http/routes/sound-addresses.ts': [2, 'an address in a body of some KiB'],
  'http/routes/identity-routes.ts': [1, 'the identity document that is served'],
  'http/routes/docs-routes.ts': [4, 'names of files and of a folder of the package'],
  'http/routes/read-parameters.ts': [1, 'the query of a request: 16 KiB of headers'],
  'service/identity/backend/airline-profile.ts': [3, 'what readJsonDocument() took, and addresses that were read'],
  'service/identity/backend/request/answer-body.ts': [
    2,
    'PARSED_BYTES_MAX, or what a step of the doctor allows: 16 MiB',
  ],
  'service/identity/backend/request/back-end-request.ts': [1, 'an address that was read'],
  'service/identity/backend/pilot.ts': [
    6,
    'PARSED_BYTES_MAX; the schema has no lists, so it has few problems; dates; SESSION_LENGTH_MAX',
  ],
  'service/identity/backend/diagnosis.ts': [1, 'PARSED_BYTES_MAX: what is longer is no binary body'],
  'service/identity/backend/request/redirect.ts': [7, 'the header Location: fetch() reads 16 KiB of headers'],
  'service/identity/backend/answer-text.ts': [2, 'headers, after an expression that takes some 40 characters'],
  'service/identity/backend/script-url.ts': [3, 'an argument, a sign-in of at most 16 KiB, or a file that was read'],
  'service/identity/identity-document.ts': [
    2,
    'what readJsonDocument() took; the identity of a program, which embeds the service',
  ],
  'service/identity/keychain/keychain-process.js': [1, 'a request that keychain.ts created'],
  'service/identity/keychain/keychain.ts': [2, 'ANSWER_LENGTH_MAX; the other is the name of a file of the package'],
  'service/identity/session/pilot-identity.ts': [2, 'parsed documents; pilots of PARSED_BYTES_MAX'],
  'service/identity/session/storage/session-file.ts': [1, 'FILE_BYTES_MAX'],
  'plugins/background/channel/frame.ts': [1, 'FRAME_JSON_BYTES_MAX'],
  'plugins/background/log/secrets.ts': [1, 'the identity document that is served'],
  'plugins/background/runtime-process.ts': [1, 'the name of a file of the package'],
  'plugins/background/runtime/calls/request.ts': [2, 'a body of a request, in the process of the plugin'],
  'plugins/background/runtime/modules/load-module.ts': [1, 'a file of the plugin, in its own process'],
  'plugins/background/runtime/plugin.ts': [2, 'the identity document and settings, in the process of the plugin'],
  'plugins/background/runtime/program/places.ts': [7, 'names of files of the package'],
  'plugins/background/runtime/redirect-calls.ts': [
    4,
    'an address of the plugin, in its own process; the header Location: fetch() reads 16 KiB of headers',
  ],
  'plugins/background/runtime/values/problem.ts': [1, 'a line of a stack of the plugin, in its own process'],
  'plugins/manifest/read-manifest.ts': [4, 'what readJsonDocument() took'],
  'plugins/package/check/check-page.ts': [3, 'an address in a page of a plugin, whose size is limited'],
  'plugins/sources/adopt-project.ts': [
    2,
    'the manifest and the lock file of the author: PROJECT_BYTES_MAX, LOCK_BYTES_MAX',
  ],
  'plugins/directory/plugin-halves.ts': [1, 'the package.json of the author: PROJECT_BYTES_MAX'],
  'plugins/followed-pilot.ts': [1, 'an identity that its source has parsed'],
  'core/protocol/plugin/client-request.ts': [1, 'CLIENT_REQUEST_BYTES_MAX, and VALUE_DEPTH_MAX by parseJsonText()'],
  'core/protocol/text/read-document.ts': [2, 'SERVICE_ANSWER_BYTES_MAX of the client, EVENT_LENGTH_MAX of an event'],
  'core/protocol/transfer/export-lines.ts': [1, 'an expression that accepts nothing but a time'],
  'core/protocol/transaction/write-transaction.ts': [1, 'a value of the caller itself'],
  'store/disk/data-format.ts': [1, 'FORMAT_BYTES_MAX'],
  'store/lmdb/opening-trial-process.js': [1, 'options that opening-trial.ts wrote'],
  'store/lmdb/opening-trial.ts': [1, 'the name of a file of the package'],
  'store/lmdb/read-tables-process.js': [1, 'options that read-tables.ts wrote'],
  'store/lmdb/read-tables.ts': [1, 'the name of a file of the package'],
  'store/shared/engine/change-log.ts': [1, 'a record that this program wrote'],
  'store/shared/engine/head.ts': [1, 'HEAD_BYTES_MAX'],
  'store/shared/etcd/etcd-client.ts': [1, 'a date of a certificate of the user'],
  'store/shared/etcd/member-facts.ts': [1, 'a header of at most 16 KiB, the limit of Node'],
  'store/shared/etcd/inspect-etcd.ts': [1, 'a date of a certificate of the user'],
  'platform/system/loopback.ts': [2, 'an argument'],
  'platform/system/open-address.ts': [1, 'an address that the service made'],
  'platform/system/port-holder.ts': [1, 'ANSWER_LENGTH_MAX'],
  'core/version.ts': [2, 'package.json of the package'],
};

test('every call of a parser over text from outside has a verdict', () => {
  const calls = listSources().flatMap(file => {
    const code = readFileSync(join(SOURCES, file), 'utf8').replace(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, '');
    const count = code.match(PARSERS)?.length ?? 0;
    return count === 0 ? [] : [[file, count] as const];
  });
  expect(Object.fromEntries(calls)).toEqual(
    Object.fromEntries(Object.entries(VERDICTS).map(([file, [count]]) => [file, count])),
  );
});

test('the limits that verdicts name exist', () => {
  const sources = listSources().map(file => readFileSync(join(SOURCES, file), 'utf8'));
  const names = Object.values(VERDICTS).flatMap(([, bound]) => bound.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []);
  const missing = names.filter(name => !sources.some(text => text.includes(`const ${name} =`)));
  expect(missing).toEqual([]);
});

function listSources(): readonly string[] {
  return readdirSync(SOURCES, {recursive: true, encoding: 'utf8'}).filter(
    file => /\.(?:ts|js)$/.test(file) && !/\.test\.ts$|^workbench\/testing\/|docs-page\//.test(file),
  );
}
