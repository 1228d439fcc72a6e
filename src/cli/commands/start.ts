import {setImmediate} from 'node:timers/promises';
import {openCrewroom} from '../../app.ts';
import type {Config} from '../../config/config.ts';
import type {Log} from '../../domain/log.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {START} from '../catalogue/service-commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {readSettings} from '../input/settings.ts';
import {formatBanner, type StartedService, startedFields} from '../output/banner.ts';
import type {CliContext, StopSignal} from '../terminal/context.ts';
import {createLog} from '../terminal/log.ts';
import {listenForStop, type StopRequest} from '../terminal/stop-request.ts';
import {styleOf} from '../terminal/style.ts';

/** `crewroom start`: serves until it is asked to stop. */
export async function run(call: CallOf<typeof START>): Promise<ExitCode> {
  // First of all: a signal during start-up is a request to stop too, and nothing is left half open.
  const stop = listenForStop(call.context);
  try {
    const {config} = await readSettings(call);
    const {stderr} = call.context;
    const speaker =
      stderr.isTerminal && !call.flags.json ? forPeople(config, call.context) : forPrograms(config, call.context);
    await serve({config, newStoreId: call.flags.newStoreId === true}, speaker, stop);
    return EXIT.ok;
  } finally {
    stop.release();
  }
}

/** Says what happens, to people or to programs. */
interface Speaker {
  readonly log: Log;
  started(service: StartedService): Promise<void>;
  stopping(signal: StopSignal): Promise<void>;
  stopped(): Promise<void>;
}

interface Serving {
  readonly config: Config;
  readonly newStoreId: boolean;
}

async function serve({config, newStoreId}: Serving, speaker: Speaker, stop: StopRequest): Promise<void> {
  const crewroom = await openCrewroom(config, {log: speaker.log, newStoreId});
  try {
    // Start-up may take a single turn of the event loop, and a signal that came meanwhile is heard after it.
    await setImmediate();
    if (!stop.isAsked()) await speaker.started({crewroom, ...(await crewroom.listen())});
    await speaker.stopping(await stop.asked);
  } finally {
    await crewroom[Symbol.asyncDispose]();
  }
  await speaker.stopped();
}

function forPeople({logLevel}: Config, context: CliContext): Speaker {
  const {stderr} = context;
  const style = styleOf(stderr, context);
  return {
    log: createLog({level: logLevel, write: text => void stderr.write(text), style}),
    started: service => stderr.write(formatBanner(service, style)),
    stopping: signal => {
      // After Ctrl+C the terminal shows ^C; what follows gets a line of its own.
      const lineBreak = signal === 'SIGINT' ? '\n' : '';
      const text = 'Stopping: requests in flight finish; Ctrl+C again ends at once';
      return stderr.write(`${lineBreak}${style.dim(text)}\n`);
    },
    stopped: () => stderr.write(`${style.dim('Stopped')}\n`),
  };
}

function forPrograms({logLevel}: Config, {stderr, processId}: CliContext): Speaker {
  const log = createLog({level: logLevel, write: text => void stderr.write(text)});
  return {
    log,
    started: async service => log.info('started', startedFields(service, processId)),
    stopping: async signal => log.info('stopping', {signal}),
    stopped: async () => log.info('stopped'),
  };
}
