import {
  type BackEndAnswer,
  type BackEndRequest,
  type BackEndServer,
  htmlAnswer,
  jsonAnswer,
  startBackEndServer,
} from './back-end-server.ts';
import {ADA} from './pilots.ts';

/** The pilot of a correct back end. */
export const OWN_PILOT = {
  ...{dbID: 1, pilotID: 'AIR0001', firstName: 'Ada', lastName: 'Quill', email: 'ada@example.com'},
  ...{rank: 'Captain', rankImage: null, rankLevel: 4, avatar: null, session: 'opaque-session'},
};

/** Differences of a back end that an airline wrote itself from a correct one. */
export interface OwnBackEndOptions {
  /** Answer to `GET` of the address. */
  readonly probe?: object;
  /** The pilot, as the text that travels. */
  readonly pilot?: string;
  /** Answer to credentials and sessions that are wrong. */
  readonly refusal?: BackEndAnswer;
  /** Paths that it offers, besides the sign-in. */
  readonly paths?: readonly string[];
  /** Returns whether a session is valid. */
  readonly isValid?: () => boolean;
}

/** Starts a back end that an airline wrote itself. Everything that it does not offer is a page of its framework. */
export function startOwnBackEnd({
  probe = {apiVersion: '1.0.0', handler: 'own'},
  pilot = JSON.stringify(OWN_PILOT),
  refusal = jsonAnswer(401, {message: 'Wrong'}),
  paths = ['pilot/verify', 'pilot/resume', 'data/airports'],
  isValid = () => true,
}: OwnBackEndOptions): Promise<BackEndServer> {
  return startBackEndServer((request: BackEndRequest) => {
    const {path, method, json, headers} = request;
    if (path === '') return jsonAnswer(200, probe);
    if (path !== 'pilot/login' && !paths.includes(path)) return htmlAnswer(404, 'Not Found');
    if (path === 'data/airports') return headers.authorization === undefined ? refusal : jsonAnswer(200, []);
    if (method !== 'POST') return jsonAnswer(405, {message: 'Only POST'});
    const {password, session} = json as {readonly password?: unknown; readonly session?: unknown};
    const isRight = path === 'pilot/login' ? password === ADA.password : session === OWN_PILOT.session && isValid();
    return isRight ? {...jsonAnswer(200, {}), body: pilot} : refusal;
  });
}
