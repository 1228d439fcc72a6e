import {CREWROOM_DIALECT} from './node-subjects.ts';
import {type Answer, ask} from './start-subject.ts';
import type {Subject} from './subject.ts';

/** Requests Crewroom's answers: the bare server answers with the same bytes. */
export async function readAnswers(crewroom: Subject): Promise<Readonly<Record<string, Answer>>> {
  const {identity, list, get, put, transaction} = CREWROOM_DIALECT;
  const places = {key: 0, value: 0};
  return {
    identity: await ask(crewroom, identity(), places),
    page: await ask(crewroom, list(), places),
    small: await ask(crewroom, get('small'), places),
    large: await ask(crewroom, get('large'), places),
    written: await ask(crewroom, put('small'), places),
    committed: await ask(crewroom, transaction(), places),
  };
}
