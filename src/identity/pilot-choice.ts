import type {IdentitySource} from '../domain/identity/identity.ts';
import {isPilotChooser, type PilotList, type Pilots} from '../domain/identity/pilots.ts';
import {AppError} from '../failures/app-error.ts';
import {listSamplePilots} from './sample-pilots.ts';

export interface PilotChoiceDeps {
  readonly identity: Pick<IdentitySource, 'origin' | 'current'>;
  /** Served while no pilot is signed in. */
  readonly base: IdentitySource;
}

/** Creates the choice of a sample pilot. A profile, or a pilot who is signed in, is never replaced. */
export function createPilotChoice({identity, base}: PilotChoiceDeps): Pilots {
  const list = (): PilotList => {
    const {origin} = identity;
    const current = origin.kind === 'sample' ? origin.pilot : undefined;
    return {pilots: listSamplePilots(), ...(current === undefined ? {} : {current})};
  };
  return {
    list,
    use: name => {
      const problem = findProblem(identity);
      if (problem !== undefined || !isPilotChooser(base))
        throw new AppError({code: 'pilot-choice-unavailable', problem: problem ?? 'the identity has no sample pilots'});
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
