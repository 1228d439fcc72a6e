import assert from 'node:assert/strict';
import type {IdentitySource} from '../../../core/domain/identity/identity.ts';
import {findSecrets} from '../../../core/domain/identity/identity-secrets.ts';
import {hideSecrets} from '../../../core/domain/redaction.ts';
import {type Contract, type ContractPart, runContract} from '../shared/contract.ts';

/** An identity source to test. */
export interface IdentitySourceContract extends Contract<IdentitySource> {
  /**
   * Changes the identity of an opened source; resolves when the change was requested, not when the source has noticed.
   * Without it, changes are not tested.
   */
  readonly change?: ((source: IdentitySource) => Promise<void>) | undefined;
}

/** Timeout for a source to notice a change, in milliseconds: long, for busy machines. */
const CHANGE_TIMEOUT_MS = 10_000;

/**
 * Tests the contract of the `IdentitySource` port. Each test opens a source of its own.
 *
 * @example
 * ```ts
 * import {testIdentitySource} from 'crewroom/testing';
 * import {describe, test} from 'node:test';
 * import {openMySource} from '../my-source.js';
 *
 * testIdentitySource({name: 'MySource', open: () => openMySource(), describe, test});
 * ```
 */
export function testIdentitySource(contract: IdentitySourceContract): void {
  const {change} = contract;
  runContract(contract, [IDENTITY, ...(change === undefined ? [] : [identityChanges(change)])]);
}

const IDENTITY: ContractPart<IdentitySource> = {
  name: 'identity',
  tests: [
    {
      name: 'serves one JSON object in UTF-8 with the members of the specification, or nothing',
      async run(source) {
        const json = source.current()?.json;
        const document: unknown = JSON.parse(json ? new TextDecoder('utf-8', {fatal: true}).decode(json) : '{}');
        const {va_user: pilot, airline} = document as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        const found = [typeof pilot?.['pilotID'], typeof airline?.['settings'], Array.isArray(airline?.['plugins'])];
        assert.deepEqual(found, json ? ['string', 'object', true] : ['undefined', 'undefined', false]);
      },
    },
    {
      name: 'composes the document once, not for each reader',
      async run(source) {
        assert.equal(source.current(), source.current());
      },
    },
    {
      name: 'has a summary of one line, which contains no secret of the document',
      async run(source) {
        const {json, summary} = source.current() ?? {json: undefined, summary: 'none'};
        assert.match(summary, /^[^\n]+$/);
        const document: unknown = JSON.parse(json ? new TextDecoder().decode(json) : '{}');
        const masked = hideSecrets(summary, findSecrets(document));
        // The log of the tests gets no secret either.
        assert.equal(masked === summary, true, `The summary contains the session, or a token: ${masked}`);
      },
    },
    {
      name: 'names the origin of the identity',
      async run(source) {
        const {kind} = source.origin;
        assert.equal(typeof kind, 'string');
        // A back end may have no signed-in pilot, and so may a sample.
        assert.equal(['none', 'profile'].includes(kind) && source.current() === undefined, kind === 'none');
      },
    },
    {
      name: 'adds and removes listeners, also twice',
      async run(source) {
        const stop = source.onChange(() => {});
        stop();
        stop();
      },
    },
    {
      name: 'can be closed twice, also concurrently',
      async run(source) {
        await Promise.all([source[Symbol.asyncDispose](), source[Symbol.asyncDispose]()]);
        await source[Symbol.asyncDispose]();
      },
    },
  ],
};

function identityChanges(change: (source: IdentitySource) => Promise<void>): ContractPart<IdentitySource> {
  return {
    name: 'changes',
    tests: [
      {
        name: 'serves another identity before it calls back, and calls each listener',
        async run(source) {
          const before = source.current();
          const seen: unknown[] = [];
          source.onChange(() => seen.push(source.current()));
          const changed = nextChange(source);
          await change(source);
          await changed;
          assert.notEqual(source.current(), before);
          assert.deepEqual(seen, [source.current()]);
        },
      },
      {
        name: 'does not call a removed listener',
        async run(source) {
          const calls: string[] = [];
          const stop = source.onChange(() => calls.push('given up'));
          source.onChange(() => calls.push('kept'));
          stop();
          const changed = nextChange(source);
          await change(source);
          await changed;
          assert.deepEqual(calls, ['kept']);
        },
      },
      {
        name: 'calls the other listeners when one throws',
        async run(source) {
          source.onChange(() => {
            throw new Error('a listener of this test throws');
          });
          const changed = nextChange(source);
          await change(source);
          await changed;
        },
      },
    ],
  };
}

async function nextChange(source: IdentitySource): Promise<void> {
  let stop = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      stop = source.onChange(resolve);
      timer = setTimeout(() => reject(new Error('Cannot see a change: no listener was called')), CHANGE_TIMEOUT_MS);
    });
  } finally {
    clearTimeout(timer);
    stop();
  }
}
