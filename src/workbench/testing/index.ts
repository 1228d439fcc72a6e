/** For the tests of others: plugins that run for a test, and the contract of identity sources. */

export type {Fault, FaultList, FaultSelection, Faults, RequestFault} from '../../core/domain/faults/fault.ts';
export type {PilotList, Pilots, SamplePilot, SamplePilotName} from '../../core/domain/identity/pilots.ts';
export type {FaultKind} from '../../core/failures/failure.ts';
export type {BackEndReply, BackEndRequest} from '../back-end/back-end-request.ts';
export type {BackEndAnswer, BackEndAnswers, JsonValue, RecordingBackEnd} from '../back-end/recording-back-end.ts';
export {type IdentitySourceContract, testIdentitySource} from './identity/identity-source-contract.ts';
export {openTestCrewroom, type TestCrewroom, type TestOptions} from './open-test-crewroom.ts';
export type {DeepPartial, IdentityMembers, TestIdentity} from './plugin/changing-identity.ts';
export {type LoadedPlugin, type LoadPluginOptions, loadPlugin, type RouteRequest} from './plugin/load-plugin.ts';
export type {Contract, TestRunner} from './shared/contract.ts';
