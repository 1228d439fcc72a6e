import {spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createMachine} from '../../cli/crewroom.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {commandsOf, readGuide} from '../../support/guide.ts';

const machine = await createMachine();

/** Number of blocks about etcd alone, the last of the guide, whose commands need no service. */
const OPERATION_BLOCKS = 5;

const guide = readGuide('several-machines.md').filter(({language}) => language === 'sh');

test('the commands of several-machines.md create a user, start a service as that user, and move entries to it', async () => {
  await using cluster = await EtcdCluster.start(3);
  // The first one has a test of its own.
  const [cluster1, ...lines] = commandsOf(guide.slice(0, -OPERATION_BLOCKS));
  expect(cluster1).toBe('npm run cluster');
  const controls = lines.filter(line => line.startsWith('etcdctl '));
  const [start = '', ...moves] = lines.filter(line => !controls.includes(line));
  expect([controls.length, moves.length]).toEqual([7, 2]);
  for (const line of controls) {
    // On a terminal it asks for the password.
    const {status, stderr} = spawnSync('sh', ['-c', line.replace(/user add (\w+)/, 'user add $1:secret')], {
      env: {...process.env, ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: cluster.addresses.join()},
      encoding: 'utf8',
    });
    expect([line, status], stderr).toEqual([line, 0]);
  }
  const [, store = ''] = /^npx crewroom start --store '(.+)'$/.exec(start) ?? [];
  await writeFile(join(machine.home, 'password'), 'secret\n');
  // These members have no TLS, of which there is another test.
  const address = store
    .replace('a.example:2379,b.example:2379,c.example:2379', cluster.addresses.join())
    .replace('ca=ca.pem&', '')
    .replace('password-file=password', `password-file=${join(machine.home, 'password')}`);
  const shared = await machine.start(['--store', address, '--data-dir', join(machine.home, 'shared')]);
  const old = await machine.start(['--data-dir', join(machine.home, 'old')]);
  await machine.run(['put', 'a', '1.0', '--port', String(old.port)]);
  for (const move of moves) {
    const words = move.replace('npx crewroom ', '').replace('8000', String(shared.port)).split(' ');
    const port = words.includes('--port') ? [] : ['--port', String(old.port)];
    const {exitCode, stderr} = await machine.run([...words, ...port]);
    expect(exitCode, stderr).toBe(0);
  }
  expect((await machine.run(['get', 'a', '--port', String(shared.port)])).stdout).toContain('1.0');
  await shared.stop();
  await old.stop();
});

test('the commands of several-machines.md make space in a member, save a backup of it, and restore that', async () => {
  await using cluster = await EtcdCluster.start(1);
  for (const {text: command} of guide.slice(-OPERATION_BLOCKS)) {
    const adapted = command
      .replaceAll('--endpoints a.example:2379 ', '')
      .replaceAll('/var/lib/etcd', join(machine.home, 'restored'));
    const {status, stderr} = spawnSync('sh', ['-ec', adapted], {
      cwd: machine.home,
      env: {...process.env, ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: cluster.addresses.join()},
      encoding: 'utf8',
    });
    expect([command, status], stderr).toEqual([command, 0]);
  }
});
