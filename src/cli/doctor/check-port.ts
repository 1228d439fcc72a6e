import {addressesOf, formatAddress, type ServiceAddress} from '../../platform/system/loopback.ts';
import {
  describePortHolder,
  findPortHolder,
  findReservation,
  isTakenCode,
  tryToListen,
} from '../../platform/system/port-holder.ts';
import {isForeignUser} from '../../platform/system/socket-owner.ts';
import {type DoctorContext, type Finding, NamedCheck} from './finding.ts';

/** Advice if a program of another user has the port. */
export const FOREIGN_FIX =
  'Do not trust its answers, and ask that user to stop it; or choose another port with --port, although plugins expect 7172';

/** Advice if Windows reserves the port: its ranges are chosen anew with the service that has them. */
const RESERVED_FIX =
  'Choose another port with --port, although plugins expect 7172; or run "net stop winnat" and "net start winnat" as administrator, which reserves others';

interface PortContext extends Pick<DoctorContext, 'userId' | 'platform'> {
  /** Listens for a moment. @returns The system's error code; undefined if listening works. @default {tryToListen} */
  readonly listen?: typeof tryToListen;
}

/** Checks if each address is free, and names the program that uses it otherwise. */
export async function checkPort({host, port}: ServiceAddress, context: PortContext): Promise<readonly Finding[]> {
  if (port === 0) return [new NamedCheck('Port').ok('any free port')];
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
  {userId, platform, listen = tryToListen}: PortContext,
): Promise<Finding | undefined> {
  const check = new NamedCheck('Port');
  const name = formatAddress(address, port);
  const problem = await listen({address, port});
  if (problem === undefined) return check.ok(`${name} is free`);
  if (problem === 'EADDRNOTAVAIL' || problem === 'EAFNOSUPPORT') return undefined;
  const reservation = findReservation(problem, platform);
  if (problem === 'EACCES' && reservation === undefined)
    return check.problem(`${name} is not permitted`, 'Choose a port above 1023 with --port');
  if (!isTakenCode(problem, platform))
    return check.problem(`${name} does not work: ${problem}`, 'Choose another with --host or --port');
  const holder = await findPortHolder({address, port});
  if (holder === undefined && reservation !== undefined)
    return check.problem(`${name} is used by ${reservation}`, RESERVED_FIX);
  const detail = `${name} is used by ${holder === undefined ? 'another program' : describePortHolder(holder)}`;
  if (isForeignUser(holder?.userId, userId)) return check.problem(detail, FOREIGN_FIX);
  if (holder?.crewroomVersion !== undefined) return check.ok(detail);
  return check.problem(detail, 'Stop that program, or choose another port with --port; plugins expect 7172');
}
