/** A running service and its sessions: browser and Node, no dependency. */
export type {AllowedOriginList, RefusedOrigin} from '../../domain/access/allowed-origins.ts';
export type {
  SessionPlace,
  SessionState,
  SessionStatus,
  Sessions,
  SignIn,
  SignInOptions,
} from '../../domain/identity/session.ts';
export type {
  FollowOptions,
  RecordedFailure,
  RecordedRequest,
  RequestPage,
  Requests,
} from '../../domain/recorded-request.ts';
export type {Readiness, ServiceDocument} from '../../protocol/service-documents.ts';
export type {ClientOptions} from '../options.ts';
export type {CallOptions} from '../transport.ts';
export type {ClientOrigins} from './http-origins.ts';
export type {ClientRequests} from './http-requests.ts';
export type {ClientSessions} from './http-sessions.ts';
export {type ClientService, createService} from './service.ts';
