import {randomBytes} from 'node:crypto';
import {chown, lstat, mkdir, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IS_WINDOWS, shownMode} from '../../../test/support/platform.ts';
import {makeTemporaryDirectory} from '../../../test/support/service.ts';
import {type Log, SILENT_LOG} from '../../core/domain/log.ts';
import {FileOwner} from './owner.ts';
import {ownerFile} from './owner-file.ts';

/** A service without a data directory, on a machine with two directories for its file. */
async function openService() {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const [session, temporary] = [join(home.path, 'session', 'crewroom'), join(home.path, 'crewroom-1000')];
  const errors: unknown[] = [];
  const log: Log = {...SILENT_LOG, error: (_, about) => void errors.push(about?.['paths'])};
  const place = {dataDir: undefined, runtimeDirs: [session, temporary]};
  const owner = new FileOwner({host: 'localhost', place, log, elapsedMs: () => 0, nowMs: () => 0, randomBytes});
  onTestFinished(() => owner[Symbol.asyncDispose]());
  const files = [join(session, 'owner-token-7172'), join(temporary, 'owner-token-7172')] as const;
  return {home: home.path, session, temporary, owner, errors, files};
}

describe('the file of the owner of a service without a data directory', () => {
  test('is in the directory of the session', async () => {
    const {session, temporary, owner, files} = await openService();
    await mkdir(join(session, '..'));
    await owner.keep(7172);
    expect(owner.isOwner(await ownerFile(files[0]).read())).toBe(true);
    await expect(lstat(temporary)).rejects.toThrow('ENOENT');
  });

  const spoiled = [
    {name: 'missing', onWindows: true, spoil: async () => {}},
    {name: 'open to other users', spoil: (path: string) => mkdir(path, {recursive: true, mode: 0o755})},
    {
      name: 'a link',
      spoil: async (path: string) => {
        await mkdir(join(path, '..', 'target'), {recursive: true, mode: 0o700});
        await symlink('target', path);
      },
    },
  ];
  // Windows has neither modes nor links.
  for (const {name, spoil} of spoiled.filter(({onWindows}) => onWindows || !IS_WINDOWS)) {
    test(`is in the directory for temporary files if that of the session is ${name}`, async () => {
      const {session, temporary, owner, errors, files} = await openService();
      await spoil(session);
      await owner.keep(7172);
      expect(owner.isOwner(await ownerFile(files[1]).read())).toBe(true);
      expect((await lstat(temporary)).mode & 0o777).toBe(shownMode(0o700));
      expect(errors).toEqual([]);
      await owner[Symbol.asyncDispose]();
      expect(await readdir(temporary)).toEqual([]);
    });

    test.skipIf(IS_WINDOWS)(`is nowhere if both are ${name}, which is logged`, async () => {
      const {home, session, temporary, owner, errors, files} = await openService();
      await spoil(session);
      // A link that leads nowhere.
      if (name === 'missing') await symlink(join(home, 'nothing'), temporary);
      else await spoil(temporary);
      await owner.keep(7172);
      expect(errors).toEqual([files]);
      for (const file of files) expect(await ownerFile(file).read()).toBeUndefined();
    });
  }

  test.runIf(process.getuid?.() === 0)('is in no directory of another user (needs root to make one)', async () => {
    const {session, owner, files} = await openService();
    await mkdir(session, {recursive: true, mode: 0o700});
    await chown(session, 65534, 65534);
    await owner.keep(7172);
    expect(await readdir(session)).toEqual([]);
    expect(owner.isOwner(await ownerFile(files[1]).read())).toBe(true);
  });

  test('is removed by the service that wrote it, and not by another one', async () => {
    const {owner, session, files} = await openService();
    await mkdir(join(session, '..'));
    await owner.keep(7172);
    const mine = (await ownerFile(files[0]).read()) ?? '';
    const other = `crewroom_${'b'.repeat(43)}`;
    await ownerFile(files[0]).replace(other, randomBytes);
    await owner[Symbol.asyncDispose]();
    expect(await ownerFile(files[0]).read()).toBe(other);
    await ownerFile(files[0]).replace(mine, randomBytes);
    await owner[Symbol.asyncDispose]();
    await owner[Symbol.asyncDispose]();
    expect(await readdir(session)).toEqual([]);
  });
});

/** Opens the owner of a service, with the token that its file would have. */
function open(host = 'localhost') {
  let nowMs = 1000;
  let sleptMs = 0;
  const secrets: Buffer[] = [];
  const owner = new FileOwner({
    host,
    place: {dataDir: undefined, runtimeDirs: []},
    log: SILENT_LOG,
    elapsedMs: () => nowMs,
    nowMs: () => nowMs + sleptMs,
    randomBytes: sizeBytes => secrets[secrets.push(randomBytes(sizeBytes)) - 1] ?? expect.unreachable(),
  });
  return {
    owner,
    token: `crewroom_${secrets[0]?.toString('base64url')}`,
    wait: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    /** The machine sleeps: its monotonic clock stands still. */
    sleep: (seconds: number) => {
      sleptMs += seconds * 1000;
    },
  };
}

