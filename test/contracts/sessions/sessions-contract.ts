import {type Contract, runContract} from '../../../src/workbench/testing/shared/contract.ts';
import {startContractBackEnd} from './back-end.ts';
import {SIGNING_IN} from './signing-in.ts';
import {STATES} from './states.ts';
import type {OpenedSessions, SessionsSubject} from './subject.ts';

/** Sessions to test: of a service that has no airline and serves no other identity, so that pilots name their back end. */
export type SessionsContract = Contract<OpenedSessions>;

/**
 * Tests everything that the `Sessions` port promises, in the same process or over a network. Starts a small back end for
 * each test, on a free port of 127.0.0.1.
 */
export function testSessions(contract: SessionsContract): void {
  runContract({...contract, open: () => openSubject(contract)}, [SIGNING_IN, STATES]);
}

async function openSubject(contract: SessionsContract): Promise<SessionsSubject> {
  const opened = await contract.open();
  const backEnd = await startContractBackEnd();
  return {
    ...opened,
    backEnd,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await backEnd[Symbol.asyncDispose]();
    },
  };
}
