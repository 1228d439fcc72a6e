import {programAddress} from '../../service/own-origin.ts';
import {pageMarks} from '../../service/page-marks.ts';
import {formatCurl} from './format-curl.ts';

/** The words with which the user of this service calls the command line. */
const CREWROOM = pageMarks().find(({name}) => name === 'command')?.description ?? 'npx crewroom';

/** Returns a command of Crewroom, such as `plugin new my-plugin`, as the user of this service calls it. */
export function crewroomCommand(words: string): string {
  return `${CREWROOM} ${words}`;
}

/** Returns a command that calls this service, such as `sign-in`: with its port, unless that is the default one. */
export function serviceCommand(words: string): string {
  const port = location.port || '80';
  return crewroomCommand(port === '7172' ? words : words.replace(/ >|$/, ` --port ${port}$&`));
}

/** Lines that create a plugin and run it, the same in every shell. */
export const NEW_PLUGIN_LINES = [crewroomCommand('plugin new my-plugin'), 'cd my-plugin', 'npm install', 'npm run dev'];

/** Returns a command that reads the identity, as a plugin does, in every shell. */
export function exampleOfReading(): string | undefined {
  return formatCurl({method: 'GET', url: `${programAddress()}/api/identity`});
}

/** Returns a command that stores a value, as a plugin does, in every shell. */
export function exampleOfWriting(): string | undefined {
  return formatCurl({method: 'POST', url: `${programAddress()}/api/store/volume`, body: '0.5'});
}
