import assert from 'node:assert/strict';
import type {IdentitySource} from '../../domain/identity.ts';
import {type Contract, type ContractPart, runContract} from '../contract.ts';

/** An identity source to test. */
export interface IdentitySourceContract extends Contract<IdentitySource> {
  /**
   * Makes the identity of an opened source another one; resolves when that was asked for, not when the
   * source noticed. Without it, what happens on changes is not tested.
   */
  readonly change?: ((source: IdentitySource) => Promise<void>) | undefined;
}

/** How long a source may take to notice a change, in milliseconds: long, since a busy machine is no failure. */
const CHANGE_TIMEOUT_MS = 10_000;

/**
 * Tests everything that the `IdentitySource` port promises. Each test opens a source of its own.
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
      name: 'serves one JSON object in UTF-8 with the members of the specification, or nobody',
      async run(source) {
        const identity = source.current();
        if (identity === undefined) return;
        const document: unknown = JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(identity.json));
        const {va_user: pilot, airline} = document as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        assert.equal(typeof pilot?.['pilotID'], 'string');
        assert.equal(typeof airline?.['settings'], 'object');
        assert.equal(Array.isArray(airline?.['plugins']), true);
      },
    },
    {
      name: 'makes the document once, not for each reader',
      async run(source) {
        assert.equal(source.current(), source.current());
      },
    },
    {
      name: 'has a line for people',
      async run(source) {
        const identity = source.current();
        if (identity !== undefined) assert.match(identity.summary, /^[^\n]+$/);
      },
    },
    {
      name: 'tells where the identity comes from',
      async run(source) {
        const {kind} = source.origin;
        assert.equal(typeof kind, 'string');
        if (kind === 'none') assert.equal(source.current(), undefined);
        // Where pilots sign in, there may be nobody for now.
        else if (kind !== 'back-end') assert.notEqual(source.current(), undefined);
      },
    },
    {
      name: 'takes listeners and gives them up, also twice',
      async run(source) {
        const stop = source.onChange(() => {});
        stop();
        stop();
      },
    },
    {
      name: 'can be closed twice, also at once',
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
        name: 'calls no listener that was given up',
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
