import {addressesOf, formatAddress} from '../../http/loopback.ts';
import {describePortHolder, findPortHolder} from '../../http/port-holder.ts';
import {tryToListen} from './check-machine.ts';
import type {Finding} from './finding.ts';

/** Whether each address could be listened on, or by whom it is already. */
export async function checkPort({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<readonly Finding[]> {
  if (port === 0) return [{check: 'Port', level: 'ok', detail: 'any free one'}];
  const findings: Finding[] = [];
  for (const address of addressesOf(host)) {
    const finding = await checkAddress(address, port);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

async function checkAddress(address: string, port: number): Promise<Finding | undefined> {
  const check = 'Port';
  const name = formatAddress(address, port);
  const problem = await tryToListen({host: address, port});
  if (problem === undefined) return {check, level: 'ok', detail: `${name} is free`};
  if (problem === 'EADDRNOTAVAIL' || problem === 'EAFNOSUPPORT') return undefined;
  if (problem === 'EACCES')
    return {check, level: 'problem', detail: `${name} is not permitted`, fix: 'Choose a port above 1023 with --port'};
  if (problem !== 'EADDRINUSE')
    return {
      check,
      level: 'problem',
      detail: `${name} does not work: ${problem}`,
      fix: 'Choose another with --host or --port',
    };
  const holder = await findPortHolder({address, port});
  const detail = `${name} is used by ${holder === undefined ? 'another program' : describePortHolder(holder)}`;
  if (holder?.crewroomVersion !== undefined) return {check, level: 'ok', detail};
  return {
    check,
    level: 'problem',
    detail,
    fix: 'Stop that program, or choose another port with --port; plugins expect 7172',
  };
}
