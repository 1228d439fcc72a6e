#!/usr/bin/env node
// Starts three members of etcd and two services that share them, on this machine: `npm run cluster`, to try docs/guides/several-machines.md.
// Their data is in a temporary directory, which is deleted when Ctrl-C ends them. Needs etcd, in Debian `etcd-server`.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const MEMBERS = 3;
const SERVICES = 2;

/** Settings of docs/guides/several-machines.md. */
const SETTINGS = ['--auto-compaction-retention=10m'];

/** Signals that end the cluster: Ctrl-C, the end of a session, and a terminal that is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** The processes that run, those first that end first: a service writes its time when it ends, for which it needs the members. */
const groups = {services: new Set(), members: new Set()};
const interrupted = new AbortController();
for (const signal of SIGNALS) process.on(signal, () => interrupted.abort());

const directory = await mkdtemp(join(tmpdir(), 'crewroom-cluster-'));
try {
  const addresses = await startMembers();
  const ports = [];
  for (let number = 1; number <= SERVICES; number++) ports.push(await startService(number, addresses));
  const [first, second] = ports;
  print('Next, in another terminal: write an entry with one service, and read it with the other');
  print(`  npx crewroom put --port ${first} greeting '"hello"'`);
  print(`  npx crewroom get --port ${second} greeting`);
  print('Kill a member, and they go on. Ctrl-C ends all of them.');
  await untilInterrupted();
} catch (error) {
  if (!interrupted.signal.aborted) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
} finally {
  for (const processes of [groups.services, groups.members])
    await Promise.all([...processes].map(child => endProcess(child)));
  await rm(directory, {recursive: true, force: true});
}

/** Starts the members. @returns Their addresses for clients. */
async function startMembers() {
  const ports = await findFreePorts(2 * MEMBERS);
  const members = Array.from({length: MEMBERS}, (_, index) => ({
    name: `member-${index + 1}`,
    client: `127.0.0.1:${ports[2 * index]}`,
    peer: `http://127.0.0.1:${ports[2 * index + 1]}`,
  }));
  const cluster = members.map(({name, peer}) => `${name}=${peer}`).join();
  for (const {name, client, peer} of members) {
    const flags = ['--name', name, '--data-dir', join(directory, name), '--initial-cluster', cluster, ...SETTINGS];
    flags.push('--listen-client-urls', `http://${client}`, '--advertise-client-urls', `http://${client}`);
    flags.push('--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer);
    const child = await start('members', 'etcd', flags, {name, stdio: 'ignore'});
    print(`${name}   ${client}   process ${child.pid}`);
  }
  return members.map(({client}) => client);
}

/** Starts a service, and waits until it serves. @returns Its port. */
async function startService(number, addresses) {
  const name = `service-${number}`;
  const store = `etcd://${addresses.join()}/cluster`;
  const data = ['--data-dir', join(directory, name)];
  const flags = [main, 'start', '--json', '--port', '0', '--store', store, ...data];
  const child = await start('services', process.execPath, flags, {name, stdio: ['ignore', 'ignore', 'pipe']});
  const errors = [];
  for await (const line of createInterface({input: child.stderr})) {
    const {message, level, port} = JSON.parse(line);
    if (message === 'started') {
      // The rest is not needed, but a full pipe would stop the service.
      child.stderr.resume();
      print(`${name}  http://localhost:${port}   process ${child.pid}`);
      return port;
    }
    if (level === 'error') errors.push(line);
  }
  throw new Error(`${name} has not started: ${errors.join('\n')}`);
}

/** Starts a process that Ctrl-C does not reach, so that all end in order. */
async function start(group, command, flags, {name, stdio}) {
  interrupted.signal.throwIfAborted();
  const child = spawn(command, flags, {stdio, detached: true});
  await once(child, 'spawn').catch(error => {
    throw new Error(error.code === 'ENOENT' ? `${command} is not installed, in Debian etcd-server` : error.message);
  });
  groups[group].add(child);
  child.once('exit', () => {
    groups[group].delete(child);
    if (!interrupted.signal.aborted) print(`${name} has ended`);
  });
  return child;
}

async function endProcess(child) {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  // A process that was stopped does not end before it continues.
  child.kill('SIGCONT');
  await exited;
}

async function untilInterrupted() {
  // Signals alone do not keep a process alive.
  const timer = setInterval(() => {}, 2 ** 30);
  if (!interrupted.signal.aborted) await once(interrupted.signal, 'abort');
  clearInterval(timer);
}

/** Returns ports of the loopback interface that are free now. */
async function findFreePorts(count) {
  const servers = Array.from({length: count}, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map(server => once(server, 'listening')));
  const ports = servers.map(server => server.address().port);
  await Promise.all(
    servers.map(server => {
      server.close();
      return once(server, 'close');
    }),
  );
  return ports;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
