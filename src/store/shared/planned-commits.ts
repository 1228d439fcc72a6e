import type {CommitResult} from '../../domain/commits/commit.ts';

/** A result for each commit of a group, or the reason why it did not happen. */
export type GroupResults = readonly (CommitResult | Error)[];

/** A commit with the id that its caller gave it. */
interface NamedCommit {
  readonly id?: string | undefined;
}

/** The commits of a group that are planned: without those that were applied earlier, and of several with the same id only the first. */
export class PlannedCommits<C extends NamedCommit> {
  readonly commits: readonly C[];
  readonly #applied: readonly (CommitResult | undefined)[];
  /** For each commit of the group the index of the one that has its result. */
  readonly #sources: readonly number[];
  readonly #planned: readonly number[];

  /** @param applied Results of the commits that were applied earlier. */
  constructor(group: readonly C[], applied: readonly (CommitResult | undefined)[]) {
    const firsts = new Map<string, number>();
    this.#applied = applied;
    this.#sources = group.map(({id}, index) => {
      if (id === undefined) return index;
      const first = firsts.get(id) ?? index;
      firsts.set(id, first);
      return first;
    });
    this.#planned = [...group.keys()].filter(index => this.#sources[index] === index && applied[index] === undefined);
    this.commits = this.#planned.map(index => group[index] as C);
  }

  /** Returns the result of each planned commit at its position in the group; undefined for the others. */
  place(results: GroupResults): readonly (CommitResult | Error | undefined)[] {
    const placed = new Array<CommitResult | Error | undefined>(this.#sources.length).fill(undefined);
    for (const [at, index] of this.#planned.entries()) placed[index] = results[at];
    return placed;
  }

  /** Returns the results of the commits of the group up to the first one without. */
  complete(results: GroupResults): GroupResults {
    const placed = this.place(results);
    const all = this.#sources.map((source, index) => this.#applied[index] ?? placed[source]);
    const end = all.indexOf(undefined);
    return all.slice(0, end === -1 ? all.length : end) as GroupResults;
  }
}

/** Writes those commits of a group that are selected. The others fail. */
export async function writeSome<C>(
  commits: readonly C[],
  isSelected: (commit: C) => boolean,
  createFailure: () => Error,
  write: (selected: readonly C[]) => Promise<GroupResults>,
): Promise<GroupResults> {
  const selected = commits.filter(isSelected);
  if (selected.length === commits.length) return write(commits);
  const rest = selected.length === 0 ? [] : [...(await write(selected))];
  // Those after the first one that is not planned yet stay for the next group.
  const results: (CommitResult | Error)[] = [];
  for (const commit of commits) {
    const result = isSelected(commit) ? rest.shift() : createFailure();
    if (result === undefined) break;
    results.push(result);
  }
  return results;
}
