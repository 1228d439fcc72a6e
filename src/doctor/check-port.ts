import {isReservedCode, isTakenCode, RESERVATION} from '../system/free-port.ts';
import {addressesOf, formatAddress, type ServiceAddress} from '../system/loopback.ts';
import {describePortHolder, findPortHolder} from '../system/port-holder.ts';
import {isForeignUser} from '../system/socket-owner.ts';
import {tryToListen} from './check-machine.ts';
import type {DoctorContext} from './context.ts';
import type {Finding} from './finding.ts';

/** Advice if a program of another user has the port. */
export const FOREIGN_FIX =
  'Do not trust its answers, and ask that user to stop it; or choose another port with --port, although plugins expect 7172';

/** Checks if each address is free, and names the program that uses it otherwise. */
export async function checkPort(
  {host, port}: ServiceAddress,
  context: Pick<DoctorContext, 'userId'>,
): Promise<readonly Finding[]> {
  if (port === 0) return [{check: 'Port', level: 'ok', detail: 'any free port'}];
  const findings: Finding[] = [];
  for (const address of addressesOf(host)) {
    const finding = await checkAddress(address, port, context);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

async function checkAddress(
  address: string,
  port: number,
  {userId}: Pick<DoctorContext, 'userId'>,
): Promise<Finding | undefined> {
  const check = 'Port';
  const name = formatAddress(address, port);
  const problem = await tryToListen({host: address, port});
  if (problem === undefined) return {check, level: 'ok', detail: `${name} is free`};
  if (problem === 'EADDRNOTAVAIL' || problem === 'EAFNOSUPPORT') return undefined;
  if (problem === 'EACCES' && !isReservedCode(problem))
    return {check, level: 'problem', detail: `${name} is not permitted`, fix: 'Choose a port above 1023 with --port'};
  if (!isTakenCode(problem))
    return {
      check,
      level: 'problem',
      detail: `${name} does not work: ${problem}`,
      fix: 'Choose another with --host or --port',
    };
  const holder = await findPortHolder({address, port});
  const unknown = isReservedCode(problem) ? RESERVATION : 'another program';
  const detail = `${name} is used by ${holder === undefined ? unknown : describePortHolder(holder)}`;
  if (isForeignUser(holder?.userId, userId))
    return {check, level: 'problem', detail: `${detail}; it belongs to user ${holder?.userId}`, fix: FOREIGN_FIX};
  if (holder?.crewroomVersion !== undefined) return {check, level: 'ok', detail};
  return {
    check,
    level: 'problem',
    detail,
    fix: 'Stop that program, or choose another port with --port; plugins expect 7172',
  };
}
