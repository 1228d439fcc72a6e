import type {RecordedRequest, RequestPage} from '../../domain/recorded-request.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {formatTime} from '../../protocol/text/format-time.ts';
import type {CallOf} from '../catalogue/call.ts';
import {formatRequest} from '../live/format-request.ts';
import {isRefused} from '../live/print-requests.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {jsonLine} from '../terminal/escape.ts';
import {untilInterrupted, untilStopped} from '../terminal/interruptible.ts';
import {styleOf} from '../terminal/style.ts';

/** `crewroom requests`: prints the last requests, and with `--follow` new ones until a signal stops it. */
export async function run(call: CallOf<'requests'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {requests} = (await connect(call)).service;
  const format = chooseFormat(flags.json === true, context);
  const print = async (page: RequestPage): Promise<void> => {
    if (page.missed > 0) await context.stderr.write(`crewroom: ${page.missed} requests came too fast to show\n`);
    const shown = page.requests.filter(request => flags.refused === undefined || isRefused(request));
    if (shown.length > 0) await context.stdout.write(shown.map(format).join(''));
  };
  if (flags.follow === undefined) {
    await print(await untilInterrupted(context, signal => requests.read(undefined, {signal})));
    return EXIT.ok;
  }
  return untilStopped(context, async signal => {
    for await (const page of requests.follow({signal})) await print(page);
  });
}

/** Chooses text for people on a terminal, otherwise JSON, one request on a line, as the API has it. */
function chooseFormat(json: boolean, context: CliContext): (request: RecordedRequest) => string {
  const {stdout} = context;
  if (json || !stdout.isTerminal)
    return ({sequence, atMs, ...more}) => jsonLine({sequence, at: formatTime(atMs), ...more});
  const style = styleOf(stdout, context);
  return request => formatRequest(request, {style, columns: stdout.columns, times: 1});
}
