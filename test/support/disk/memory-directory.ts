import {MemoryFile} from './memory-file.ts';
import type {Random} from './random.ts';

/** A file or directory of a memory disk. */
export type MemoryNode = MemoryFile | MemoryDirectory;

/** Names that change together; without a node the name is removed. */
type NameChange = ReadonlyMap<string, MemoryNode | undefined>;

/** A directory of a memory disk: its names now, and those that are durable. */
export class MemoryDirectory {
  readonly kind = 'directory';
  readonly #names: Map<string, MemoryNode>;
  #durable: ReadonlyMap<string, MemoryNode>;
  #pending: NameChange[] = [];

  constructor(names: ReadonlyMap<string, MemoryNode> = new Map()) {
    this.#names = new Map(names);
    this.#durable = names;
  }

  get names(): ReadonlyMap<string, MemoryNode> {
    return this.#names;
  }

  /** Returns the content of each file by its path, and nothing for each directory; must not be changed. */
  contents(path = ''): ReadonlyMap<string, Buffer | undefined> {
    const contents = new Map<string, Buffer | undefined>([[path, undefined]]);
    for (const [name, node] of this.#names) {
      const inner = `${path}/${name}`;
      if (node instanceof MemoryFile) contents.set(inner, node.content);
      else for (const [each, content] of node.contents(inner)) contents.set(each, content);
    }
    return contents;
  }

  /** Changes names, in one step that is durable as a whole or not at all. */
  change(change: NameChange): void {
    this.#pending.push(change);
    apply(this.#names, change);
  }

  sync(): void {
    this.#durable = new Map(this.#names);
    this.#pending = [];
  }

  /** Returns the directory after a loss of power: any of the names that were not synced are there, and others are not. */
  afterLoss(random: Random): MemoryDirectory {
    const names = new Map(this.#durable);
    const mode = random(4);
    for (const change of this.#pending) if (mode === 1 || (mode > 1 && random(2) === 0)) apply(names, change);
    return new MemoryDirectory(new Map([...names].map(([name, node]) => [name, node.afterLoss(random)])));
  }

  /** Returns the directory as it is now, as after a kill: the operating system has all of it. */
  afterKill(): MemoryDirectory {
    const names = [...this.#names].map(([name, node]): [string, MemoryNode] => {
      return [name, node instanceof MemoryFile ? node.copy() : node.afterKill()];
    });
    const copies = new Map(names);
    const directory = new MemoryDirectory(copies);
    // Names that a change adds and a later one removes are not there now, and need no copy.
    directory.#durable = new Map([...this.#durable].map(([name, node]) => [name, copies.get(name) ?? node]));
    directory.#pending = this.#pending.map(
      change => new Map([...change].map(([name, node]) => [name, node && (copies.get(name) ?? node)])),
    );
    return directory;
  }
}

function apply(names: Map<string, MemoryNode>, change: NameChange): void {
  for (const [name, node] of change) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}
