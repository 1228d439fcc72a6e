import type {PutOperation} from '../../domain/commit.ts';
import {copyJson} from '../../domain/json-text.ts';
import {beginEntryRecord, jsonOf} from '../format/entry-record.ts';
import {encodePrincipal} from '../format/principal.ts';
import type {GroupedCommit, GroupedOperation, GroupPlan} from './group-plan.ts';

/** A put with the begun record of its value. The result of a patch or a touch has none until it is known. */
export type PreparedPut = PutOperation & {readonly record: Buffer};

/** A commit that does not refer to the bytes of its caller. */
export type PreparedCommit = GroupedCommit<PreparedPut>;

/** Plan of prepared commits: values are in records already, except for the results of patches and touches. */
export type PreparedPlan = GroupPlan<PreparedPut>;

/**
 * Copies the values at the call, so that the caller may reuse its buffers.
 *
 * @throws {RangeError} If the name of the caller of the commit is too long: before the commit is in a group, which would fail with it.
 */
export function prepareCommit({checks, operations, limits, writtenBy}: GroupedCommit<PutOperation>): PreparedCommit {
  const principal = encodePrincipal(writtenBy);
  return {checks, operations: operations.map(operation => prepareOperation(operation, principal)), limits, writtenBy};
}

function prepareOperation(
  operation: GroupedOperation<PutOperation>,
  principal: Buffer | undefined,
): GroupedOperation<PreparedPut> {
  if (operation.kind === 'patch') return {...operation, patch: copyJson(operation.patch)};
  if (operation.kind !== 'put') return operation;
  const {kind, key, json, expiry} = operation;
  const record = beginEntryRecord(json, principal);
  return {kind, key, json: jsonOf(record), expiry, record};
}

/** Returns whether a commit only frees space. */
export function isDeletion({operations}: PreparedCommit): boolean {
  return operations.every(({kind}) => kind === 'delete' || kind === 'expire');
}
