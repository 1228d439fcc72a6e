import {programAddress} from '../../service/own-origin.ts';
import {formatCurl} from './format-curl.ts';

/** Returns a command that reads the identity, as a plugin does, in every shell. */
export function exampleOfReading(): string {
  return formatCurl({method: 'GET', url: `${programAddress()}/api/identity`});
}

/** Returns a command that stores a value, as a plugin does, in every shell. */
export function exampleOfWriting(): string {
  return formatCurl({method: 'POST', url: `${programAddress()}/api/store/com.example.hello%2Fvolume`, body: '0.5'});
}
