import {describe, expect, test} from 'vitest';
import {allowedMethods, createRouter, decodeSegment, parseQuery, type Route} from './route.ts';

const operation = () => ({status: 200, rawHeaders: []});
const KEYED: Route = {path: '/api/store/{key}', needs: 'nothing', GET: operation, POST: operation};
const FIXED: Route = {path: '/api/store', needs: 'nothing', DELETE: operation};

describe('createRouter()', () => {
  const router = createRouter([KEYED, FIXED]);
  const found = [
    {target: '/api/store/a', route: KEYED, segments: ['a'], query: ''},
    {target: '/api/store/a%2Fb?x=1?y', route: KEYED, segments: ['a%2Fb'], query: 'x=1?y'},
    {target: '/api/store/%2e%2e', route: KEYED, segments: ['%2e%2e'], query: ''},
    {target: '/api/store/?a/b', route: KEYED, segments: [''], query: 'a/b'},
    {target: '/api/store', route: FIXED, segments: [], query: ''},
    {target: '/api/store?', route: FIXED, segments: [], query: ''},
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

describe('createRouter() with patterns', () => {
  const route = (path: string): Route => ({path, needs: 'nothing', GET: operation});
  const paths = [
    '/api/{plugin}/{name}',
    '/plugins/{id}/{path...}',
    '/api/plugins',
    '/api/plugins/installed',
    '/api/plugins/{id}',
    '/api/plugins/{id}/logs',
    '/api/store/{key}',
  ];
  const router = createRouter(paths.map(route));
  const found = [
    {target: '/api/plugins/installed', path: '/api/plugins/installed', segments: []},
    {target: '/api/plugins/a%2Fb', path: '/api/plugins/{id}', segments: ['a%2Fb']},
    {target: '/api/plugins/a/logs', path: '/api/plugins/{id}/logs', segments: ['a']},
    {
      target: '/api/com.example.hello/current.wav?x=1',
      path: '/api/{plugin}/{name}',
      segments: ['com.example.hello', 'current.wav'],
    },
    {target: '/api/store/a', path: '/api/store/{key}', segments: ['a']},
    {target: '/plugins/a/', path: '/plugins/{id}/{path...}', segments: ['a', '']},
    {target: '/plugins/a/b/%2e%2e/c', path: '/plugins/{id}/{path...}', segments: ['a', 'b/%2e%2e/c']},
  ];
  for (const {target, path, segments} of found) {
    test(`finds ${path} for ${target}`, () => {
      expect(router.find(target)).toMatchObject({route: {path}, segments});
    });
  }

  for (const target of [
    '/api/plugins/',
    '/api/./name',
    '/api/a/..',
    '/api//name',
    '/api/a/b/c',
    '/plugins/a',
    '/plugins//x',
    '/api/plugins//logs',
    '//api/plugins',
  ]) {
    test(`finds nothing for ${target}`, () => {
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
    expect(createRouter([{path: '/', needs: 'nothing'}]).withoutSlash('//')).toBeUndefined();
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

  test('a parameter of any name is treated as data', () => {
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
