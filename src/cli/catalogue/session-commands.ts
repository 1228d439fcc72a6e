import {SETTING_NAMES} from '../../config/config.ts';
import {grouped, JSON_FLAG} from './spec.ts';

/** Commands of the session, and the doctor. */
export const SESSION_COMMANDS = grouped('Service', {
  'sign-in': {
    summary: 'Sign in at your airline',
    flags: {
      scriptUrl: {placeholder: 'URL', description: 'back end of the airline, if none is configured'},
      username: {placeholder: 'NAME', description: 'pilot number or e-mail address'},
      passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
      ...JSON_FLAG,
    },
    examples: [
      {line: 'crewroom sign-in', purpose: 'asks for the address, name and password'},
      {line: 'crewroom sign-in --script-url https://air.example/back-end/', purpose: 'at this airline'},
      {line: 'pass show airline | crewroom sign-in --username 1', purpose: 'with the password from a program'},
    ],
    notes: [
      'The service has to run. The password is sent once and never stored.',
      'There is no flag or variable for it: other programs could read those.',
    ],
  },
  'sign-out': {
    summary: 'Sign out, and delete the session',
    flags: JSON_FLAG,
    examples: [{line: 'crewroom sign-out', purpose: 'deletes the session wherever it is kept'}],
  },
  doctor: {
    summary: 'Look for problems, and say how to fix them',
    flags: {
      ...JSON_FLAG,
      deep: {description: 'verify the checksum of every entry too'},
      scriptUrl: {placeholder: 'URL', description: 'check the back end of an airline instead'},
      username: {placeholder: 'NAME', description: 'sign in there as this pilot'},
      passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
    },
    settings: SETTING_NAMES,
    examples: [
      {line: 'crewroom doctor', purpose: 'check Node, settings, port, data directory, profile and service'},
      {line: 'crewroom doctor --deep', purpose: 'read every entry and name those that are corrupt'},
      {line: 'crewroom doctor --script-url https://air.example/back-end/', purpose: 'check the back end of an airline'},
      {
        line: 'crewroom doctor --script-url https://air.example/back-end/ --username 1',
        purpose: 'sign in there, verify, resume and read too',
      },
    ],
    notes: ['Exit code 1 if there is a problem; warnings do not count.'],
  },
});
