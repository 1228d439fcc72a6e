import {onTestFinished} from 'vitest';
import {createMachine, type Running} from './crewroom.ts';

/** A `crewroom play` that runs for one test. */
export interface Playing {
  readonly running: Running;
  readonly port: number;
  /** Address of the console with the steps, as the owner. */
  readonly owned: string;
}

/** Starts `crewroom play` for the rest of a test. */
export async function startPlay(): Promise<Playing> {
  const machine = await createMachine();
  const running = machine.spawn(['play']);
  onTestFinished(async () => {
    running.child.kill('SIGINT');
    await running.finished;
  });
  await running.until(({stderr}) => stderr.includes('"message":"started"'));
  const [, port = ''] = /crewroom\.localhost:(\d+)\/#\/play/.exec(running.said().stderr) ?? [];
  const {stdout} = await machine.run(['console', '--print', '--port', port]);
  return {running, port: Number(port), owned: `${stdout.trim()}/play`};
}
