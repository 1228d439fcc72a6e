import {AppError} from '../failures/app-error.ts';
import {adviseOnFailure} from '../failures/failure-advice.ts';
import {describeProblem} from '../failures/members/problems.ts';
import {readProfile} from '../identity/profile-source.ts';
import {type Finding, findingOf, NamedCheck} from './finding.ts';

const CHECK = new NamedCheck('Identity');

/** Reports which identity is served, or the problems of the profile. */
export async function checkProfile(profile: string): Promise<readonly Finding[]> {
  if (profile === '') return [CHECK.ok('the sample that comes with Crewroom')];
  if (profile === 'none') return [CHECK.ok('none, because of --profile none')];
  try {
    const {summary, filled = []} = await readProfile(profile);
    const missing = filled.length === 0 ? '' : `; from the sample, since the file lacks them: ${filled.join(', ')}`;
    return [CHECK.ok(`${summary}, from ${profile}${missing}`)];
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'invalid-profile') return [findingOf(CHECK.name, error)];
    const fix = adviseOnFailure('invalid-profile');
    return error.failure.problems.map(problem => CHECK.problem(`${profile}: ${describeProblem(problem)}`, fix));
  }
}
