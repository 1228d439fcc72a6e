import {describe, expect, test} from 'vitest';
import {allowedMethods, createRouter, decodeSegment, parseQuery, type Route} from './route.ts';

const operation = () => ({status: 200, rawHeaders: []});
const KEYED: Route = {path: '/api/store/{key}', operations: {GET: operation, POST: operation}};
const FIXED: Route = {path: '/api/store', operations: {DELETE: operation}};

describe('createRouter()', () => {
  const router = createRouter([KEYED, FIXED]);
  const found = [
    {target: '/api/store/a', route: KEYED, segment: 'a', query: ''},
    {target: '/api/store/a%2Fb?x=1?y', route: KEYED, segment: 'a%2Fb', query: 'x=1?y'},
    {target: '/api/store/%2e%2e', route: KEYED, segment: '%2e%2e', query: ''},
    {target: '/api/store/?a/b', route: KEYED, segment: '', query: 'a/b'},
    {target: '/api/store', route: FIXED, segment: '', query: ''},
    {target: '/api/store?', route: FIXED, segment: '', query: ''},
  ];
  for (const {target, ...match} of found) {
    test(`finds ${target}`, () => {
      expect(router.find(target)).toEqual(match);
    });
  }

  for (const target of [
    '',
    '/',
    '/api',
    '/API/store',
    '/api/store/a/b',
    '/api/store//',
    '/api/%73tore',
    '/api/store/{key}/',
    '__proto__',
  ]) {
    test(`finds nothing at ${JSON.stringify(target)}`, () => {
      expect(router.find(target)).toBeUndefined();
    });
  }
});

describe('a router suggests', () => {
  const router = createRouter([KEYED, FIXED]);

  test('the path without a trailing slash, if that is a resource', () => {
    expect(router.withoutSlash('/api/store/')).toBe('/api/store');
    expect(router.withoutSlash('/api/store/?x=/')).toBe('/api/store?x=/');
    for (const target of ['/api/store', '/api/store//', '/api/store/a/', '/api/', '/', '', '/api?/', '//api/store/'])
      expect(router.withoutSlash(target), target).toBeUndefined();
  });

  test('nothing for more than one slash', () => {
    expect(createRouter([{path: '/', operations: {}}]).withoutSlash('//')).toBeUndefined();
  });

  test('a path with encoded slashes in its key', () => {
    expect(router.withKeyEncoded('/api/store/a/b%2Fc/')).toBe('/api/store/a%2Fb%2Fc%2F');
    expect(router.withKeyEncoded('/api/stores/a/b')).toBeUndefined();
  });
});

describe('allowedMethods()', () => {
  test('HEAD comes with GET, and OPTIONS always', () => {
    expect(allowedMethods(KEYED)).toEqual(['GET', 'HEAD', 'POST', 'OPTIONS']);
    expect(allowedMethods(FIXED)).toEqual(['DELETE', 'OPTIONS']);
  });
});

describe('decodeSegment()', () => {
  test('decodes exactly once', () => {
    expect(decodeSegment('a%2Fb%252F%C3%A9+')).toBe('a/b%2Fé+');
  });

  for (const segment of ['%', '%zz', '%C0%AE', '%ED%A0%80', '%FF', '%E2%82', 'é', 'a b', '\u0000']) {
    test(`refuses ${JSON.stringify(segment)}`, () => {
      expect(() => decodeSegment(segment)).toThrow(
        expect.objectContaining({failure: expect.objectContaining({code: 'invalid-key'})}),
      );
    });
  }
});

describe('parseQuery()', () => {
  const understood = [
    {query: '', parameters: {}},
    {query: 'a=1&b=2', parameters: {a: '1', b: '2'}},
    {query: 'a', parameters: {a: ''}},
    {query: 'a=b=c', parameters: {a: 'b=c'}},
    {query: 'a=%C3%A9+%2B', parameters: {a: 'é +'}},
    {query: '%61=1', parameters: {a: '1'}},
    {query: 'a=1&A=2', parameters: {a: '1', A: '2'}},
  ];
  for (const {query, parameters} of understood) {
    test(`reads ${JSON.stringify(query)}`, () => {
      expect(parseQuery(query)).toEqual(parameters);
    });
  }

  test('a parameter of any name is data', () => {
    expect(Object.entries(parseQuery('__proto__=1&constructor=2'))).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  for (const query of ['a=1&a=1', 'a=1&%61=2', 'a=1&&', 'a=%', 'a=%FF', '%ED%A0%80=1', 'a=é']) {
    test(`refuses ${JSON.stringify(query)}`, () => {
      expect(() => parseQuery(query)).toThrow(
        expect.objectContaining({failure: expect.objectContaining({code: 'invalid-parameter'})}),
      );
    });
  }

  test('names the parameter whose value cannot be decoded', () => {
    expect(() => parseQuery('a=1&b=%FF')).toThrow(
      expect.objectContaining({failure: expect.objectContaining({parameter: 'b'})}),
    );
  });

  test('repeats only the beginning of a name', () => {
    const name = 'x'.repeat(10_000);
    expect(() => parseQuery(`${name}&${name}`)).toThrow(
      expect.objectContaining({failure: expect.objectContaining({parameter: 'x'.repeat(64)})}),
    );
  });
});
