import {programAddress} from '../../service/own-origin.ts';
import {pageMarks} from '../../service/page-marks.ts';
import {formatCurl} from './format-curl.ts';

/** The words with which the user of this service calls the command line. */
const CREWROOM = pageMarks().find(({name}) => name === 'command')?.description ?? 'npx crewroom';

/** Returns a command of Crewroom, such as `plugin new my-plugin`, as the user of this service calls it. */
export function crewroomCommand(words: string): string {
  return `${CREWROOM} ${words}`;
}

/** Returns a command that reads the identity, as a plugin does, in every shell. */
export function exampleOfReading(): string {
  return formatCurl({method: 'GET', url: `${programAddress()}/api/identity`});
}

/** Returns a command that stores a value, as a plugin does, in every shell. */
export function exampleOfWriting(): string {
  return formatCurl({method: 'POST', url: `${programAddress()}/api/store/com.example.hello%2Fvolume`, body: '0.5'});
}
