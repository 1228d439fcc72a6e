import {startFileOf} from '../../platform/paths.ts';
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
  const {context} = call;
  if (context.platform === 'win32') return createRunKey(call);
  const file = startFileOf(context);
  if (file === undefined) throw withoutManager('systemctl');
  return context.platform === 'darwin' ? createLaunchAgent(file, context) : createUserUnit(file, context);
}
