import {Agent, request} from 'node:http';
import {describe, expect, onTestFinished, test} from 'vitest';
import {startService} from '../support/service.ts';

/** Returns the status of an answer on a new connection, or the error. */
function ask(port: number, path: string): Promise<number | string> {
  return new Promise(resolve => {
    const agent = new Agent({keepAlive: false});
    request({port, host: '127.0.0.1', path, agent, headers: {Host: `localhost:${port}`}}, response => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end();
  });
}

describe('600 concurrent requests on separate connections', () => {
  for (const path of ['/api/identity', '/api/keys']) {
    test(`are all answered: ${path}`, async () => {
      const service = await startService();
      onTestFinished(() => service[Symbol.asyncDispose]());
      for (let round = 0; round < 3; round++) {
        const answered = await Promise.all(Array.from({length: 600}, () => ask(service.port, path)));
        expect(answered.filter(status => status !== 200)).toEqual([]);
      }
    });
  }
});
