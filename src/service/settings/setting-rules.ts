import {findSettingProblem, type PluginSetting} from '../../core/domain/plugins/plugin.ts';
import type {SettingValues} from '../../core/domain/plugins/user-settings.ts';
import type {DocumentProblem} from '../../core/failures/members/problems.ts';
import {formatPath} from '../../core/json/json-path.ts';

/** Longest name of a setting in a failure, in characters: enough to recognise it. */
const NAME_LENGTH_MAX = 64;

/** Settings of an id, by name. */
export type SettingRules = ReadonlyMap<string, PluginSetting>;

/** Stored values with defaults filled in. */
export interface EffectiveSettings {
  readonly values: SettingValues;
  /** Stored values that are not valid; their defaults are used instead. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * Fills in defaults. A stored value that does not fit, or whose condition (`when`) does not hold, reads as the default. A
 * setting without default and value is absent.
 */
export function fillIn(rules: SettingRules, stored: SettingValues): EffectiveSettings {
  const values = new Map<string, unknown>();
  const problems: DocumentProblem[] = [];
  for (const [name, rule] of userRules(rules)) {
    const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
    const problem = value === undefined ? undefined : findSettingProblem(rule, value);
    if (problem !== undefined) problems.push({path: formatPath([name.slice(0, NAME_LENGTH_MAX)]), problem});
    const read = value === undefined || problem !== undefined ? rule.default : value;
    if (read !== undefined) values.set(name, read);
  }
  for (const [name, rule] of userRules(rules))
    if (!applies(rule, values) && rule.default !== undefined) values.set(name, rule.default);
  return {values: Object.fromEntries(values), problems};
}

/** Changed values, to be stored; or the problems of the changes. */
export type Merged = {readonly stored: SettingValues} | {readonly problems: readonly DocumentProblem[]};

/** Merges changes into stored values. Values that equal the default are not stored. */
export function mergeChanges(rules: SettingRules, stored: SettingValues, changes: SettingValues): Merged {
  const merged = new Map(Object.entries(stored).filter(([name]) => rules.has(name)));
  const problems: DocumentProblem[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const rule = rules.get(name);
    const problem = findChangeProblem(rule, value);
    if (problem !== undefined) problems.push({path: formatPath([name.slice(0, NAME_LENGTH_MAX)]), problem});
    else if (value === null || value === rule?.default) merged.delete(name);
    else merged.set(name, value);
  }
  const members = Object.fromEntries(merged);
  if (problems.length === 0) problems.push(...findConditionProblems(rules, members, changes));
  return problems.length === 0 ? {stored: members} : {problems};
}

function findChangeProblem(rule: PluginSetting | undefined, value: unknown): string | undefined {
  if (rule === undefined) return 'is not a setting';
  if (rule.settingType === 'airline') return 'is set by the airline';
  return value === null ? undefined : findSettingProblem(rule, value);
}

/** Finds changes that would have no effect. A change to the default needs no condition. */
function findConditionProblems(
  rules: SettingRules,
  members: SettingValues,
  changes: SettingValues,
): readonly DocumentProblem[] {
  const values = new Map(Object.entries(fillIn(rules, members).values));
  return [...userRules(rules)]
    .filter(([name, rule]) => Object.hasOwn(changes, name) && Object.hasOwn(members, name) && !applies(rule, values))
    .map(([name, {when}]) => ({
      path: formatPath([name.slice(0, NAME_LENGTH_MAX)]),
      problem: `applies only if ${JSON.stringify(when?.key)} is ${JSON.stringify(when?.value)}`,
    }));
}

function applies({when}: PluginSetting, values: ReadonlyMap<string, unknown>): boolean {
  return when === undefined || values.get(when.key) === when.value;
}

function userRules(rules: SettingRules): Iterable<readonly [string, PluginSetting]> {
  return [...rules].filter(([, {settingType}]) => settingType === 'user');
}
