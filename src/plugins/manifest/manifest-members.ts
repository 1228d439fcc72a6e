import type {GenericSchema, InferOutput, ObjectEntries} from 'valibot';
import {checkValue} from '../../documents/problems.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {formatPath} from '../../json/json-path.ts';

/** Location of a part of a manifest, and the lists that collect what was found in all of it. */
export interface ManifestPlace {
  readonly path: readonly string[];
  /** Reasons why the plugin cannot run. */
  readonly problems: DocumentProblem[];
  /** Defects that are ignored. */
  readonly warnings: DocumentProblem[];
}

type Present<E extends ObjectEntries, N extends keyof E> = NonNullable<InferOutput<E[N]>>;

/** Reads an object of a manifest member by member, by its schema. `null` counts as missing, since some tools write it. */
export class Members<E extends ObjectEntries> {
  readonly #entries: E;
  readonly #place: ManifestPlace;
  readonly #members: Readonly<Record<string, unknown>>;

  constructor({entries}: {readonly entries: E}, members: Readonly<Record<string, unknown>>, place: ManifestPlace) {
    this.#entries = entries;
    this.#members = members;
    this.#place = place;
  }

  /** Returns the value of a member, of any kind; undefined if it is missing. */
  any(name: keyof E & string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }

  /** Reads a member without which the plugin cannot run. A defect is a problem. */
  required<N extends keyof E & string>(name: N): Present<E, N> | undefined {
    return this.#read(name, defect => report(this.#place.problems, this.at(name), defect));
  }

  /** Reads a member that may be missing. One of another kind is ignored, with a warning. */
  optional<N extends keyof E & string>(name: N): Present<E, N> | undefined {
    if (this.any(name) === undefined) return undefined;
    return this.#read(name, defect => warn(this.at(name), `${defect}; it is ignored`));
  }

  /** Reads a member that every plugin should have. A defect is a warning, and the given value is used instead. */
  assumed<N extends keyof E & string>(name: N, assumed: Present<E, N>): Present<E, N> {
    const read = this.#read(name, defect => warn(this.at(name), `${defect}; ${JSON.stringify(assumed)} is used`));
    return read ?? assumed;
  }

  /** Returns the place of a member. */
  at(name: string): ManifestPlace {
    return {...this.#place, path: [...this.#place.path, name]};
  }

  #read<N extends keyof E & string>(name: N, onDefect: (defect: string) => undefined): Present<E, N> | undefined {
    const value = this.any(name);
    if (value === undefined) return onDefect('is missing');
    const checked = checkValue(this.#entries[name] as GenericSchema<unknown, Present<E, N>>, value);
    return 'value' in checked ? checked.value : onDefect(checked.found[0].problem);
  }
}

/** Maximum number of problems, and of warnings, that are collected for one manifest. */
const FOUND_MAX = 100;

/** Collects a problem, unless there are too many already. */
export function report(found: DocumentProblem[], {path}: Pick<ManifestPlace, 'path'>, problem: string): undefined {
  if (found.length < FOUND_MAX) found.push({path: formatPath(path), problem});
}

/** Collects a warning, unless there are too many already. */
export function warn(place: ManifestPlace, problem: string): undefined {
  return report(place.warnings, place, problem);
}
