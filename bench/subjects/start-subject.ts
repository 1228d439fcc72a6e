import {once} from 'node:events';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {readSizeBytes} from '../data-size.ts';
import {takeValues} from '../generator/generator.ts';
import {fillTemplate, type Places, type RequestTemplate} from '../generator/template.ts';
import {readMemory} from '../process.ts';
import {
  ENTRIES,
  type RunningSubject,
  type Subject,
  type SubjectKind,
  type Surroundings,
  type ValueSize,
} from './subject.ts';

/** Number of concurrent requests while a subject is filled. */
const CONCURRENCY = 32;

/**
 * Starts a subject, and stores the entries of the workloads.
 *
 * @param surroundings Its own directory is created below the given one.
 */
export async function startSubject(kind: SubjectKind, surroundings: Surroundings): Promise<Subject> {
  const directory = join(surroundings.directory, kind.name.replaceAll(/\W+/g, '-'));
  await mkdir(directory, {recursive: true});
  const running = await kind.start({...surroundings, directory});
  const {start: _, ...known} = kind;
  const processIds = running.servers.map(server => server.processId);
  try {
    if (!running.filled) for (const size of kind.dialect.sizes) await fill({...known, ...running}, size);
    const [idle, diskBytes] = [readMemory(processIds), await readSizeBytes(directory)];
    return {...known, ...running, directory, processIds, idle, diskBytes};
  } catch (error) {
    await stopSubject(running);
    throw error;
  }
}

/** Stops the processes of a subject. */
export async function stopSubject({servers}: RunningSubject): Promise<void> {
  for (const server of servers) await server.stop();
}

/** Sends a message to the process of one of our subjects, and waits for its answer. */
export async function tellSubject({servers: [{process: server}]}: RunningSubject, message: string): Promise<unknown> {
  const answered = once(server, 'message');
  server.send(message);
  const [answer] = await answered;
  return answer;
}

/** Answer of a subject. */
export interface Answer {
  /** By name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends one request to a subject and reads its answer.
 *
 * @throws {Error} If the status is not 2xx.
 */
export async function ask(
  {name, url}: Pick<Subject, 'name' | 'url'>,
  template: RequestTemplate,
  places: Places,
): Promise<Answer> {
  const {method, path, headers, body} = fillTemplate(template, places);
  const send = () =>
    fetch(`${url}${path}`, {
      method,
      headers: {...headers, ...(body === undefined ? {} : {'Content-Type': 'application/json'})},
      ...(body === undefined ? {} : {body}),
    });
  // Retried once: the server may close a keep-alive connection just when it is used. The requests are idempotent.
  const response = await send().catch(send);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${name} answered ${method} ${path} with ${response.status}: ${answer}`);
  return {headers: Object.fromEntries(response.headers), body: answer};
}

async function fill(subject: Pick<Subject, 'name' | 'url' | 'dialect'>, size: ValueSize): Promise<void> {
  const value = takeValues();
  const template = subject.dialect.put(size);
  let key = 0;
  const putSome = async (): Promise<void> => {
    while (key < ENTRIES[size]) {
      const n = key++;
      await ask(subject, template, {key: n, value: value + n});
    }
  };
  await Promise.all(Array.from({length: CONCURRENCY}, putSome));
}
