import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {createMachine, type Service} from '../cli/crewroom.ts';
import {put, write} from '../contracts/shared/assertions.ts';
import {EtcdCluster} from '../support/etcd-cluster.ts';
import {openStoreIn} from '../support/shared-stores.ts';

const ENTRIES = 1_000_000;

/** Operations of a transaction, the most that one has. */
const OPERATIONS = 1000;

/** Value of 200 bytes. */
const VALUE = JSON.stringify('x'.repeat(198));

/** Memory that a service with many entries takes beside one with none, in bytes: its heap is never exactly as large. */
const MEMORY_BYTES_MAX = 30 * 1024 * 1024;

/** Time that they take to open more than none, in milliseconds: reading them all would take minutes. */
const OPENING_MS_MAX = 1000;

/** Time for a million entries on a busy machine, in milliseconds. */
const TIMEOUT_MS = 900_000;

const machine = await createMachine();
let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await EtcdCluster.start(1);
});
afterAll(() => cluster[Symbol.asyncDispose]());

function keyAt(index: number): string {
  return `entry ${String(index).padStart(7, '0')}`;
}

describe('a store with a million entries', () => {
  test(
    'opens as one with none, in as much memory, and lists a page from either end',
    async () => {
      const beganMs = performance.now();
      {
        await using store = await openStoreIn(await cluster.connectTo('million'));
        for (let at = 0; at < ENTRIES; at += OPERATIONS)
          await write(store, ...Array.from({length: OPERATIONS}, (_, index) => put(keyAt(at + index), VALUE)));
      }
      report('written', performance.now() - beganMs);
      const [empty, full] = [await open('empty'), await open('million')];
      const pages: (readonly string[])[] = [];
      for (const isReverse of [false, true]) {
        const startMs = performance.now();
        const answer = await fetch(`${full.service.url}/api/keys?limit=100&reverse=${isReverse}`);
        const {entries} = (await answer.json()) as {readonly entries: readonly {readonly key: string}[]};
        report(`page of 100${isReverse ? ', reversed' : ''}`, performance.now() - startMs);
        pages.push(entries.map(({key}) => key));
      }
      const first = Array.from({length: 100}, (_, index) => keyAt(index));
      const last = Array.from({length: 100}, (_, index) => keyAt(ENTRIES - 1 - index));
      assert.deepEqual(pages, [first, last]);
      const metrics = await (await fetch(`${full.service.url}/metrics`)).text();
      assert.match(metrics, /^crewroom_store_entries 1000000$/m);
      const [emptyBytes, fullBytes] = [await memoryOf(empty.service), await memoryOf(full.service)];
      report('memory beside an empty store, in KiB', (fullBytes - emptyBytes) / 1024);
      assert.ok(fullBytes - emptyBytes < MEMORY_BYTES_MAX);
      assert.ok(full.openedMs < empty.openedMs + OPENING_MS_MAX);
      for (const {service} of [empty, full]) await service.stop();
    },
    TIMEOUT_MS,
  );
});

/** Starts a service on a part of the cluster, in a process of its own. */
async function open(prefix: string): Promise<{readonly service: Service; readonly openedMs: number}> {
  const startMs = performance.now();
  const store = `etcd://${cluster.addresses[0]}/${prefix}`;
  const service = await machine.start(['--store', store, '--data-dir', `${machine.home}/${prefix}`]);
  const openedMs = performance.now() - startMs;
  report(`${prefix} opened, with its process`, openedMs);
  return {service, openedMs};
}

async function memoryOf({child}: Service): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Prints a figure: milliseconds unless its name says otherwise. */
function report(name: string, figure: number): void {
  process.stdout.write(`${name}: ${Math.round(figure)}\n`);
}
