import {describe, expect, test} from 'vitest';
import {findHiddenExpectations} from './hidden-expectations.ts';

describe('an expectation that a test may pass without is found', () => {
  const hidden = [
    {code: 'if (a) expect(b).toBe(1);', reason: 'in a branch'},
    {code: 'if (a) f(); else assert.equal(b, 1);', reason: 'in a branch'},
    {code: 'if (a) { for (const b of a) assert.ok(b); }', reason: 'in a branch'},
    {code: 'if (a) await expect.poll(f).toBe(1);', reason: 'in a branch'},
    {code: 'if (a) assertKept(b);', reason: 'in a branch'},
    {code: 'if (a) a.forEach(b => { expect(b).toBe(1); });', reason: 'in a branch'},
    {code: 'a ? expect(b).toBe(1) : f();', reason: 'in a branch'},
    {code: 'switch (a) { case 1: expect(b).toBe(1); }', reason: 'in a branch'},
    {code: 'a && expect(b).toBe(1);', reason: 'behind an operator'},
    {code: 'a || assert(b);', reason: 'behind an operator'},
    {code: 'a ?? assert.equal(b, 1);', reason: 'behind an operator'},
    {code: 'a?.forEach(b => expect(b).toBe(1));', reason: 'behind an operator'},
    {code: 'a?.b.forEach(c => expect(c).toBe(1));', reason: 'behind an operator'},
    {code: 'try { f(); } catch (error) { expect(error).toBe(1); }', reason: 'in a catch'},
    {code: 'f().catch(error => expect(error).toBe(1));', reason: 'in a catch'},
    {code: "test('a', () => { if (a) return; expect(b).toBe(1); });", reason: 'after an early end'},
    {code: "test('a', async () => { if (a) { f(); return; } { expect(b).toBe(1); } });", reason: 'after an early end'},
    {code: 'for (const a of b) { if (a) continue; expect(a).toBe(1); }', reason: 'after an early end'},
    {code: 'try { expect(a).toBe(1); } catch {}', reason: 'its failure is swallowed'},
    {code: 'try { f(); assert.ok(a); } catch (error) { log(error); }', reason: 'its failure is swallowed'},
    {code: 'expect(f()).rejects.toThrow().catch(() => {});', reason: 'its failure is swallowed'},
  ];
  for (const {code, reason} of hidden)
    test(code, () => expect(findHiddenExpectations(code)).toEqual([expect.objectContaining({line: 1, reason})]));
});

describe('an expectation that is always evaluated is not found', () => {
  const shown = [
    'expect(a ? b : c).toBe(a ? 1 : 2);',
    'expect(a?.b ?? c).toBe(1);',
    'if (await expect(a).resolves.toBe(1)) f();',
    'expect(a).toBe(1) && f();',
    "const a = f() ?? assert.fail('none');",
    "if (a.kind !== 'b') assert.fail('no b');",
    "if (a) expect.unreachable('no a');",
    'if (a) b = expect.any(String); else b = expect.stringContaining(c);',
    'for (const a of b) expect(a).toBe(1);',
    'b.map(a => expect(a).toBe(1));',
    'f().then(a => expect(a).toBe(1));',
    'try { expect(a).toBe(1); } finally { f(); }',
    'try { expect(a).toBe(1); } catch (error) { throw new Error(b, {cause: error}); }',
    'try { f(); } catch {} expect(a).toBe(1);',
    "if (a) test('b', () => expect(b).toBe(1));",
    "for (const a of b) { if (a) continue; test('c', () => expect(c).toBe(1)); }",
    "test('a', () => { expect(b).toBe(1); if (a) return; f(); });",
    "test('a', () => { if (a) throw new Error('no'); expect(b).toBe(1); });",
    "test('a', () => { f(() => { if (b) return; g(); }); expect(b).toBe(1); });",
    'function expectAll() { expect(a).toBe(1); }',
  ];
  for (const code of shown) test(code, () => expect(findHiddenExpectations(code)).toEqual([]));
});

test('types and JSX are read, and the line of an expectation is told', () => {
  const code = `const a = <T,>(b: T): T => b as T;\nconst c = <p>{a}</p>;\n\nif (a) expect(c satisfies unknown).toBe(1);`;
  expect(findHiddenExpectations(code, 'a.tsx')).toEqual([
    {line: 4, reason: 'in a branch', text: 'expect(c satisfies unknown)'},
  ]);
});
