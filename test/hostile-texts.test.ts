import {describe, test} from 'vitest';
import {describeBody, judgeForm} from '../src/cli/doctor/backend/call-findings.ts';
import {NamedCheck} from '../src/cli/doctor/finding.ts';
import {indentJson} from '../src/cli/output/indent-json.ts';
import {AppError} from '../src/core/failures/app-error.ts';
import {SseParser} from '../src/core/protocol/event/server-sent-events.ts';
import {isAlreadyRead, readExpectation} from '../src/core/protocol/headers/preconditions.ts';
import {readRequestHeaders} from '../src/core/protocol/headers/request-headers.ts';
import {judge} from '../src/http/core/guard.ts';
import {createSites} from '../src/http/core/sites.ts';
import {diagnose, findPhpMessage} from '../src/service/identity/backend/diagnosis.ts';
import {readAnswerBody} from '../src/service/identity/backend/request/answer-body.ts';
import {PARSED_BYTES_MAX} from '../src/service/identity/backend/request/back-end-request.ts';
import {expectLinearTime} from './support/cpu-time.ts';

/** Maximum size of the headers of a request, and of an answer that is read whole, in bytes. */
const HEADERS_BYTES = 16 * 1024;
const ANSWER_BYTES = 1024 * 1024;

const SITES = createSites({port: 7172, extraHosts: [], isAllowed: () => false, findPlugin: () => undefined});
const HOST = ['Host', 'localhost:7172'];

/** Readers of texts from outside, except JSON, with the largest text that reaches them. */
const READERS: Readonly<Record<string, {readonly length: number; readonly read: (text: string) => unknown}>> = {
  'the preconditions of a write': {
    length: HEADERS_BYTES,
    read: text => readExpectation(readRequestHeaders(['If-Match', text])),
  },
  'the preconditions of a read': {
    length: HEADERS_BYTES,
    read: text => isAlreadyRead(readRequestHeaders(['If-None-Match', text]), '"1-1"'),
  },
  'the target of a request': {
    length: HEADERS_BYTES,
    read: text => judge({method: 'GET', target: `http://${text}`, headers: readRequestHeaders(HOST)}, SITES),
  },
  'the origin of a request': {
    length: HEADERS_BYTES,
    read: text => judge({method: 'GET', target: '/', headers: readRequestHeaders([...HOST, 'Origin', text])}, SITES),
  },
  'the referer of a request': {
    length: HEADERS_BYTES,
    read: text => judge({method: 'GET', target: '/', headers: readRequestHeaders([...HOST, 'Referer', text])}, SITES),
  },
  'the content type of a back end, in the doctor': {
    length: HEADERS_BYTES,
    read: text => judgeForm(new NamedCheck('Read'), answerOf('', {'Content-Type': `application/${text}`})),
  },
  'the answer of a back end, in the doctor': {
    length: ANSWER_BYTES,
    read: text => [describeBody(answerOf(text)), diagnose(answerOf(text))],
  },
  'a message of PHP': {length: ANSWER_BYTES, read: text => findPhpMessage(`<b>Warning</b>: ${text}`)},
  'an event stream in small pieces': {
    length: 16 * ANSWER_BYTES,
    read: text => {
      const parser = new SseParser();
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 4096) parser.push(bytes.subarray(at, at + 4096));
    },
  },
  'a document for the terminal': {length: ANSWER_BYTES, read: text => indentJson(`{"a":"${text}`)},
};

/**
 * Texts that are repeated up to the largest length; for backtracking expressions the end must differ from the
 * beginning.
 */
const TEXTS = {
  letters: 'a',
  'white space': ' \t',
  slashes: '/',
  quotes: '"',
  'escaped quotes': '\\"',
  backslashes: '\\',
  tags: '"a" ',
  'tags and white space': `"a"${' '.repeat(100)}x`,
  signs: '+.-',
  marks: '<title',
  brackets: '[{',
  breaks: '<br />',
  'texts of JSON': '{"a":',
} as const satisfies Record<string, string>;

describe('the worst text of the maximum size is read in linear time', () => {
  for (const [reader, {length, read}] of Object.entries(READERS)) {
    test(reader, async () => {
      for (const [name, text] of Object.entries(TEXTS)) {
        const hostile = text.repeat(Math.ceil(length / text.length));
        await expectLinearTime(() => tolerate(() => read(hostile)), name);
      }
    });
  }
});

function answerOf(body: string, headers: Record<string, string> = {}): Parameters<typeof describeBody>[0] {
  const url = 'https://air.example/';
  const bytes = Buffer.from(body);
  const head = {url, path: '', status: 500, headers: new Headers(headers)};
  return {...head, bytes, body: readAnswerBody(bytes, PARSED_BYTES_MAX), secrets: ['secret']};
}

/** A text may be refused with a failure. */
function tolerate(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
