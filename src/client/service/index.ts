/** A running service and its sessions: browser and Node, no dependency. */
export type {AllowedOriginList, RefusedOrigin} from '../../core/domain/access/allowed-origins.ts';
export type {IdentityOrigin, SessionStatus, Sessions, SignIn} from '../../core/domain/identity/identity.ts';
export type {
  FollowOptions,
  RecordedFailure,
  RecordedRequest,
  RequestPage,
  Requests,
} from '../../core/domain/recorded-request.ts';
export {formatGrant, formatLine, type LineWord} from '../../core/failures/copied-line.ts';
export type {Readiness, ServiceDocument} from '../../core/protocol/service-documents.ts';
export type {ClientOptions} from '../options.ts';
export type {CallOptions} from '../transport.ts';
export type {ClientRequests} from './http-requests.ts';
export type {ClientOrigins, ClientSessions} from './service.ts';
export {type ClientService, createService} from './service.ts';
