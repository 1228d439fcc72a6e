import {type Crewroom, openCrewroom} from '../../app.ts';
import type {Config} from '../../config.ts';
import type {Log} from '../../domain/log.ts';
import {formatBanner, type StartedService, startedFields} from '../banner.ts';
import type {Call} from '../command.ts';
import type {CliContext, StopSignal} from '../context.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {createLog} from '../log.ts';
import {readSettings} from '../settings.ts';
import {listenForStop, type StopRequest} from '../stop-request.ts';
import {styleOf} from '../style.ts';

/** `crewroom start`: serves until it is asked to stop. */
export async function run(call: Call): Promise<ExitCode> {
  // First of all: a signal during start-up is a request to stop too, and nothing is left half open.
  const stop = listenForStop(call.context);
  try {
    const {config} = await readSettings(call);
    await serve(config, call.context, stop);
    return EXIT.ok;
  } finally {
    stop.release();
  }
}

async function serve(config: Config, context: CliContext, stop: StopRequest): Promise<void> {
  const {stderr} = context;
  const style = styleOf(stderr, context);
  const log = createLog({
    level: config.logLevel,
    write: text => void stderr.write(text),
    style: stderr.isTerminal ? style : undefined,
  });
  const crewroom = await openCrewroom(config, {log});
  try {
    if (!stop.isAsked()) await announce({crewroom, ...(await crewroom.listen())}, context, log);
    await tellStopping(await stop.asked, context, log);
  } catch (error) {
    await crewroom[Symbol.asyncDispose]();
    throw error;
  }
  await crewroom[Symbol.asyncDispose]();
  if (stderr.isTerminal) await stderr.write(`${style.dim('Stopped')}\n`);
  else log.info('stopped');
}

async function tellStopping(signal: StopSignal, context: CliContext, log: Log): Promise<void> {
  const {stderr} = context;
  const {dim} = styleOf(stderr, context);
  // The line begins after the ^C that the terminal shows.
  if (stderr.isTerminal)
    await stderr.write(`\n${dim('Stopping: requests in flight finish; Ctrl+C again ends at once')}\n`);
  else log.info('stopping', {signal});
}

async function announce(
  started: StartedService & {readonly crewroom: Crewroom},
  context: CliContext,
  log: Log,
): Promise<void> {
  const {stderr, processId} = context;
  if (stderr.isTerminal) await stderr.write(formatBanner(started, styleOf(stderr, context)));
  else log.info('started', startedFields(started, processId));
}
