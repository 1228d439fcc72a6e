import type {CallOf} from '../catalogue/commands.ts';
import {stopService} from '../service/stop-service.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

/** `crewroom stop`: asks the service to end, and waits until its process has ended. */
export async function run(call: CallOf<'stop'>): Promise<CommandOutcome> {
  const {processId, description} = await stopService(call);
  return {json: {stopped: true, processId}, lines: [`Stopped ${description}`]};
}
