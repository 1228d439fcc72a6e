import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import type {RequestTemplate} from '../generator/template.ts';
import {CREWROOM, CREWROOM_DIALECT, startModes} from '../subjects/node-subjects.ts';
import {startSubject, stopSubject} from '../subjects/start-subject.ts';
import type {Dialect, SubjectKind} from '../subjects/subject.ts';
import {WORKLOADS} from '../workloads.ts';
import type {RecordingPlan} from './recording.ts';
import {type Measured, measureThroughput} from './throughput.ts';

/** The service in the mode `open`, called without credentials. */
export const OPEN = {name: 'open'} as const;

/** The service in the mode `strict`, called by the owner, and by a program with a token. */
export const STRICT = [{name: 'strict, owner'}, {name: 'strict, program'}] as const;

/** Measures what the judgement of credentials costs: the modes `open` and `strict`, in one process, since two differ by 5 %. */
export async function measureAccess(plan: RecordingPlan): Promise<readonly Measured[]> {
  const directory = join(plan.directory, 'access');
  await mkdir(directory, {recursive: true});
  const {open, strict, tokens} = await startModes(directory);
  try {
    const surroundings = {directory, answersFile: join(directory, 'answers.json'), peersDirectory: directory};
    const kinds: readonly SubjectKind[] = [
      {...CREWROOM, ...OPEN, start: async () => open},
      ...STRICT.map(
        (named, index): SubjectKind => ({
          ...CREWROOM,
          ...named,
          dialect: withToken(tokens[index] ?? ''),
          // Both have the entries of the first.
          start: async () => ({...strict, filled: index > 0}),
        }),
      ),
    ];
    const subjects = [];
    for (const kind of kinds) subjects.push(await startSubject(kind, surroundings));
    const {measured} = await measureThroughput({
      ...plan,
      ...{quick: true, targetTimes: 1, secondsFor: () => plan.seconds},
      subjects,
      workloads: WORKLOADS.filter(({hasTarget}) => hasTarget),
      onProgress: text => plan.onProgress(`access, ${text}`),
    });
    return measured;
  } finally {
    await stopSubject(open);
  }
}

/** Returns the requests with a token. */
function withToken(token: string): Dialect {
  const {sizes, get, put, identity} = CREWROOM_DIALECT;
  const add = (template: RequestTemplate): RequestTemplate => ({
    ...template,
    headers: {...template.headers, Authorization: `Bearer ${token}`},
  });
  return {sizes, get: size => add(get(size)), put: size => add(put(size)), identity: () => add(identity())};
}
