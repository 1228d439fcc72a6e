import {release} from 'node:os';
import {agentFileOf, unitFileOf} from '../../platform/paths.ts';
import type {CommandCall} from '../catalogue/commands.ts';
import {connect} from '../service/connection.ts';
import {stopService} from '../service/stop-service.ts';
import {type Autostart, withoutManager} from './autostart.ts';
import {createLaunchAgent} from './launch-agent.ts';
import {createRunKey} from './run-key.ts';
import {createUserUnit} from './systemd.ts';

/**
 * Returns the start at log-on of this platform.
 *
 * @throws {AppError} `invalid-usage` if there is none.
 */
export function createAutostart(call: CommandCall): Autostart {
  const {context} = call;
  const {platform, homeDir, paths, environment} = context;
  const {logFile} = paths;
  if (platform === 'win32') {
    const isServing = (): Promise<boolean> => isAnswering(call);
    const stop = async (): Promise<void> => {
      if (await isAnswering(call)) await stopService(call);
    };
    return createRunKey({context, logFile, release: release(), isServing, stop});
  }
  if (platform === 'darwin' && homeDir !== '') return createLaunchAgent({file: agentFileOf(homeDir), logFile}, context);
  const file = platform === 'linux' ? unitFileOf(environment) : undefined;
  if (file === undefined) throw withoutManager('systemctl');
  return createUserUnit(file, context);
}

async function isAnswering(call: CommandCall): Promise<boolean> {
  const {service} = await connect(call);
  return service.about().then(
    () => true,
    () => false,
  );
}
