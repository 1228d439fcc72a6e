import {type ChildProcess, execFile, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import type {Driver} from '../../src/store/shared/engine/driver.ts';
import {type EtcdDriverOptions, openEtcdDriver} from '../../src/store/shared/etcd/etcd-driver.ts';
import {findFreePort} from './free-port.ts';

/** Settings of `docs/guides/several-machines.md`. */
const DOCUMENTED_FLAGS = ['--auto-compaction-retention=10m'];

/** Address of a machine, and the command that runs another one on it. */
export interface Place {
  readonly address: string;
  readonly under: readonly string[];
}

const HERE: Place = {address: '127.0.0.1', under: []};

/** A member of a cluster. */
interface Member {
  readonly name: string;
  readonly place: Place;
  readonly clientPort: number;
  readonly peerPort: number;
  process: ChildProcess;
}

/** State of a member, as etcdctl prints it. Ids are too large for a number, but differ as numbers too. */
interface MemberStatus {
  readonly Status: {readonly header: {readonly member_id: number}; readonly leader: number};
}

/** Some members of etcd on this machine, with their data in a temporary directory. */
export class EtcdCluster implements AsyncDisposable {
  readonly #directory: string;
  readonly #members: Member[] = [];
  readonly #flags: readonly string[];
  readonly #scheme: string;
  #prefixes = 0;
  #backups = 0;

  private constructor(directory: string, flags: readonly string[]) {
    this.#directory = directory;
    this.#flags = flags;
    this.#scheme = flags.some(flag => flag.startsWith('--cert-file')) ? 'https' : 'http';
  }

  /** Starts a cluster, and waits until it has a leader. */
  static async start(size: number, flags: readonly string[] = [], places: readonly Place[] = []): Promise<EtcdCluster> {
    const cluster = new EtcdCluster(await mkdtemp(join(tmpdir(), 'crewroom-etcd-')), [...DOCUMENTED_FLAGS, ...flags]);
    const ports = new Set<number>();
    while (ports.size < 2 * size) ports.add(await findFreePort());
    const [...free] = ports;
    const hosts = Array.from({length: size}, (_, index) => places[index] ?? HERE);
    const peers = hosts.map(({address}, index) => `m${index}=http://${address}:${free[2 * index]}`).join();
    for (const [index, place] of hosts.entries()) {
      const [peerPort = 0, clientPort = 0] = free.slice(2 * index);
      const member = {name: `m${index}`, place, clientPort, peerPort};
      cluster.#members.push({...member, process: cluster.#spawn(member, peers)});
    }
    await cluster.ready();
    return cluster;
  }

  /** Host and port of each member. */
  get addresses(): readonly string[] {
    return this.#members.map(({place, clientPort}) => `${place.address}:${clientPort}`);
  }

  /** Runs etcdctl, and lets this process do other work meanwhile. @returns What it prints. */
  async controlBeside(...args: readonly string[]): Promise<string> {
    const env = {...process.env, ETCDCTL_API: '3'};
    const {stdout} = await promisify(execFile)('etcdctl', ['--endpoints', this.addresses.join(), ...args], {env});
    return stdout;
  }

  /** Runs etcdctl. @returns What it prints. */
  control(...args: readonly string[]): string {
    const {stdout, stderr, status} = spawnSync('etcdctl', ['--endpoints', this.addresses.join(), ...args], {
      env: {...process.env, ETCDCTL_API: '3'},
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`etcdctl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Writes a file beside the data of the members. @returns Its path. */
  async writeFile(name: string, text: string): Promise<string> {
    const path = join(this.#directory, name);
    await writeFile(path, text);
    return path;
  }

  /** Waits until the cluster has a leader. */
  async ready(): Promise<void> {
    // Clients of encrypted members have certificates, which this one has not; their first call waits.
    if (this.#scheme === 'https') return;
    for (let attempt = 1; ; attempt++) {
      const {status, stderr} = spawnSync('etcdctl', ['--endpoints', this.addresses.join(), 'endpoint', 'health'], {
        env: {...process.env, ETCDCTL_API: '3'},
        encoding: 'utf8',
      });
      if (status === 0) return;
      if (attempt === 60) throw new Error(`etcd is not ready: ${stderr}`);
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }

  /** Returns the position of the leader among the members. */
  findLeader(): number {
    const states = JSON.parse(this.control('endpoint', 'status', '-w', 'json')) as readonly MemberStatus[];
    return states.findIndex(({Status: {header, leader}}) => header.member_id === leader);
  }

  /** Returns the process id of a member. */
  processIdOf(index: number): number {
    return this.#memberAt(index).process.pid ?? 0;
  }

  /** Sends a signal to a member. */
  signal(index: number, signal: NodeJS.Signals): void {
    this.#memberAt(index).process.kill(signal);
  }

  /** Stops a member with SIGSTOP, and waits until none of its threads runs. */
  async pause(index: number): Promise<void> {
    this.signal(index, 'SIGSTOP');
    const threads = `/proc/${this.#memberAt(index).process.pid}/task`;
    for (const thread of await readdir(threads)) {
      while (!/^\d+ \(.*\) T /.test(await readFile(join(threads, thread, 'stat'), 'utf8')))
        await new Promise(resolve => setImmediate(resolve));
    }
  }

  /** Kills a member, and starts it again with its data. */
  async restart(index: number): Promise<void> {
    const member = this.#memberAt(index);
    await end(member.process);
    member.process = this.#spawn(member);
  }

  /** Saves all keys, as operators do. @returns The path of the file. */
  save(): string {
    const file = join(this.#directory, `backup ${++this.#backups}`);
    this.control('snapshot', 'save', file);
    return file;
  }

  /** Stops the only member, and starts it again with the keys of a backup. */
  async restore(file: string): Promise<void> {
    const member = this.#memberAt(0);
    await end(member.process);
    const directory = join(this.#directory, member.name);
    await rm(directory, {recursive: true});
    const peer = `http://127.0.0.1:${member.peerPort}`;
    const peers = ['--initial-cluster', `${member.name}=${peer}`, '--initial-advertise-peer-urls', peer];
    this.control('snapshot', 'restore', file, '--name', member.name, '--data-dir', directory, ...peers);
    member.process = this.#spawn(member);
  }

  /** Kills a member. */
  kill(index: number): Promise<void> {
    return end(this.#memberAt(index).process);
  }

  /** Starts the members that do not run, with their data. */
  async startAgain(): Promise<void> {
    for (const member of this.#members) if (!isRunning(member.process)) member.process = this.#spawn(member);
    await this.ready();
  }

  /** Connects to a part of the keys that nothing else uses. */
  connectTo(prefix: string, options: Partial<EtcdDriverOptions> = {}): Promise<Driver> {
    const environment = {timers: TIMERS, log: SILENT_LOG, nowMs: Date.now};
    return openEtcdDriver({members: this.addresses, prefix: `${prefix}/`, ...environment, ...options});
  }

  /** Returns an empty part of the keys. */
  createEngine(): {connect(): Promise<Driver>; readonly prefix: string} {
    const prefix = `test ${++this.#prefixes}`;
    const connect = async (): Promise<Driver> => {
      const driver = await this.connectTo(prefix);
      // The clocks of contracts move on while those of the members do not.
      driver.boundTime = ownMs => ownMs;
      return driver;
    };
    return {prefix, connect};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map(member => end(member.process)));
    await rm(this.#directory, {recursive: true});
  }

  #memberAt(index: number): Member {
    return this.#members[index] as Member;
  }

  #spawn({name, place, clientPort, peerPort}: Omit<Member, 'process'>, peers?: string): ChildProcess {
    const client = `${this.#scheme}://${place.address}:${clientPort}`;
    const peer = `http://${place.address}:${peerPort}`;
    const flags = ['--name', name, '--data-dir', join(this.#directory, name), ...this.#flags];
    flags.push('--listen-client-urls', client, '--advertise-client-urls', client);
    flags.push('--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer);
    if (peers !== undefined) flags.push('--initial-cluster', peers);
    const [program = '', ...args] = [...place.under, 'etcd', ...flags];
    return spawn(program, args, {stdio: 'ignore'});
  }
}

async function end(process: ChildProcess): Promise<void> {
  if (!isRunning(process)) return;
  const exited = once(process, 'exit');
  process.kill('SIGKILL');
  await exited;
}

function isRunning({exitCode, signalCode}: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

const TIMERS = {
  after: (delayMs: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
