import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {STOP_SPEC} from '../catalogue/service-commands.ts';
import {stopService} from '../service/stop-service.ts';
import {jsonLine} from '../terminal/escape.ts';

/** `crewroom stop`: asks the service to end, and waits until its process has ended. */
export async function run(call: CallOf<typeof STOP_SPEC>): Promise<ExitCode> {
  const {context, flags} = call;
  const {processId, description} = await stopService(call);
  if (flags.json) await context.stdout.write(jsonLine({stopped: true, processId}));
  else if (context.stderr.isTerminal) await context.stderr.write(`Stopped ${description}\n`);
  return EXIT.ok;
}
