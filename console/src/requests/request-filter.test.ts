import type {RecordedRequest} from 'crewroom/client/service';
import {describe, expect, test} from 'vitest';
import {filterBy, type RequestFilter, senderOf} from './request-filter.ts';

const OWN = 'http://localhost:7172';

const ALL: RequestFilter = {path: '', status: 'all', sender: 'all', withOwn: true};

const FAILURE = {code: 'foreign-origin', detail: 'no', remedy: 'none', requestId: '1'};

function requestOf(members: Partial<RecordedRequest> = {}): RecordedRequest {
  return {sequence: 1, atMs: 0, method: 'GET', path: '/api/Keys', status: 200, durationMs: 1, headers: {}, ...members};
}

describe('filterBy()', () => {
  for (const {name, filter, request, expected} of [
    {name: 'admits everything', filter: {}, request: {}, expected: true},
    {name: 'admits a part of the path in any case', filter: {path: 'KEYS'}, request: {}, expected: true},
    {name: 'leaves out another path', filter: {path: 'store'}, request: {}, expected: false},
    {name: 'admits a status of the class', filter: {status: '4'} as const, request: {status: 404}, expected: true},
    {name: 'leaves out another class', filter: {status: '5'} as const, request: {status: 404}, expected: false},
    {name: 'admits a plugin', filter: {sender: 'plugin a'}, request: {plugin: 'a', origin: OWN}, expected: true},
    {name: 'leaves out another sender', filter: {sender: 'plugin a'}, request: {origin: 'a'}, expected: false},
    {name: 'leaves out the console', filter: {withOwn: false}, request: {own: true}, expected: false},
    {name: 'keeps its failures', filter: {withOwn: false}, request: {origin: OWN, failure: FAILURE}, expected: true},
    {name: 'keeps pages of plugins', filter: {withOwn: false}, request: {origin: OWN, plugin: 'a'}, expected: true},
  ]) {
    test(name, () => {
      expect(filterBy({...ALL, ...filter})(requestOf(request))).toBe(expected);
    });
  }

  test('a request without origin and plugin is of a local program', () => {
    expect(senderOf(requestOf())).toBe('program');
  });
});
