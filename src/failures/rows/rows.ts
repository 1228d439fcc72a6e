import {ACCESS_ROWS} from './access.ts';
import {CLIENT_ROWS} from './client.ts';
import {DATA_ROWS} from './data.ts';
import {PLUGIN_ROWS} from './plugin.ts';
import {REQUEST_ROWS} from './request.ts';
import type {AnyRow} from './row.ts';
import {SESSION_ROWS} from './session.ts';
import {START_ROWS} from './start.ts';

type Code =
  | keyof typeof DATA_ROWS
  | keyof typeof REQUEST_ROWS
  | keyof typeof SESSION_ROWS
  | keyof typeof ACCESS_ROWS
  | keyof typeof PLUGIN_ROWS
  | keyof typeof START_ROWS
  | keyof typeof CLIENT_ROWS;

/** Everything about every failure but its members. */
export const ROWS: Readonly<Record<Code, AnyRow>> = {
  ...DATA_ROWS,
  ...REQUEST_ROWS,
  ...SESSION_ROWS,
  ...ACCESS_ROWS,
  ...PLUGIN_ROWS,
  ...START_ROWS,
  ...CLIENT_ROWS,
};

/** All codes. */
export const FAILURE_CODES = Object.keys(ROWS) as readonly Code[];

/** Returns the row of a code; undefined for one that this version does not know. */
export function findRow(code: string): AnyRow | undefined {
  return Object.hasOwn(ROWS, code) ? ROWS[code as Code] : undefined;
}
