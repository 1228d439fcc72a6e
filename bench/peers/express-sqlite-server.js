// A hand-written route: Express, and SQLite with write-ahead log, synced at every commit. Argument 1 is the data
// directory. Prints its address and versions.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import express from 'express';

// The usual package needs Node 22; the other one has the same interface, and runs on Node 20.
const [Database, engine] = await import('better-sqlite3').then(
  module => [module.default, 'better-sqlite3'],
  async () => [(await import('libsql')).default, 'libsql'],
);
const database = new Database(join(process.argv[2], 'store.sqlite'));
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
const select = database.prepare('SELECT value FROM entries WHERE key = ?');
const list = database.prepare(
  "SELECT key, length(value) AS sizeBytes FROM entries WHERE key >= 'bench/' ORDER BY key LIMIT 1000",
);
const upsert = database.prepare(
  'INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
);
const upsertAll = database.transaction(operations => {
  for (const {key, value} of operations) upsert.run(key, JSON.stringify(value));
});

const app = express();
app.use(express.json({limit: '1mb'}));
app.get('/api/store/:key', (request, response) => {
  const row = select.get(request.params.key);
  if (row === undefined) response.status(404).json({});
  else response.type('json').send(row.value);
});
app.post('/api/store/:key', (request, response) => {
  upsert.run(request.params.key, JSON.stringify(request.body));
  response.json({});
});
app.get('/api/keys', (_request, response) => response.json({entries: list.all()}));
app.post('/api/transactions', (request, response) => {
  upsertAll(request.body.operations);
  response.json({});
});

const {version} = database.prepare('SELECT sqlite_version() AS version').get();
const versionOf = name =>
  JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url))).version;
const server = app.listen(0, '127.0.0.1', () => {
  const {port} = server.address();
  process.stdout.write(
    `http://127.0.0.1:${port} Express ${versionOf('express')}, SQLite ${version} by ${engine} ${versionOf(engine)}\n`,
  );
});
process.once('SIGTERM', () => process.exit());
