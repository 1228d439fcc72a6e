import {setImmediate} from 'node:timers/promises';
import {type Crewroom, openCrewroom} from '../../app.ts';
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

/** `crewroom start`: serves until a signal stops it. */
export async function run(call: CallOf<typeof START>): Promise<ExitCode> {
  // First of all: a signal during start-up stops the service in good order too.
  const stop = listenForStop(call.context);
  try {
    const {config} = await readSettings(call);
    const {stderr} = call.context;
    const reporter =
      stderr.isTerminal && !call.flags.json
        ? reportToPeople(config, call.context)
        : reportToPrograms(config, call.context);
    await serve({config, newStoreId: call.flags.newStoreId === true}, reporter, stop);
    return EXIT.ok;
  } finally {
    stop.release();
  }
}

/** Reports the state of the service, to people or to programs. */
interface Reporter {
  readonly log: Log;
  started(service: StartedService): Promise<void>;
  stopping(signal: StopSignal): Promise<void>;
  stopped(): Promise<void>;
}

interface Serving {
  readonly config: Config;
  readonly newStoreId: boolean;
}

async function serve({config, newStoreId}: Serving, reporter: Reporter, stop: StopRequest): Promise<void> {
  const crewroom = await openCrewroom(config, {log: reporter.log, newStoreId});
  try {
    // Start-up may take a single tick of the event loop; a signal that came meanwhile is delivered after it.
    await setImmediate();
    if (!stop.isAsked()) await reporter.started(await listen(crewroom, stop));
    await reporter.stopping(await stop.asked);
  } finally {
    await crewroom[Symbol.asyncDispose]();
  }
  await reporter.stopped();
}

/** Listens, and waits until the folders of plugins were read. Plugins may still be starting. */
async function listen(crewroom: Crewroom, stop: StopRequest): Promise<StartedService> {
  const listening = await crewroom.listen();
  await Promise.race([crewroom.plugins.ready(), stop.asked]);
  return {crewroom, ...listening};
}

function reportToPeople({logLevel}: Config, context: CliContext): Reporter {
  const {stderr, nowMs} = context;
  const style = styleOf(stderr, context);
  return {
    log: createLog({level: logLevel, write: text => void stderr.write(text), nowMs, style}),
    started: service => stderr.write(formatBanner(service, style)),
    stopping: signal => {
      // After Ctrl+C the terminal shows ^C: begin a new line.
      const lineBreak = signal === 'SIGINT' ? '\n' : '';
      const text = 'Stopping: requests in flight are finished; press Ctrl+C again to stop at once';
      return stderr.write(`${lineBreak}${style.dim(text)}\n`);
    },
    stopped: () => stderr.write(`${style.dim('Stopped')}\n`),
  };
}

function reportToPrograms({logLevel}: Config, {stderr, nowMs, processId}: CliContext): Reporter {
  const log = createLog({level: logLevel, write: text => void stderr.write(text), nowMs});
  return {
    log,
    started: async service => log.info('started', startedFields(service, processId)),
    stopping: async signal => log.info('stopping', {signal}),
    stopped: async () => log.info('stopped'),
  };
}
