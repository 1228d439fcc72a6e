import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {findMissingEngine, MEMBERS, startTwo} from '../engine.ts';
import {HistoryRecorder} from '../linearizability/recorder.ts';
import {Race} from '../race.ts';
import {assertLinearizable, countExchanges} from '../race-steps.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {findMissingTracer} from '../strace.ts';

/** Steps of all writers together with each slow disk. */
const STEPS = {quick: 25, standard: 300};

/** Time by which each sync takes longer, in milliseconds, and the members whose syncs do. */
const SLOW = [
  {delayMs: 200, members: 'the leader'},
  {delayMs: 2000, members: 'the leader'},
  {delayMs: 200, members: 'all'},
] as const;

/** Longest time in which the service answers, in milliseconds, with some for a busy machine. */
const ANSWER_MS_MAX = 15_000;

/** E2, the disks: syncs of members take long. */
export const SLOW_ENGINE: Scenario = {
  id: 'E2D',
  name: 'The disks of members of etcd become slow under two services: one order explains all answers, and none is missing',
  rounds: {quick: 1, standard: 3},
  findMissing: async () => (await findMissingEngine()) ?? findMissingTracer(),
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      await using cluster = await EtcdCluster.start(MEMBERS);
      await runRound(cluster, round, context);
      context.count('rounds');
    }
  },
};

async function runRound(cluster: EtcdCluster, round: number, context: ScenarioContext): Promise<void> {
  const {directory, report, count, random, quick} = context;
  const sharers = await startTwo(cluster, context, `${round}`);
  const recorder = new HistoryRecorder();
  const race = new Race(
    sharers.map(({url}) => recorder.watch(url, ANSWER_MS_MAX)),
    random.fork(`round ${round}`),
  );
  const steps = quick ? STEPS.quick : STEPS.standard;
  for (const {delayMs, members} of SLOW) {
    report(`round ${round} of ${context.rounds}, ${delayMs} ms for each sync of ${members}`);
    await race.progress(steps);
    const slow = members === 'all' ? [0, 1, 2] : [cluster.findLeader()];
    await using _ = await delaySyncs(
      slow.map(index => cluster.processIdOf(index)),
      delayMs,
    );
    await race.progress(steps);
    count('slow disks', slow.length);
  }
  await race.progress(steps);
  await race.end();
  for (const {process} of sharers) await process.stop();
  recorder.cutOff();
  await assertLinearizable(recorder.history, join(directory, `slow-engine-${round}.history.json`));
  countExchanges(recorder.history, count);
}

/** Makes each sync of some processes take longer, until it is disposed. */
async function delaySyncs(processIds: readonly number[], delayMs: number): Promise<AsyncDisposable> {
  const inject = `inject=fdatasync,fsync:delay_enter=${delayMs * 1000}`;
  const tracer = spawn(
    'strace',
    [
      ...['-f', '-o', '/dev/null', '-e', 'trace=fdatasync,fsync', '-e', inject],
      ...processIds.flatMap(id => ['-p', String(id)]),
    ],
    {stdio: ['ignore', 'ignore', 'pipe']},
  );
  const exited = once(tracer, 'exit');
  let output = '';
  await new Promise<void>(resolve => {
    // Read to the end: a tracer that cannot write ends.
    tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.split(' attached').length > processIds.length) resolve();
    });
    void exited.then(() => resolve());
  });
  if (!output.includes(' attached')) throw new Error(`Cannot trace etcd: ${output}`);
  return {
    async [Symbol.asyncDispose]() {
      tracer.kill('SIGTERM');
      await exited;
    },
  };
}
