import {execFileSync} from 'node:child_process';
import {describe, expect, test} from 'vitest';
import {formatCurl} from './format-curl.ts';

const URL = 'http://localhost:7172/api/store/a';

describe('formatCurl()', () => {
  for (const {name, request, expected} of [
    {name: 'a simple request', request: {method: 'GET', url: URL}, expected: `curl ${URL}`},
    {name: 'HEAD', request: {method: 'HEAD', url: URL}, expected: `curl --head ${URL}`},
    {name: 'another method', request: {method: 'DELETE', url: URL}, expected: `curl -X DELETE ${URL}`},
    {name: 'a query', request: {method: 'GET', url: `${URL}?a=1&b`}, expected: `curl '${URL}?a=1&b'`},
    {name: 'brackets', request: {method: 'GET', url: `${URL}[1-3]`}, expected: `curl --globoff '${URL}[1-3]'`},
    {name: 'dots', request: {method: 'GET', url: `${URL}/../b`}, expected: `curl --path-as-is ${URL}/../b`},
    {
      name: 'headers and a body',
      request: {method: 'PUT', url: URL, headers: {'If-Match': '"1"', 'X-Empty': ''}, body: '@1'},
      expected: `curl -X PUT ${URL} -H 'If-Match: "1"' -H 'X-Empty;' --data-raw @1`,
    },
  ]) {
    test(`formats ${name}`, () => {
      expect(formatCurl(request, false)).toBe(expected);
    });
  }

  test('names the program on Windows, since PowerShell 5 has another command named curl', () => {
    expect(formatCurl({method: 'GET', url: URL}, true)).toBe(`curl.exe ${URL}`);
  });

  test('formats nothing on Windows that cmd or PowerShell would change, as in the path that a page chose', () => {
    const headers = {Accept: 'text/html'};
    for (const request of [
      {method: 'GET', url: `${URL}&calc`},
      {method: 'GET', url: `${URL}%PATH%`},
      {method: 'GET', url: `${URL}$(calc)`},
      {method: 'GET', url: URL, headers},
      {method: 'POST', url: URL, body: '{"a": 1}'},
    ])
      expect(formatCurl(request, true)).toBe(undefined);
  });

  test('quotes everything that a shell would change', () => {
    const body = `it's $HOME \`id\` "x" \\ !! \n \u202e*?`;
    const command = formatCurl({method: 'POST', url: `${URL}$(id)'`, body}, false) ?? '';
    const printing = command.replace('curl', 'printf "%s\\0"');
    expect(execFileSync('sh', ['-c', printing]).toString().split('\0')).toEqual([
      `${URL}$(id)'`,
      '--data-raw',
      body,
      '',
    ]);
  });
});
