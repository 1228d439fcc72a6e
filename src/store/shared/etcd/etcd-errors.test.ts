import {status} from '@grpc/grpc-js';
import {expect, test} from 'vitest';
import {toEngineFailure} from './etcd-errors.ts';

for (const {name, code, details, kind} of [
  {name: 'an answer that was cut off', code: status.UNIMPLEMENTED, details: 'No message received', kind: 'unknown'},
  {name: 'a call that the member does not have', code: status.UNIMPLEMENTED, details: 'unknown method', kind: 'denied'},
])
  test(`${name} is ${kind}`, () => {
    const error = Object.assign(new Error(details), {code, details});
    expect(toEngineFailure(error, '127.0.0.1:2379', 'unknown').kind).toBe(kind);
  });
