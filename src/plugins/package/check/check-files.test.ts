import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import {describe, test} from 'vitest';
import {type CheckedFile, checkFiles} from './check-files.ts';

const ID = 'com.example.a';

function fileOf(path: string, text: string, sizeBytes = Buffer.byteLength(text)): CheckedFile {
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  return {path, sizeBytes, read};
}

async function check(files: Readonly<Record<string, string>>, id: string | undefined = ID): Promise<readonly string[]> {
  const findings = await checkFiles(
    Object.entries(files).map(([path, text]) => fileOf(path, text)),
    id,
  );
  return findings.map(({level, file, line, problem}) => `${level} ${file ?? 'it'}:${line ?? ''} ${problem}`);
}

describe('a page', () => {
  const cases: readonly {
    readonly what: string;
    readonly page?: string;
    readonly html: string;
    readonly found?: readonly string[];
  }[] = [
    {what: 'a script below its base', html: `<script type="module" crossorigin src="/plugins/${ID}/a.js"></script>`},
    {what: 'relative files', html: `<script src=a.js></script>\n<link rel='stylesheet' href='./b%20c.css?v=1'>`},
    {what: 'data, and a file of a route', html: `<img src="data:image/png;base64,AA"><img src="/api/${ID}/map">`},
    {what: 'the original address', html: `<script src="http://localhost:7172/plugins/${ID}/a.js"></script>`},
    {what: 'a link that loads nothing', html: `<link rel="preconnect" href="https://fonts.example">`},
    {what: 'a picture of another server', html: `<img src="https://pictures.example/a.png">`},
    {what: 'a comment', html: `<!-- <script src="/gone.js"></script> -->`},
    {
      what: 'a script at the root',
      html: `<p>\n<script src="/assets/a.js"></script>`,
      found: [`problem ui/index.html:2 loads "/assets/a.js", which is outside of "/plugins/${ID}/"`],
    },
    {
      what: 'the base of another id',
      html: `<link rel="stylesheet" href="/plugins/com.example.b/b.css">`,
      found: [`problem ui/index.html:1 loads "/plugins/com.example.b/b.css", which is outside of "/plugins/${ID}/"`],
    },
    {
      what: 'a missing script',
      html: `<SCRIPT SRC="/plugins/${ID}/old.js"></SCRIPT>`,
      found: [`problem ui/index.html:1 loads "/plugins/${ID}/old.js", and there is no ui/old.js`],
    },
    {
      what: 'a missing icon',
      html: `<link rel="icon" href="icon.png">`,
      found: ['warning ui/index.html:1 loads "icon.png", and there is no ui/icon.png'],
    },
    {
      what: 'a file beside it, in a folder whose name has to be encoded',
      page: 'ui/a #?%41/index.html',
      html: `<script src="b.js"></script><script src="../a.js"></script><script src="none.js"></script>`,
      found: ['problem ui/a #?%41/index.html:1 loads "none.js", and there is no ui/a #?%41/none.js'],
    },
    {
      what: 'a file above the page',
      html: `<script src="../../x.js"></script>`,
      found: ['problem ui/index.html:1 loads "../../x.js", and there is no x.js'],
    },
    {
      what: 'an address that is not valid',
      html: String.raw`<script src="\\[x"></script>`,
      found: [String.raw`problem ui/index.html:1 loads "\\\\[x", and there is no \\[x`],
    },
    {
      what: 'scripts and styles of other servers',
      html: `<script src="https://cdn.example/a.js"></script>\n<link rel=stylesheet href="//cdn.example/b.css">`,
      found: [
        'warning ui/index.html:1 loads the script https://cdn.example/a.js',
        'warning ui/index.html:2 loads the style sheet //cdn.example/b.css',
      ],
    },
  ];
  for (const {what, page = 'ui/index.html', html, found = []} of cases)
    test(`that loads ${what}`, async () => {
      const others = {'ui/a.js': '', 'ui/b c.css': '', 'ui/a #?%41/b.js': ''};
      assert.deepEqual(await check({[page]: html, ...others}), found);
    });

  test('with a style sheet that imports one of another server', async () => {
    const css = `@import "own.css";\n@import url('https://fonts.example/css');`;
    assert.deepEqual(await check({'ui/a.css': css}), [
      'warning ui/a.css:2 loads the style sheet https://fonts.example/css',
    ]);
  });

  test('of a plugin whose manifest is wrong is not compared with an id', async () => {
    const page = fileOf('ui/index.html', '<script src="/assets/a.js"></script>');
    assert.deepEqual(await checkFiles([page], undefined), []);
  });
});

