import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import type {Generator} from '../generator/generator.ts';
import {CREWROOM, UNRECORDED} from '../subjects/node-subjects.ts';
import {startSubject, stopSubject} from '../subjects/start-subject.ts';
import type {Subject} from '../subjects/subject.ts';
import type {TimeBox} from '../time-box.ts';
import {WORKLOADS} from '../workloads.ts';
import {type Measured, measureThroughput} from './throughput.ts';

/** Parameters of the section. */
export interface RecordingPlan {
  /** Directory for temporary files. */
  readonly directory: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly generator: Generator;
  readonly timeBox: TimeBox;
  readonly onProgress: (text: string) => void;
}

/** Measures the service beside one that does not record its requests. Nothing reads the requests. */
export async function measureRecording(plan: RecordingPlan): Promise<readonly Measured[]> {
  const directory = join(plan.directory, 'recording');
  await mkdir(directory, {recursive: true});
  const surroundings = {directory, answersFile: join(directory, 'answers.json'), peersDirectory: directory};
  const subjects: Subject[] = [];
  try {
    for (const kind of [UNRECORDED, CREWROOM]) subjects.push(await startSubject(kind, surroundings));
    const {measured} = await measureThroughput({
      ...plan,
      ...{subjects, quick: true, targetTimes: 1, secondsFor: () => plan.seconds},
      workloads: WORKLOADS.filter(({hasTarget}) => hasTarget),
      onProgress: text => plan.onProgress(`recording, ${text}`),
    });
    return measured;
  } finally {
    for (const subject of subjects) await stopSubject(subject);
  }
}
