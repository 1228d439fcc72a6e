import {URL_VARIABLE, variableOf} from '../../config/config.ts';
import {type ServiceAddress, serviceUrl} from '../../system/loopback.ts';
import {withoutProxy} from '../../system/without-proxy.ts';
import type {CliContext} from '../terminal/context.ts';

/** Returns the environment of a command that runs beside a service: with its address, to which no request goes through a proxy. */
export function childEnvironment(
  environment: CliContext['environment'],
  address: ServiceAddress,
): Readonly<Record<string, string | undefined>> {
  return {
    ...environment,
    ...withoutProxy(environment, {isNode: false}),
    [URL_VARIABLE]: serviceUrl(address),
    [variableOf('host')]: address.host,
    [variableOf('port')]: String(address.port),
  };
}