const HOUR_SECONDS = 3600;

const REFUSED = expect.objectContaining({failure: {code: 'owner-required'}});
const INVALID = expect.objectContaining({failure: {code: 'invalid-code'}});

describe('FileOwner.keep()', () => {
  /** A service on a machine with one directory for files, which is missing at first, and with another one for data. */
  async function openAt(isStored: boolean) {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const [data, run] = [join(home.path, 'data'), join(home.path, 'run')];
    const logged: unknown[] = [];
    const owner = new FileOwner({
      host: 'localhost',
      place: {dataDir: isStored ? data : undefined, runtimeDirs: [run]},
      log: {...SILENT_LOG, error: (message, about) => void logged.push({message, ...about})},
      elapsedMs: () => 0,
      nowMs: () => 0,
      randomBytes,
    });
    onTestFinished(() => owner[Symbol.asyncDispose]());
    return {home: home.path, data, run, owner, logged};
  }

  test('writes the file of a service with data into its directory, and of another once its port is known', async () => {
    const [stored, inMemory] = [await openAt(true), await openAt(false)];
    for (const {owner} of [stored, inMemory]) await owner.keep();
    expect(stored.owner.isOwner(await ownerFile(join(stored.data, 'owner-token')).read())).toBe(true);
    expect([await readdir(stored.home), await readdir(inMemory.home)]).toEqual([['data'], []]);
    await inMemory.owner.keep(8080);
    expect(inMemory.owner.isOwner(await ownerFile(join(inMemory.run, 'owner-token-8080')).read())).toBe(true);
    expect([stored.logged, inMemory.logged]).toEqual([[], []]);
  });

  test('writes it once, also if another program removed it since', async () => {
    const {owner, data} = await openAt(true);
    await owner.keep(8080);
    await rm(join(data, 'owner-token'));
    await owner.keep(8080);
    expect(await readdir(data)).toEqual([]);
  });

  test('says once that it could not, and why, and then leaves all files alone', async () => {
    const {owner, home, run, logged} = await openAt(false);
    await writeFile(run, 'a file in place of the directory', {mode: 0o600});
    await owner.keep(8080);
    await owner.keep(8080);
    const paths = [join(run, 'owner-token-8080')];
    expect(logged).toEqual([
      {
        message: expect.stringContaining('token of the owner'),
        paths,
        // The last two on Windows.
        error: expect.objectContaining({code: expect.stringMatching(/^(?:ENOTDIR|ENOENT|EEXIST)$/)}),
      },
    ]);
    await owner[Symbol.asyncDispose]();
    expect(await readdir(home)).toEqual(['run']);
  });
});

