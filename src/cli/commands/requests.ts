import type {RecordedRequest, RequestPage} from '../../core/domain/recorded-request.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {writeTimes} from '../../core/protocol/text/times.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {formatRequest} from '../live/format-request.ts';
import {isRefused} from '../live/print-requests.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, jsonLine, styleOf} from '../terminal/context.ts';
import {untilInterrupted, untilStopped} from '../terminal/interruptible.ts';

/** `crewroom requests`: prints the last requests, and with `--follow` new ones until a signal stops it. */
export async function run(call: CallOf<'requests'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {requests} = (await connect(call)).service;
  let isEmpty = true;
  const format = chooseFormat(flags.json === true, context);
  const print = async (page: RequestPage): Promise<void> => {
    if (page.missed > 0) await context.stderr.write(`crewroom: ${page.missed} requests came too fast to show\n`);
    const shown = page.requests.filter(request =>
      flags.refused ? isRefused(request) : flags.json === true || !request.own,
    );
    if (shown.length === 0) return;
    isEmpty = false;
    await context.stdout.write(shown.map(format).join(''));
  };
  if (flags.follow === undefined) {
    await print(await untilInterrupted(context, signal => requests.read(undefined, {signal})));
    if (isEmpty && flags.json === undefined) await context.stderr.write('No requests yet\n');
    return EXIT.ok;
  }
  return untilStopped(call, async signal => {
    for await (const page of requests.follow({signal})) await print(page);
  });
}

/** Chooses text for people, in a pipe too; with `--json` one request on a line, as the API has it. */
function chooseFormat(json: boolean, context: CliContext): (request: RecordedRequest) => string {
  const {stdout} = context;
  if (json) return request => jsonLine(writeTimes(request));
  return request => formatRequest(request, styleOf(stdout, context));
}
