import {describe, expect, test} from 'vitest';
import {ANY_CALLER} from '../../core/domain/access/access.ts';
import type {Requests} from '../../core/domain/recorded-request.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {readRequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import type {HttpRequest} from '../core/message.ts';
import {Call} from '../core/route.ts';
import {requestsRoutes} from './requests-routes.ts';

describe('GET /api/requests', () => {
  test('reserves memory for all requests before it reads them', async () => {
    let reads = 0;
    const requests: Requests = {
      read: async () => {
        reads++;
        return {requests: [], cursor: '00000000-0', missed: 0};
      },
      follow: () => expect.unreachable('unexpected call'),
    };
    const reserved: number[] = [];
    const get = (isFull: boolean) => {
      const [route] = requestsRoutes(requests, {heartbeatMs: 1000});
      const request: HttpRequest = {
        ...{
          method: 'GET',
          target: '/api/requests',
          rawHeaders: ['Host', 'localhost:7172'],
          headers: readRequestHeaders([]),
        },
        readBody: () => expect.unreachable('unexpected call'),
        readChunks: () => expect.unreachable('unexpected call'),
        signal: new AbortController().signal,
        listen: () => expect.unreachable('unexpected call'),
        cut: () => expect.unreachable('unexpected call'),
        reserveMemory: sizeBytes => {
          if (isFull) throw new AppError({code: 'busy', what: 'memory'});
          reserved.push(sizeBytes);
        },
      };
      return route?.GET?.(new Call(request, ANY_CALLER, {segments: [], query: ''}));
    };
    expect(await get(false)).toMatchObject({status: 200});
    expect([reads, reserved]).toEqual([1, [10_240_000]]);
    await expect(get(true)).rejects.toThrow(AppError);
    expect(reads).toBe(1);
  });
});
