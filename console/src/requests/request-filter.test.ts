import type {RecordedRequest} from 'crewroom/client/service';
import {describe, expect, test} from 'vitest';
import {filterBy, type RequestFilter, senderOf} from './request-filter.ts';

const OWN = 'http://localhost:7172';

const ALL: RequestFilter = {path: '', key: '', status: 'all', sender: 'all', withOwn: true};

const FAILURE = {code: 'foreign-page', detail: 'no', advice: 'none', instance: '1'};

function requestOf(members: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    sequence: 1,
    requestedAtMs: 0,
    method: 'GET',
    path: '/api/Keys',
    status: 200,
    durationMs: 1,
    own: false,
    headers: {},
    ...members,
  };
}

describe('filterBy()', () => {
  for (const {name, filter, request, expected} of [
    {name: 'admits everything', filter: {}, request: {}, expected: true},
    {name: 'admits a part of the path in any case', filter: {path: 'KEYS'}, request: {}, expected: true},
    {name: 'leaves out another path', filter: {path: 'store'}, request: {}, expected: false},
    {
      name: 'admits the key',
      filter: {key: 'flight/1'},
      request: {path: '/api/store/flight%2F1?ttlSeconds=1'},
      expected: true,
    },
    {
      name: 'admits another form of it',
      filter: {key: 'flight/1'},
      request: {path: '/api/store/%66light%2f1'},
      expected: true,
    },
    {
      name: 'leaves out a longer key',
      filter: {key: 'flight/1'},
      request: {path: '/api/store/flight%2F10'},
      expected: false,
    },
    {
      name: 'leaves out another case',
      filter: {key: 'flight/a'},
      request: {path: '/api/store/flight%2FA'},
      expected: false,
    },
    {name: 'admits a status of the class', filter: {status: '4'} as const, request: {status: 404}, expected: true},
    {name: 'leaves out another class', filter: {status: '5'} as const, request: {status: 404}, expected: false},
    {
      name: 'admits a plugin',
      filter: {sender: 'plugin com.a'},
      request: {plugin: 'com.a', origin: OWN},
      expected: true,
    },
    {name: 'leaves out another sender', filter: {sender: 'plugin com.b'}, request: {origin: 'a'}, expected: false},
    {name: 'leaves out the console', filter: {withOwn: false}, request: {own: true}, expected: false},
    {name: 'keeps its failures', filter: {withOwn: false}, request: {origin: OWN, failure: FAILURE}, expected: true},
    {name: 'keeps pages of plugins', filter: {withOwn: false}, request: {origin: OWN, plugin: 'com.a'}, expected: true},
  ]) {
    test(name, () => {
      expect(filterBy({...ALL, ...filter})(requestOf(request))).toBe(expected);
    });
  }

  test('a request without origin and plugin is of a local program', () => {
    expect(senderOf(requestOf())).toBe('program');
  });
});
