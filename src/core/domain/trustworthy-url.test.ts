import {describe, expect, test} from 'vitest';
import {isTrustworthyUrl} from './trustworthy-url.ts';

describe('isTrustworthyUrl()', () => {
  const trusted = ['https://crew.example/', 'http://localhost/', 'http://localhost:7172/', 'http://a.b.localhost:80/'];
  for (const url of [...trusted, 'http://127.0.0.1:7172/', 'http://127.8.9.10/', 'http://[::1]:7172/api'])
    test(`returns true for ${url}`, () => expect(isTrustworthyUrl(url)).toBe(true));

  const others = [
    'http://crew.example/',
    'http://crew.example/.localhost/',
    'http://localhost.example/',
    'http://xlocalhost/',
  ];
  const addresses = ['http://127.0.0.1.example/', 'http://127.example/', 'http://10.0.0.1/', 'http://[::2]/'];
  for (const url of [...others, ...addresses, 'http://localhost./', 'http://[::ffff:7f00:1]/', 'ws://localhost/', ''])
    test(`returns false for ${url}`, () => expect(isTrustworthyUrl(url)).toBe(false));
});
