import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';

/** Runs `ip`. @throws {Error} With what it prints. */
function ip(...args: readonly string[]): void {
  const {status, stderr} = spawnSync('ip', args, {encoding: 'utf8'});
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}

/** A machine in a network of its own. */
export interface Host {
  readonly address: string;
  /** Command that runs another one on it. */
  readonly under: readonly string[];
}

/** Returns whether this user may make network namespaces. */
export function canMakeNetworks(): boolean {
  return spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'type', 'bridge']).status === 0;
}

/** Some machines, each in a network namespace of its own, and the links between them. */
export class Network implements Disposable {
  readonly hosts: readonly Host[];
  readonly #name: string;

  /** @param processId Id of this process, which no other network has. */
  constructor(size: number, processId: number) {
    this.#name = `cr${processId % 100_000}`;
    const subnet = `10.${200 + (processId % 50)}.${processId % 250}`;
    ip('link', 'add', this.#name, 'type', 'bridge');
    ip('addr', 'add', `${subnet}.1/24`, 'dev', this.#name);
    ip('link', 'set', this.#name, 'up');
    this.hosts = Array.from({length: size}, (_, index) => {
      const name = this.#nameOf(index);
      ip('netns', 'add', name);
      ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      ip('link', 'set', name, 'master', this.#name, 'up');
      const under = ['ip', 'netns', 'exec', name];
      const address = `${subnet}.${10 + index}`;
      ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
      for (const device of ['lo', 'eth0']) ip('-n', name, 'link', 'set', device, 'up');
      return {address, under};
    });
  }

  /** Cuts a machine off from all others. */
  cutOff(index: number): void {
    ip('link', 'set', this.#nameOf(index), 'down');
  }

  /** Drops what one machine sends to another; the other way stays open. */
  cutOneWay(from: number, to: number): void {
    ip('-n', this.#nameOf(from), 'route', 'add', 'blackhole', `${this.hosts[to]?.address}/32`);
  }

  /** Repairs all links. */
  repair(): void {
    for (const index of this.hosts.keys()) {
      ip('link', 'set', this.#nameOf(index), 'up');
      spawnSync('ip', ['-n', this.#nameOf(index), 'route', 'flush', 'type', 'blackhole']);
    }
  }

  [Symbol.dispose](): void {
    for (const index of this.hosts.keys()) ip('netns', 'del', this.#nameOf(index));
    ip('link', 'del', this.#name);
  }

  #nameOf(index: number): string {
    return `${this.#name}-${index}`;
  }
}

/** A way to an address that can be cut: then nothing that is sent arrives, until it is repaired. */
export class Gate implements AsyncDisposable {
  readonly #target: {readonly host: string; readonly port: number};
  readonly #sockets = new Set<Socket>();
  readonly #held: (() => void)[] = [];
  readonly #server = createServer(near => this.#connect(near));
  #isCut = false;
  #port = 0;

  private constructor(target: string) {
    const [host = '', port = ''] = target.split(':');
    this.#target = {host, port: Number(port)};
  }

  /** Opens a gate to a host and port. */
  static async open(target: string): Promise<Gate> {
    const gate = new Gate(target);
    await once(gate.#server.listen(0, '127.0.0.1'), 'listening');
    gate.#port = (gate.#server.address() as {readonly port: number}).port;
    return gate;
  }

  /** Host and port of this end. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  cut(): void {
    this.#isCut = true;
  }

  /** Delivers what was held, as a network that sends again. */
  repair(): void {
    this.#isCut = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #connect(near: Socket): void {
    const far = connect(this.#target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('data', bytes => this.#pass(() => void to.write(bytes)));
      from.on('close', () => {
        this.#sockets.delete(from);
        this.#pass(() => to.destroy());
      });
    }
  }

  #pass(deliver: () => void): void {
    if (this.#isCut) this.#held.push(deliver);
    else deliver();
  }
}
