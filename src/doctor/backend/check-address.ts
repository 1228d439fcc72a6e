import {isUnprotected, readScriptUrl} from '../../identity/backend/script-url.ts';
import type {Finding} from '../finding.ts';

const CHECK = 'Address';

/** Checks the form of an address. @returns The address with a slash at its end; undefined if it is invalid. */
export function checkAddress(given: string): {
  readonly scriptURL: string | undefined;
  readonly findings: readonly Finding[];
} {
  const reading = readScriptUrl(given);
  if ('problem' in reading) {
    const fix = 'Give the address of the directory of the back end, such as https://air.example/back-end/';
    return {
      scriptURL: undefined,
      findings: [{check: CHECK, level: 'problem', detail: `the address ${reading.problem}`, fix}],
    };
  }
  const {scriptURL} = reading;
  const warnings = [...findMissingSlash(given, scriptURL), ...findPlainHttp(scriptURL)];
  const fine: Finding = {check: CHECK, level: 'ok', detail: scriptURL};
  return {scriptURL, findings: warnings.length === 0 ? [fine] : warnings};
}

function findMissingSlash(given: string, scriptURL: string): readonly Finding[] {
  if (given.endsWith('/')) return [];
  return [
    {
      check: CHECK,
      level: 'problem',
      detail:
        'the address does not end in "/": plugins append their paths to it unchanged, and "crewroom start" refuses it',
      fix: `Configure ${scriptURL} as scriptURL of the airline`,
    },
  ];
}

function findPlainHttp(scriptURL: string): readonly Finding[] {
  if (!isUnprotected(scriptURL)) return [];
  return [
    {
      check: CHECK,
      level: 'warning',
      detail:
        'without https, others on the network can read passwords and sessions, so "crewroom start" sends neither without --allow-plain-http',
      fix: 'Enable https for the site (most hosters offer it at no cost), then configure the https:// address',
    },
  ];
}
