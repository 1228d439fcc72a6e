/** For the tests of others: plugins that run for a test, and the contract of identity sources. */

export {type IdentitySourceContract, testIdentitySource} from './identity/identity-source-contract.ts';
export type {DeepPartial, IdentityMembers, TestIdentity} from './plugin/changing-identity.ts';
export {type LoadedPlugin, type LoadPluginOptions, loadPlugin, type RouteRequest} from './plugin/load-plugin.ts';
export type {
  BackEndAnswer,
  BackEndAnswers,
  BackEndReply,
  BackEndRequest,
  JsonValue,
  RecordingBackEnd,
} from './plugin/recording-back-end.ts';
export type {Contract, TestRunner} from './shared/contract.ts';
