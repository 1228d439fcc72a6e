import {readdir, readFile} from 'node:fs/promises';
import {expect} from 'vitest';

/** Returns the forms in which a secret could be written. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+'), base64];
}

/** Expects that a text has none of the secrets, in any form. */
export function expectNone(text: string, secrets: readonly string[], where: string): void {
  for (const form of secrets.flatMap(formsOf)) expect(text.includes(form), `a secret in ${where}`).toBe(false);
}

/** Returns what other users can see of a process and of its children. */
export async function readProcesses(pid: number): Promise<ReadonlyMap<number, string>> {
  const seen = new Map<number, string>();
  const read = (id: number, file: string): Promise<string> => readFile(`/proc/${id}/${file}`, 'latin1').catch(() => '');
  for (const name of await readdir('/proc')) {
    const id = Number(name);
    if (!Number.isInteger(id)) continue;
    const parent = Number(/^PPid:\s*(\d+)/m.exec(await read(id, 'status'))?.[1]);
    if (id === pid || parent === pid) seen.set(id, (await read(id, 'cmdline')) + (await read(id, 'environ')));
  }
  return seen;
}
