import {join} from 'node:path';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {runLoad} from '../load.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';
import {verifyOnDisk} from '../verify-on-disk.ts';

const WRITERS = 8;

/** A round ends somewhere within the writes that follow so many acknowledgements. */
const ACKNOWLEDGEMENTS_MAX = 400;

/** C1: the service dies at any moment, and again. */
export const KILL_AT_RANDOM: Scenario = {
  id: 'C1',
  name: 'Killed at random moments under eight writers, it loses nothing that it acknowledged',
  rounds: {quick: 10, standard: 100},
  run: async context => {
    const {random, rounds, directory, report, count, signal} = context;
    const dataDir = join(directory, 'data');
    using ledger = new Ledger(join(directory, 'ledger.ndjson'));
    const history = new History(ledger);
    for (let round = 1; round <= rounds; round++) {
      const service = await startService({dataDir, signal});
      await judge(service, {history, count});
      const acknowledgements = random.integer(1, ACKNOWLEDGEMENTS_MAX);
      ledger.note({round, revision: history.revision, killAfter: acknowledgements});
      await writeAndKill(service, acknowledgements, {context, ledger});
      count('rounds');
      report(`round ${round} of ${rounds}, ${history.size} entries, revision ${history.revision}`);
    }
    const service = await startService({dataDir, signal});
    await judge(service, {history, count});
    await service.stop();
    await verifyOnDisk(dataDir, {signal});
  },
};

async function writeAndKill(
  service: ServiceProcess,
  acknowledgements: number,
  {context, ledger}: {readonly context: ScenarioContext; readonly ledger: Ledger},
): Promise<void> {
  const ended = new AbortController();
  let rest = acknowledgements;
  await runLoad({
    url: service.url,
    ledger,
    random: context.random,
    writers: WRITERS,
    signal: ended.signal,
    onAcknowledged: () => {
      context.count('acknowledged writes');
      if (--rest !== 0) return;
      ended.abort();
      void service.kill();
    },
  });
  await service.exited;
}

async function judge(
  {url}: ServiceProcess,
  {history}: {readonly history: History; readonly count: ScenarioContext['count']},
): Promise<void> {
  history.follow(await readChanges(url, history.revision));
  history.settle();
  const beganMs = Date.now();
  const entries = await readEntries(url);
  history.compare(entries, {beganMs, endedMs: Date.now()});
}
