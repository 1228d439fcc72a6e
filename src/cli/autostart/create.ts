import {agentFileOf, unitFileOf} from '../../platform/paths.ts';
import type {CommandCall} from '../catalogue/commands.ts';
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
  const {platform, homeDir, environment} = call.context;
  if (platform === 'win32') return createRunKey(call);
  if (platform === 'darwin' && homeDir !== '') return createLaunchAgent(agentFileOf(homeDir), call.context);
  const file = platform === 'linux' ? unitFileOf(environment) : undefined;
  if (file === undefined) throw withoutManager('systemctl');
  return createUserUnit(file, call.context);
}