describe('a page that reads the session of the pilot', () => {
  const compiled = 'var n;const s=null===e||void 0===e||null===(n=e.va_user)||void 0===n?void 0:n.session';
  const cases: readonly {readonly source: string; readonly path?: string; readonly line?: number}[] = [
    {source: 'const a = 1;\nsend(identity.va_user.session);', line: 2},
    {source: `send('Bearer ' + identity?.va_user?.session)`, line: 1},
    {source: 'const {session} = identity.va_user;', line: 1},
    {source: compiled, line: 1},
    {source: 'send(identity.va_user.pilotID); open(other.window.that.is.about.something.else.and.far.away.session)'},
    {source: 'login.session; "va_user.session"; // va_user.session'},
    {source: 'this is not JavaScript " va_user.session'},
    {source: 'send(identity.va_user.session);', path: 'background/index.js'},
  ];
  for (const {source, path = 'ui/a.js', line} of cases)
    test(`${line === undefined ? 'not ' : ''}by ${path}: ${source}`, async () => {
      assert.deepEqual(
        await check({[path]: source}),
        line === undefined
          ? []
          : [`warning ui/a.js:${line} reads va_user.session, which a page gets in the mode open only`],
      );
    });
});

test('a page that registers a service worker is told that it does not run', async () => {
  const warning = 'warning ui/a.js:2 registers a service worker, which does not run: its script is answered 404';
  assert.deepEqual(await check({'ui/a.js': `\nnavigator.serviceWorker.register('/w.js');`}), [warning]);
  const unregister = 'navigator.serviceWorker.ready.then(each => each.unregister()); register(x);';
  assert.deepEqual(await check({'ui/a.js': unregister}), []);
});

describe('many files', () => {
  test('are read until there are enough findings of a kind', async () => {
    let reads = 0;
    const files = Array.from({length: 60}, (_, at): CheckedFile => {
      const file = fileOf(`ui/${at}.html`, '<script src="/a.js"></script>');
      return {
        ...file,
        read: () => {
          reads++;
          return file.read();
        },
      };
    });
    assert.equal((await checkFiles(files, ID)).length, 50);
    assert.equal(reads, 50);
  });

  test('are not in memory at the same time, nor is a part of each', async () => {
    const built = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'plugins', 'package', 'check');
    // Eighty files of 4 MiB each, in a heap of 80 MiB.
    const program = `
      const {checkFiles} = await import(${JSON.stringify(pathToFileURL(join(built, 'check-files.js')).href)});
      const fileOf = (path, text) => ({path, sizeBytes: 4, read: async function* () {
        yield Buffer.from(text + '/*' + 'x'.repeat(4 * 1024 * 1024) + '*/');
      }});
      const files = Array.from({length: 40}, (_, at) => [
        fileOf('ui/' + at + '.js', 'send(identity.va_user.session);'),
        fileOf('ui/' + at + '.html', '<script src="https://example.com/' + at + '.js"></script>'),
      ]);
      console.log((await checkFiles(files.flat(), 'com.example.a')).length);`;
    const options = ['--max-old-space-size=80', '--input-type=module', '--eval', program];
    const {stdout} = await promisify(execFile)(process.execPath, options);
    assert.equal(stdout, '80\n');
  });
});

describe('the size', () => {
  test('is reported if a plugin is large, with its largest files', async () => {
    const files = [fileOf('ui/a.png', '', 30 * 1024 * 1024), fileOf('ui/b.png', '', 5), fileOf('ui/c.png', '', 10)];
    const [finding, ...others] = await checkFiles(files, ID);
    assert.match(finding?.problem ?? '', /^has files of 30\.0 MiB, /);
    assert.match(finding?.advice ?? '', /ui\/a\.png \(30\.0 MiB\), ui\/c\.png/);
    assert.deepEqual(others, []);
  });

  test('of a hostile file does not delay the check', async () => {
    const long = ['<script '.repeat(300_000), '<!--'.repeat(300_000), '@import '.repeat(300_000)].join('');
    await check({'ui/index.html': long, 'ui/a.css': long, 'ui/a.js': '('.repeat(1_000_000)});
  });
});
