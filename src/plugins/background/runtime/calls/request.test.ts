import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {MalformedBody, RoutedRequest} from './request.ts';

function read(contentType: string | undefined, body: string | Uint8Array, url = '/api/com.example/x') {
  const rawHeaders = contentType === undefined ? [] : ['Content-Type', contentType];
  return new RoutedRequest({kind: 'call', call: 1, method: 'POST', name: 'x', url, rawHeaders}, Buffer.from(body));
}

describe('RoutedRequest', () => {
  const form = 'application/x-www-form-urlencoded';
  const bodies = [
    {name: 'nothing', type: undefined, sent: '', body: {}},
    {name: 'nothing as JSON', type: 'application/json', sent: '', body: {}},
    {name: 'JSON', type: 'application/json; charset=utf-8', sent: '{"a":[1]}', body: {a: [1]}},
    {name: 'JSON of another type', type: 'application/merge-patch+json', sent: '{"a":1}', body: {a: 1}},
    {name: 'a number as JSON', type: 'application/json', sent: '42', body: 42},
    {name: 'null, which routes could not destructure', type: 'application/json', sent: 'null', body: {}},
    {name: 'JSON without a type, as `http.request` sends it', type: undefined, sent: ' {"a":1}', body: {a: 1}},
    {name: 'JSON as text, as `fetch` sends it', type: 'text/plain;charset=UTF-8', sent: '[1]', body: [1]},
    {name: 'JSON as a form, as axios sends it', type: form, sent: '{"a":"b=c&d"}', body: {a: 'b=c&d'}},
    {name: 'a form', type: form, sent: 'a=1&b=%C3%BC+x&a=2', body: {a: '2', b: 'ü x'}},
    {name: 'a text', type: 'text/plain', sent: 'hello', body: 'hello'},
    {name: 'a number as text', type: 'text/plain', sent: '42', body: '42'},
    {name: 'a text that begins like JSON', type: 'text/plain', sent: '{hello', body: '{hello'},
    {name: 'bytes', type: 'audio/wav', sent: new Uint8Array([1, 255]), body: Buffer.from([1, 255])},
  ];
  for (const {name, type, sent, body} of bodies) {
    test(`reads ${name}`, () => {
      assert.deepEqual(read(type, sent).body, body);
    });
  }

  test('refuses a body that is not JSON despite its content type', () => {
    assert.throws(() => read('application/json', '{'), MalformedBody);
  });

  test('reads the last value of each parameter, as a string', () => {
    assert.deepEqual(read(undefined, '', '/api/p/x?a=1&b=%26&a=2&__proto__=3&c').query, {
      a: '2',
      b: '&',
      ['__proto__']: '3',
      c: '',
    });
    assert.equal(Reflect.get({}, '3'), undefined);
  });

  test('joins headers of one name, in lower case', () => {
    const rawHeaders = ['Accept', 'a', 'X-Y', '1', 'ACCEPT', 'b'];
    const {headers} = new RoutedRequest(
      {kind: 'call', call: 1, method: 'GET', name: 'x', url: '/', rawHeaders},
      new Uint8Array(),
    );
    assert.deepEqual(headers, {accept: 'a, b', 'x-y': '1'});
  });
});
