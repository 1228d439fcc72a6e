import {type Config, SETTING_NAMES} from '../config/config.ts';
import {DEFAULT_ORIGIN, type InspectedConfig} from '../config/resolve-config.ts';
import {adviseOnFailure} from '../failures/failure-advice.ts';
import {isLoopback} from '../system/loopback.ts';
import {type Finding, NamedCheck} from './finding.ts';

/** Reports each invalid setting; otherwise the settings that differ from their defaults. */
export function checkSettings({problems, origins, config}: InspectedConfig): readonly Finding[] {
  const check = new NamedCheck('Settings');
  const findings = problems.map(({source, problem}): Finding => {
    return check.problem(`${source} ${problem}`, adviseOnFailure('invalid-configuration'));
  });
  const unsafe = findUnsafeHost(config);
  if (unsafe !== undefined) findings.push(unsafe);
  if (findings.length > 0) return findings;
  const changed = SETTING_NAMES.filter(name => origins[name] !== DEFAULT_ORIGIN);
  return [check.ok(changed.length === 0 ? 'all at their defaults' : `${changed.join(', ')} changed`)];
}

function findUnsafeHost({host}: Partial<Config>): Finding | undefined {
  if (host === undefined || isLoopback(host)) return undefined;
  const detail = `host is ${JSON.stringify(host)}, which other machines could call`;
  return new NamedCheck('Settings').problem(detail, adviseOnFailure('unsafe-host'));
}
