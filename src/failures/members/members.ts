import {type Checks, list, type MemberCheck, type MembersOf, number, object, optional, text} from './checks.ts';
import type {DocumentProblem} from './problems.ts';

/** The members of failures besides their code, by their codes. */
export type MembersByCode = Readonly<Record<string, Checks>>;

/** The failures that have such members. */
export type FailureIn<M extends MembersByCode> = {
  [C in keyof M & string]: MembersOf<{readonly code: MemberCheck<C>} & M[C]>;
}[keyof M & string];

/** Returns whether a document is a failure of one of these codes, with all its members. */
export function isFailureIn(membersByCode: MembersByCode, document: Readonly<Record<string, unknown>>): boolean {
  const {code} = document;
  return text(code) && Object.hasOwn(membersByCode, code) && object(membersByCode[code] as Checks)(document);
}

/** Checks for the problems of a document. */
export const problems: MemberCheck<readonly DocumentProblem[]> = list(
  object<DocumentProblem>({path: text, problem: text}),
);

/** The part of an import that was stored before a failure of the store ended it: see `ImportedPart`. */
export const stored = {imported: optional(number), batches: optional(number)};
