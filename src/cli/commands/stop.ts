import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {stopService} from '../service/stop-service.ts';
import {reportDone} from '../terminal/report-done.ts';

/** `crewroom stop`: asks the service to end, and waits until its process has ended. */
export async function run(call: CallOf<'stop'>): Promise<ExitCode> {
  const {processId, description} = await stopService(call);
  return reportDone(call, {stopped: true, processId}, `Stopped ${description}`);
}
