import {parseSync} from 'vite';

/** A node of a syntax tree (ESTree). */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A node with those around it, innermost first. */
interface Place {
  readonly node: Node;
  readonly outer: readonly Node[];
}

/** Reason why an expectation may not be evaluated, or its failure not be seen. */
type Reason = 'in a branch' | 'behind an operator' | 'in a catch' | 'after an early end' | 'its failure is swallowed';

/** An expectation that a test may pass without. */
export interface HiddenExpectation {
  readonly line: number;
  readonly reason: Reason;
  readonly text: string;
}

/**
 * Finds expectations of a test that it may pass without: in an `if`, a `switch`, a conditional expression or a catch, behind `&&`, `||`, `??` or `?.`, after a
 * `return` or `continue` under a condition, and those whose failure is caught. To fail in a branch is no expectation: it narrows a type.
 */
export function findHiddenExpectations(code: string, fileName = 'a.ts'): readonly HiddenExpectation[] {
  const {program, errors} = parseSync(fileName, code);
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0]?.message}`);
  return placesIn(program as unknown as Node, isExpectation).flatMap(({node, outer}) => {
    const reason = findReason(node, outer);
    if (reason === undefined) return [];
    return [{line: code.slice(0, node.start).split('\n').length, reason, text: code.slice(node.start, node.end)}];
  });
}

/** Functions whose names begin so are expectations of our own. */
const EXPECTING = /^(?:expect|assert)(?:$|[A-Z])/;

/** Members that are no expectations: those that always fail, and matchers of values. */
const NO_EXPECTATIONS = new Set(['fail', 'unreachable', 'any', 'anything', 'not', 'extend', 'getState']);
const VALUE_MATCHER = /(?:Containing|Matching|CloseTo|^closeTo)$/;

/** Callers of functions that are tests or groups of tests: what decides whether there is a test is no part of it. */
const OF_TESTS = /^(?:test|it|describe|(?:before|after)(?:All|Each)|onTestFinished)$/;

function isExpectation(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const callee = node['callee'] as Node;
  if (callee.type === 'Identifier') return EXPECTING.test(nameOf(callee));
  if (callee.type !== 'MemberExpression') return false;
  const [object, property] = [callee['object'] as Node, callee['property'] as Node];
  if (object.type !== 'Identifier' || !/^(?:expect|assert)$/.test(nameOf(object))) return false;
  const name = nameOf(property);
  return !NO_EXPECTATIONS.has(name) && !VALUE_MATCHER.test(name);
}

function findReason(expectation: Node, outer: readonly Node[]): Reason | undefined {
  let inner = expectation;
  for (const [index, node] of outer.entries()) {
    const reason = reasonIn(node, inner);
    if (reason !== undefined) return reason;
    if (isFunction(node) && !isCallback(outer[index + 1])) return undefined;
    inner = node;
  }
  return undefined;
}

/** Returns why what is inside a node may not be evaluated, or its failure not be seen, by the node alone. */
function reasonIn(node: Node, inner: Node): Reason | undefined {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return inner === node['test'] ? undefined : 'in a branch';
    case 'SwitchCase':
      return 'in a branch';
    case 'LogicalExpression':
      return inner === node['right'] ? 'behind an operator' : undefined;
    case 'CatchClause':
      return 'in a catch';
    case 'TryStatement':
      return inner === node['block'] && swallows(node['handler'] as Node | null)
        ? 'its failure is swallowed'
        : undefined;
    case 'CallExpression':
      return reasonInCall(node, inner);
    case 'BlockStatement':
      return endsEarly(node['body'] as readonly Node[], inner) ? 'after an early end' : undefined;
    default:
      return undefined;
  }
}

function reasonInCall(call: Node, inner: Node): Reason | undefined {
  const callee = call['callee'] as Node;
  const isCatch = callee.type === 'MemberExpression' && nameOf(callee['property'] as Node) === 'catch';
  if (inner === callee) return isCatch ? 'its failure is swallowed' : undefined;
  if (isCatch) return 'in a catch';
  return isOptional(call) ? 'behind an operator' : undefined;
}

function isOptional(node: Node): boolean {
  if (node.type === 'CallExpression') return node['optional'] === true || isOptional(node['callee'] as Node);
  return node.type === 'MemberExpression' && (node['optional'] === true || isOptional(node['object'] as Node));
}

/** Returns whether a statement before one of a block may end the block without a failure. */
function endsEarly(statements: readonly Node[], inner: Node): boolean {
  return statements.slice(0, Math.max(0, statements.indexOf(inner))).some(statement => {
    if (statement.type !== 'IfStatement') return false;
    return placesIn(statement, (node, outer) => isEnd(node) && !outer.some(isFunction)).length > 0;
  });
}

function isEnd(node: Node): boolean {
  return node.type === 'ContinueStatement' || (node.type === 'ReturnStatement' && node['argument'] === null);
}

function swallows(handler: Node | null): boolean {
  return handler !== null && placesIn(handler, ({type}) => type === 'ThrowStatement').length === 0;
}

/** Returns whether a function is called where it stands, such as one for each element of a list, and is no test. */
function isCallback(outer: Node | undefined): boolean {
  if (outer?.type !== 'CallExpression') return false;
  return !OF_TESTS.test(rootOf(outer['callee'] as Node));
}

function isFunction({type}: Node): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression' || type === 'FunctionDeclaration';
}

/** Returns the name that a chain of members and calls begins with. */
function rootOf(node: Node): string {
  const inner = (node['object'] ?? node['callee']) as Node | undefined;
  return inner === undefined ? nameOf(node) : rootOf(inner);
}

function nameOf(node: Node): string {
  return typeof node['name'] === 'string' ? node['name'] : '';
}

/** Returns the nodes in a node, and itself, that satisfy a condition. */
function placesIn(root: Node, isWanted: (node: Node, outer: readonly Node[]) => boolean): readonly Place[] {
  const found: Place[] = [];
  const outer: Node[] = [];
  const visit = (node: Node): void => {
    if (isWanted(node, outer)) found.push({node, outer: outer.toReversed()});
    outer.push(node);
    for (const name in node) {
      const inner = node[name];
      if (Array.isArray(inner)) inner.filter(isNode).forEach(visit);
      else if (isNode(inner)) visit(inner);
    }
    outer.pop();
  };
  visit(root);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}