describe('FileOwner', () => {
  test('ends one page by its own token, and all by that of the file', () => {
    const {owner, token} = open();
    const openPage = (): string => owner.exchangeCode(owner.createCode(token).code);
    const [one, other, third] = [openPage(), openPage(), openPage()];
    const ended: string[] = [];
    for (const [name, page] of Object.entries({one, other, third})) owner.onPageEnd(page, () => ended.push(name));
    for (const wrong of [undefined, '', open().token]) expect(() => owner.endPages(wrong)).toThrow(REFUSED);
    expect(ended).toEqual([]);
    owner.endPages(other);
    expect([ended, [one, other, third].map(page => owner.isOwner(page))]).toEqual([['other'], [true, false, true]]);
    owner.endPages(token);
    expect([ended, [one, other, third].map(page => owner.isOwner(page))]).toEqual([
      ['other', 'one', 'third'],
      [false, false, false],
    ]);
    expect(owner.isOwner(token)).toBe(true);
  });

  test('tells of the end of pages alone, and of none that is not asked for any more', () => {
    const {owner, token} = open();
    const page = owner.exchangeCode(owner.createCode(token).code);
    const ended: string[] = [];
    owner.onPageEnd(page, () => ended.push('cancelled'))?.();
    owner.onPageEnd(page, () => ended.push('page'));
    owner.isOwner(page);
    expect(owner.onPageEnd(token, () => ended.push('token'))).toBeUndefined();
    owner.endPages(token);
    expect(ended).toEqual(['page']);
    expect(owner.onPageEnd(page, () => ended.push('late'))).toBeUndefined();
  });

  test('creates another token for each service, which cannot be guessed', () => {
    const [one, other] = [open().token, open().token];
    expect(one).toMatch(/^crewroom_[A-Za-z0-9_-]{43}$/);
    expect(one).not.toBe(other);
  });

  test('exchanges a code for a token of the owner', () => {
    const {owner, token} = open();
    const {code, expiresInSeconds} = owner.createCode(token);
    expect([code.length, expiresInSeconds]).toEqual([43, 60]);
    const page = owner.exchangeCode(code);
    expect(owner.isOwner(page)).toBe(true);
    expect(page).not.toBe(token);
  });

  for (const host of ['127.0.0.1', '::1'])
    test(`creates no code while another program could listen beside ${host}`, () => {
      const {owner, token} = open(host);
      const refused = expect.objectContaining({
        failure: {code: 'not-offered', what: 'console', problem: expect.stringContaining(` on ${host} only`)},
      });
      expect(() => owner.createCode(token)).toThrow(refused);
      expect(() => owner.createCode('wrong')).toThrow(REFUSED);
    });

  test('creates codes for the name of both addresses in any case', () => {
    const {owner, token} = open('LocalHost');
    expect(owner.createCode(token).expiresInSeconds).toBe(60);
  });

  test('knows its own tokens only', () => {
    const {owner, token} = open();
    const page = owner.exchangeCode(owner.createCode(token).code);
    for (const wrong of [
      ...[undefined, '', 'crewroom_', open().token, `${token}a`, token.slice(0, -1)],
      ...[token.toUpperCase(), page.slice(1), owner.createCode(page).code],
    ]) {
      expect(owner.isOwner(wrong), String(wrong)).toBe(false);
      expect(() => owner.createCode(wrong)).toThrow(REFUSED);
    }
  });

  test('exchanges a code once', () => {
    const {owner, token} = open();
    const {code} = owner.createCode(token);
    owner.exchangeCode(code);
    expect(() => owner.exchangeCode(code)).toThrow(INVALID);
  });

  test('exchanges a code within a minute', () => {
    const {owner, token, wait} = open();
    const [early, late] = [owner.createCode(token).code, owner.createCode(token).code];
    wait(59.999);
    expect(owner.isOwner(owner.exchangeCode(early))).toBe(true);
    wait(0.001);
    expect(() => owner.exchangeCode(late)).toThrow(INVALID);
  });

  test('exchanges no guessed code, and a guess uses up no code', () => {
    const {owner, token} = open();
    const {code} = owner.createCode(token);
    for (const guess of ['', code.slice(1), `${code}a`, code.toLowerCase(), token])
      expect(() => owner.exchangeCode(guess)).toThrow(INVALID);
    expect(owner.isOwner(owner.exchangeCode(code))).toBe(true);
  });

  test('ends the token of a page after 12 hours without use, also while the machine sleeps, and not its own', () => {
    const {owner, token, wait, sleep} = open();
    const [page, unused] = [owner.createCode(token).code, owner.createCode(token).code].map(code =>
      owner.exchangeCode(code),
    );
    wait(6 * HOUR_SECONDS);
    expect(owner.isOwner(page)).toBe(true);
    sleep(6 * HOUR_SECONDS);
    expect([page, unused].map(each => owner.isOwner(each))).toEqual([true, false]);
    sleep(-6 * HOUR_SECONDS);
    expect([page, unused].map(each => owner.isOwner(each))).toEqual([true, false]);
    sleep(18 * HOUR_SECONDS);
    expect([page, token].map(each => owner.isOwner(each))).toEqual([false, true]);
    expect(() => owner.createCode(page)).toThrow(REFUSED);
  });

  test('ends the codes that wait with the pages, since each would become another token', () => {
    for (const isOfFile of [true, false]) {
      const {owner, token} = open();
      const page = owner.exchangeCode(owner.createCode(token).code);
      const codes = [owner.createCode(token).code, owner.createCode(page).code];
      owner.endPages(isOfFile ? token : page);
      for (const code of codes) expect(() => owner.exchangeCode(code)).toThrow(INVALID);
    }
  });

  test('tells of the end of a token that was not used for too long, or made room for another', () => {
    const {owner, token, wait} = open();
    const openPage = (name: string): string => {
      const page = owner.exchangeCode(owner.createCode(token).code);
      owner.onPageEnd(page, () => ended.push(name));
      return page;
    };
    const ended: string[] = [];
    openPage('oldest');
    const pages = Array.from({length: 64}, (_, index) => openPage(String(index)));
    expect(ended).toEqual(['oldest']);
    wait(12 * HOUR_SECONDS);
    owner.isOwner(pages[0]);
    expect(ended).toEqual(['oldest', '0']);
  });

  test('keeps the last eight codes, and the tokens of the last 64 pages', () => {
    const {owner, token} = open();
    const codes = Array.from({length: 9}, () => owner.createCode(token).code);
    expect(() => owner.exchangeCode(codes[0] ?? '')).toThrow(INVALID);
    const first = owner.exchangeCode(codes[1] ?? '');
    for (let page = 0; page < 63; page++) owner.exchangeCode(owner.createCode(token).code);
    expect(owner.isOwner(first)).toBe(true);
    owner.exchangeCode(owner.createCode(token).code);
    expect([owner.isOwner(first), owner.isOwner(token)]).toEqual([false, true]);
  });
});
