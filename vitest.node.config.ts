import {configure} from './vitest.config.ts';

/**
 * The tests that depend on Node, for the current version: of sockets, files, processes, native code, and what a new folder has. Left out is what gives
 * the same on every version, and so is tested on the oldest one only.
 */
const SKIPPED = [
  // Rules, formats and texts: functions of their arguments.
  'src/core/{documents,domain,failures,json,protocol}/**',
  'src/http/core/**',
  'src/plugins/manifest/**',
  'src/service/{flight,metrics,settings}/**',
  'src/cli/{output,parser}/**',
  'console/**',
  // Stores without an engine or a disk: in memory, simulated, or on disks in memory that lose power.
  'src/store/{format,memory,plan,shared}/**',
  'src/store/{crash-images,failing-disk}.test.ts',
  'test/shared/**',
  // Commands that are killed or lose power between two of their system calls.
  'test/cli/{plugin-kills,power-loss}.test.ts',
  // The harness, which measures and breaks the service on one version.
  '{bench,fuzz,torture}/**',
  'test/scripts/**',
  // Sources, documents and what other programs make of them: compilers, bundlers, linters, npm.
  'test/api/outputs.test.ts',
  'test/{architecture,doc-examples,doc-files,docs,glossary,openapi,openapi-lint,parser-verdicts,readme,schemas}.test.ts',
  'test/packages/{bundles,declarations}.test.ts',
  'src/cli/npm/**',
  // Verdicts on requests, of tables and pure functions, by the sockets of all other tests.
  'test/http/{access-*,allowed-origins,docs-*,every-route,guard,permissions,window-requests}.test.ts',
  'test/faults/**',
  // Commands that decide, print and rewrite files; those that start, serve, wait and end processes are tested on both.
  'test/cli/{access*,advice,airline,back-end-guard,completion,config,doctor*,dry-run,edit,escape,expiry,explain,fault,flight}.test.ts',
  'test/cli/{plugin-{adopt,check,new,pack,projects,remove,types,update},published-*,requests,store-id,undo,unknown-failures,usage}.test.ts',
];

export default configure({skipped: SKIPPED});
