import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import type {Generator} from '../generator/generator.ts';
import {CREWROOM} from '../subjects/node-subjects.ts';
import {startSubject, stopSubject, tellSubject} from '../subjects/start-subject.ts';
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

/** The service while it does not record its requests. */
export const UNRECORDED = {name: 'no recording'} as const;

/**
 * Measures the service with and without recording its requests, in one process: two differ by 5 %, whatever they do. Nothing reads
 * the requests.
 */
export async function measureRecording(plan: RecordingPlan): Promise<readonly Measured[]> {
  const directory = join(plan.directory, 'recording');
  await mkdir(directory, {recursive: true});
  const surroundings = {directory, answersFile: join(directory, 'answers.json'), peersDirectory: directory};
  const service = await startSubject(CREWROOM, surroundings);
  try {
    const {measured} = await measureThroughput({
      ...plan,
      ...{quick: true, targetTimes: 1, secondsFor: () => plan.seconds},
      subjects: [{...service, ...UNRECORDED}, service],
      workloads: WORKLOADS.filter(({hasTarget}) => hasTarget),
      onMeasure: ({name}) => tellSubject(service, name === UNRECORDED.name ? 'discard' : 'record'),
      onProgress: text => plan.onProgress(`recording, ${text}`),
    });
    return measured;
  } finally {
    await stopSubject(service);
  }
}
