import {expect, test} from 'vitest';
import {Loaded} from './loaded.ts';

test('a document that changed during a load is loaded once more, however often it changed', async () => {
  const answers: ((document: string) => void)[] = [];
  const loaded = new Loaded(() => new Promise<string>(resolve => answers.push(resolve)));
  const first = loaded.reload();
  await expect.poll(() => answers.length).toBe(1);
  const later = Promise.all([loaded.reload(), loaded.reload()]);
  answers[0]?.('before the change');
  await first;
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.('after the change');
  await later;
  expect([loaded.value.value, answers.length]).toEqual(['after the change', 2]);
});
