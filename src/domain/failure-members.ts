import type {Conflict, DocumentProblem, Failure} from '../failures/failure.ts';
import {hasShape, type Shape, type ShapeOf} from './shape.ts';

/**
 * The names of the members of failures besides `code`, one text for each code: `#` marks a number, `?` a member that may be
 * missing. Texts, since objects would take twice the size in the client for web pages.
 */
export type MembersByCode = Readonly<Record<string, string>>;

/** Such texts. They compile only if each names exactly the members of its failure. */
export type CheckedMembers<Texts extends MembersByCode> = {
  readonly [C in keyof Texts]: Checked<Texts[C], MembersOf<Extract<Failure, {code: C}>>>;
};

/** Returns whether a document is one of these failures, with all its members. */
export function hasMembers(document: Readonly<Record<string, unknown>>, membersByCode: MembersByCode): boolean {
  const {code} = document;
  if (typeof code !== 'string' || !Object.hasOwn(membersByCode, code)) return false;
  const members = membersByCode[code]?.match(/\S+/g) ?? [];
  // No failure has an empty list.
  if (members.some(name => JSON.stringify(document[name]) === '[]')) return false;
  return hasShape(document, Object.fromEntries(members.map(shapeOfMember)));
}

/** Returns the name of a member, as shapes have it, and its shape. */
function shapeOfMember(member: string): readonly [name: string, shape: Shape] {
  return [member.replace('#', ''), LISTS[member] ?? (member.includes('#') ? 'number' : 'string')];
}

/** Members that are lists. */
const LISTS: Readonly<Record<string, Shape>> = {
  problems: [{path: 'string', problem: 'string'} satisfies ShapeOf<DocumentProblem>],
  conflicts: [{key: 'string', expected: 'string', actual: 'string'} satisfies ShapeOf<Conflict>],
  allowed: ['string'],
};

type Checked<Text extends string, Members> = [Words<Text>, Members] extends [Members, Words<Text>]
  ? Text
  : {readonly expected: Members};

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Exclude<Text, ''>;

type MembersOf<F> = {
  [M in Exclude<
    keyof F & string,
    'code'
  >]-?: `${M}${Exclude<F[M], undefined> extends number ? '#' : ''}${undefined extends F[M] ? '?' : ''}`;
}[Exclude<keyof F & string, 'code'>];
