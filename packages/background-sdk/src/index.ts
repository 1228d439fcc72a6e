export type {Background, Route, RouteRequest, RouteResponse} from './background.js';
export {defineBackground} from './background.js';
export type {Airline, AirlineAccount, AirlinePlugin, AirlineSettings, Identity, StartIdentity} from './identity.js';
export type {LogLevel} from './log.js';
export {log} from './log.js';
