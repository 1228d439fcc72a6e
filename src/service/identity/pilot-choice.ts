import type {IdentitySource} from '../../core/domain/identity/identity.ts';
import type {PilotList, Pilots} from '../../core/domain/identity/pilots.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {listSamplePilots, SampleSource} from './sample-pilots.ts';

export interface PilotChoiceDeps {
  readonly identity: Pick<IdentitySource, 'origin' | 'current'>;
  /** Served while no pilot is signed in. */
  readonly base: IdentitySource;
  /** True if pilots sign in at an airline that is configured. */
  readonly hasAirline: boolean;
  /** The words with which the user calls the command line. */
  readonly command: string;
}

/** Creates the choice of a sample pilot. A profile, or a pilot who is signed in, is never replaced. */
export function createPilotChoice(deps: PilotChoiceDeps): Pilots {
  const {identity, base} = deps;
  const list = (): PilotList => {
    const {origin} = identity;
    const current = origin.kind === 'sample' ? origin.pilot : undefined;
    return {pilots: listSamplePilots(), ...(current === undefined ? {} : {current})};
  };
  return {
    list,
    use: name => {
      const problem = findProblem(identity);
      if (problem !== undefined || !(base instanceof SampleSource))
        throw new AppError(
          {code: 'not-offered', what: 'pilots', problem: problem ?? 'the identity has no sample pilots'},
          {advice: adviceFor(deps)},
        );
      base.usePilot(name);
      return list();
    },
  };
}

/** Describes why the identity is not a sample; undefined if it is. */
function findProblem(identity: PilotChoiceDeps['identity']): string | undefined {
  switch (identity.origin.kind) {
    case 'sample':
      return undefined;
    case 'profile':
      return 'the identity comes from a profile';
    case 'none':
      return 'the service was started without an identity';
    case 'back-end':
      return identity.current() === undefined ? 'pilots sign in at their airline' : 'a pilot is signed in';
  }
}

/** Returns how a sample is served from this state on. */
function adviceFor({base, hasAirline, command}: PilotChoiceDeps): string {
  if (hasAirline) return `"${command} start --ephemeral --port 0" starts a service with samples beside this one`;
  if (base.origin.kind !== 'sample') return 'Start the service without --profile';
  if (!(base instanceof SampleSource)) return 'Let the program that embeds the service leave its identity source out';
  return `Sign out: in the console, or with "${command} sign-out"`;
}
