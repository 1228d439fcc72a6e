import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

/**
 * Parsers of the platform. All take linear time and accept any depth; the size of their results must be bounded before.
 */
const PARSERS = /\b(?:JSON\.parse|new URL|URL\.canParse|Date\.parse|decodeURIComponent|checkValue)\((?!\))/g;

/** Calls of parsers of the platform: their number, and the bound of the text before each. */
const VERDICTS: Readonly<Record<string, readonly [calls: number, bound: string]>> = {
  'access/grants/rules-file.ts': [2, 'FILE_BYTES_MAX, of a file of the user'],
  'access/token-file.ts': [3, 'FILE_BYTES_MAX, of a file of the user, and a time in it'],
  'cli/commands/airline.ts': [2, 'the name of a folder of the package, and an address that was read'],
  'cli/commands/copy.ts': [5, 'an argument: the operating system limits it'],
  'cli/commands/play.ts': [1, 'a folder of the package'],
  'http/routes/page-client-routes.ts': [1, 'a file of the package'],
  'cli/commands/plugin.ts': [1, 'an argument: the operating system limits it'],
  'back-end/back-end-data.ts': [2, 'a file of the author, of DATA_BYTES_MAX; the name of a file of the package'],
  'back-end/recording-back-end.ts': [3, 'a request of the plugin in development: BODY_BYTES_MAX, 16 KiB of headers'],
  'cli/dev/check-page-server.ts': [3, 'an argument, and the header Location: fetch() reads 16 KiB of headers'],
  'cli/dev/dev-settings.ts': [1, 'an argument'],
  'cli/dev/provide-sdks.ts': [1, 'the name of a folder of the package'],
  'cli/dev/side-command.ts': [1, 'an argument'],
  'cli/input/settings.ts': [1, 'CONFIG_BYTES_MAX, and VALUE_DEPTH_MAX by parseJsonText()'],
  'cli/live/service-keys.ts': [1, 'an address that the service made'],
  'cli/main.ts': [1, 'the name of a file of the package'],
  'cli/npm/own-packages.ts': [1, 'the name of a folder of the package'],
  'cli/npm/pack-package.ts': [1, 'package.json of a package of ours'],
  'cli/output/banner.ts': [1, 'an address that the service made'],
  'cli/plugin/template.ts': [1, 'the name of a folder of the package'],
  'cli/service/owner-code.ts': [1, 'an address that the service made'],
  'cli/service/http-fetch.ts': [1, 'the address of a service, from an argument'],
  'cli/terminal/log.ts': [1, 'a line that the log made'],
  'client/network/network.ts': [1, 'the address of a service, which the program gives'],
  'config/store-location.ts': [1, 'a setting of the user'],
  'doctor/backend/check-connection.ts': [
    3,
    'an address that was read; dates of a certificate, which TLS limits to 16 KiB',
  ],
  'doctor/backend/check-probe.ts': [2, 'addresses that were read'],
  'doctor/backend/walk.ts': [1, 'an address that was read'],
  'documents/faults.ts': [1, 'what readJsonDocument() took, or an argument'],
  'documents/requests.ts': [
    3,
    'what JsonIndex took: a body of some KiB, with few members; a time that an expression took',
  ],
  'failures/failure-advice.ts': [2, 'an origin, shortened by the guard'],
  'json/json-document.ts': [1, 'files of 16 MiB; VALUE_DEPTH_MAX and BREADTH_MAX by parseJsonText()'],
  'json/json-index.ts': [2, 'a name or a string of a document that parseJsonText() accepted'],
  'json/json-string.ts': [1, 'a name of a document that is being scanned'],
  'json/merge-patch.ts': [1, 'a name of a text that parseJsonText() accepted'],
  'domain/entries/typed-entry.ts': [1, 'a value, limited by the size of values; only if the caller reads it'],
  'domain/access/web-origin.ts': [2, 'an origin in a setting, or of ORIGIN_LENGTH_MAX'],
  'faults/draw-faults.ts': [1, 'the target of a request: 16 KiB of headers'],
  'faults/fault-switch.ts': [1, 'the identity document that is served'],
  'http/core/route.ts': [3, 'the target of a request: 16 KiB of headers'],
  'http/fetch-handler.ts': [1, 'an address of the embedding program'],
  'http/files/find-file.ts': [1, 'the target of a request: 16 KiB of headers'],
  'http/proxy/page-server.ts': [1, 'an argument'],
  'http/routes/console-routes.ts': [1, 'the name of a folder of the package'],
  'http/routes/flight-routes.ts': [1, 'the identity document that is served'],
  'http/routes/identity-routes.ts': [1, 'the identity document that is served'],
  'http/routes/docs-routes.ts': [2, 'names of files and of a folder of the package'],
  'http/routes/read-parameters.ts': [1, 'the query of a request: 16 KiB of headers'],
  'identity/backend/airline-profile.ts': [3, 'what readJsonDocument() took, and addresses that were read'],
  'identity/backend/request/answer-body.ts': [2, 'PARSED_BYTES_MAX, or what a step of the doctor allows: 16 MiB'],
  'identity/backend/request/back-end-request.ts': [1, 'an address that was read'],
  'identity/backend/pilot.ts': [3, 'PARSED_BYTES_MAX; the schema has no lists, so it has few problems'],
  'identity/backend/request/redirect.ts': [7, 'the header Location: fetch() reads 16 KiB of headers'],
  'identity/backend/retry-after.ts': [2, 'headers, after an expression that takes some 40 characters'],
  'identity/backend/session-expiry.ts': [1, 'SESSION_LENGTH_MAX'],
  'identity/backend/script-url.ts': [3, 'an argument, a sign-in of at most 16 KiB, or a file that was read'],
  'identity/identity-document.ts': [1, 'what readJsonDocument() took'],
  'identity/keychain/keychain-process.js': [1, 'a request that keychain.ts created'],
  'identity/keychain/keychain.ts': [2, 'ANSWER_LENGTH_MAX; the other is the name of a file of the package'],
  'identity/session/pilot-identity.ts': [2, 'parsed documents; pilots of PARSED_BYTES_MAX'],
  'identity/session/storage/session-file.ts': [1, 'FILE_BYTES_MAX'],
  'plugins/background/channel/frame.ts': [1, 'FRAME_JSON_BYTES_MAX'],
  'plugins/background/log/secrets.ts': [1, 'the identity document that is served'],
  'plugins/background/runtime-process.ts': [1, 'the name of a file of the package'],
  'plugins/background/runtime/calls/request.ts': [2, 'a body of a request, in the process of the plugin'],
  'plugins/background/runtime/follow-redirects.ts': [2, 'the header Location: fetch() reads 16 KiB of headers'],
  'plugins/background/runtime/modules/load-module.ts': [1, 'a file of the plugin, in its own process'],
  'plugins/background/runtime/plugin.ts': [1, 'the identity document, in the process of the plugin'],
  'plugins/background/runtime/program/places.ts': [7, 'names of files of the package'],
  'plugins/background/runtime/redirect-calls.ts': [2, 'an address of the plugin, in its own process'],
  'plugins/background/runtime/values/problem.ts': [1, 'a line of a stack of the plugin, in its own process'],
  'plugins/manifest/manifest-members.ts': [1, 'what readJsonDocument() took'],
  'plugins/manifest/read-manifest.ts': [3, 'what readJsonDocument() took'],
  'plugins/package/check/check-page.ts': [3, 'an address in a page of a plugin, whose size is limited'],
  'plugins/sources/adopt-manifest.ts': [1, 'the manifest of the author: PROJECT_BYTES_MAX'],
  'plugins/sources/adopt-project.ts': [1, 'the lock file of the author: LOCK_BYTES_MAX'],
  'plugins/sources/author-package.ts': [1, 'the package.json of the author: PROJECT_BYTES_MAX'],
  'plugins/followed-pilot.ts': [1, 'an identity that its source has parsed'],
  'protocol/plugin/client-request.ts': [1, 'CLIENT_REQUEST_BYTES_MAX, and VALUE_DEPTH_MAX by parseJsonText()'],
  'protocol/refused-requests.ts': [1, 'a time in an answer of the service'],
  'protocol/text/read-document.ts': [
    2,
    'DOCUMENT_BYTES_MAX or ANSWER_BYTES_MAX of the client, EVENT_LENGTH_MAX of an event',
  ],
  'protocol/transfer/read-export-lines.ts': [1, 'an expression that accepts nothing but a time'],
  'protocol/transaction/write-transaction.ts': [1, 'a value of the caller itself'],
  'requests/kept-requests.ts': [1, 'the target of a request: 16 KiB of headers'],
  'store/disk/data-format.ts': [1, 'FORMAT_BYTES_MAX'],
  'store/lmdb/opening-trial-process.js': [1, 'options that opening-trial.ts wrote'],
  'store/lmdb/opening-trial.ts': [1, 'the name of a file of the package'],
  'store/shared/engine/results.ts': [1, 'a record that this program wrote'],
  'store/shared/engine/head.ts': [1, 'HEAD_BYTES_MAX'],
  'store/shared/etcd/etcd-client.ts': [1, 'a date of a certificate of the user'],
  'store/shared/etcd/member-facts.ts': [1, 'a header of at most 16 KiB, the limit of Node'],
  'store/shared/etcd/inspect-etcd.ts': [1, 'a date of a certificate of the user'],
  'system/loopback-address.ts': [2, 'an argument'],
  'system/open-address.ts': [1, 'an address that the service made'],
  'system/port-holder.ts': [1, 'ANSWER_LENGTH_MAX'],
  'version.ts': [2, 'package.json of the package'],
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
    file => /\.(?:ts|js)$/.test(file) && !/\.test\.ts$|^testing\/|docs-page\//.test(file),
  );
}
