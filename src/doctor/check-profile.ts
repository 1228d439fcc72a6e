import {AppError} from '../failures/app-error.ts';
import {adviseOnFailure} from '../failures/failure-advice.ts';
import {describeProblem} from '../failures/members/problems.ts';
import {readProfile} from '../identity/profile-source.ts';
import {type Finding, findingOf} from './finding.ts';

/** Reports which identity is served, or the problems of the profile. */
export async function checkProfile(profile: string): Promise<readonly Finding[]> {
  const check = 'Identity';
  if (profile === '') return [{check, level: 'ok', detail: 'the sample that comes with Crewroom'}];
  if (profile === 'none') return [{check, level: 'ok', detail: 'none, because of --profile none'}];
  try {
    const {summary, filled = []} = await readProfile(profile);
    const missing = filled.length === 0 ? '' : `; from the sample, since the file lacks them: ${filled.join(', ')}`;
    return [{check, level: 'ok', detail: `${summary}, from ${profile}${missing}`}];
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'invalid-profile') return [findingOf(check, error)];
    return error.failure.problems.map((problem): Finding => {
      return {
        check,
        level: 'problem',
        detail: `${profile}: ${describeProblem(problem)}`,
        fix: adviseOnFailure('invalid-profile'),
      };
    });
  }
}
