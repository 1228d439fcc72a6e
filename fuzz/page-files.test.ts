import {describe, expect, test} from 'vitest';
import type {Answer} from './connection.ts';
import {checkFile} from './page-files.ts';

const PAGES = ['<title>Page</title>'];

function makeAnswer(status: number, text: string, tag: string | undefined = '"1"'): Answer {
  return {status, headers: tag === '' ? [] : [['etag', tag]], body: Buffer.from(text), left: false};
}

describe('checkFile()', () => {
  for (const answer of [makeAnswer(200, '<title>Page</title>'), makeAnswer(206, 'title'), makeAnswer(304, '')])
    test(`accepts ${answer.status}`, () => expect([...checkFile(answer, PAGES)]).toEqual([]));

  for (const {name, answer, rule} of [
    {name: 'another file', answer: makeAnswer(200, '{"id":1}'), rule: 'leak'},
    {name: 'a part of another file', answer: makeAnswer(206, 'id'), rule: 'leak'},
    {name: 'a part as the whole file', answer: makeAnswer(200, 'title'), rule: 'leak'},
    {name: 'a body with 304', answer: makeAnswer(304, 'title'), rule: 'wrong-body'},
    {name: 'no entity tag', answer: makeAnswer(200, '', ''), rule: 'wrong-header'},
  ])
    test(`reports ${name}`, () => expect([...checkFile(answer, PAGES)].map(found => found.rule)).toEqual([rule]));
});
