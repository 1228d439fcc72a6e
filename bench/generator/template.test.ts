import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {fillTemplate, formatRequest, KEY, NEW_VALUE, valueTemplate} from './template.ts';

const PUT = {method: 'PUT', path: `/a/${KEY}`, body: `{"b":[${NEW_VALUE},${NEW_VALUE}],"key":"${KEY}"}`} as const;

describe('fillTemplate()', () => {
  test('fills every placeholder with its own number', () => {
    const {path, body} = fillTemplate(PUT, {key: 7, value: 100_000_000_000});
    assert.equal(path, '/a/0000007');
    assert.equal(body, '{"b":[100000000000,100000000001],"key":"0000008"}');
  });

  test('changes no length: the announced one holds for every request', () => {
    const {path, body = ''} = fillTemplate(PUT, {key: 999_999, value: 100_000_000_000});
    assert.equal(path.length, PUT.path.length);
    assert.equal(body.length, PUT.body.length);
  });
});

test('formatRequest() announces the length of the body', () => {
  const request = formatRequest({method: 'PUT', path: '/', body: 'é'}, 'localhost:1');
  assert.match(request, /^PUT \/ HTTP\/1\.1\r\nHost: localhost:1\r\n(?:.*\r\n)*Content-Length: 2\r\n\r\né$/);
});

test('valueTemplate() makes JSON of the requested size', () => {
  const {body = ''} = fillTemplate(
    {method: 'PUT', path: '', body: valueTemplate(200)},
    {key: 0, value: 100_000_000_000},
  );
  assert.equal(Buffer.byteLength(body), 200);
  assert.equal(JSON.parse(body).n, 100_000_000_000);
});
