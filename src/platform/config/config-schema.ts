import * as v from 'valibot';
import {closed} from '../../core/documents/kinds.ts';
import {DEFAULTS, SETTING_NAMES, SETTINGS, type SettingName} from './config.ts';

/** The config file, for editors: the service reads each setting as its flag. */
export const CONFIG_SCHEMA = closed(Object.fromEntries(SETTING_NAMES.map(name => [name, describeMember(name)])));

/** Describes a member as the help of its flag does, with its default unless that is empty. */
function describeMember(name: SettingName): v.GenericSchema {
  const {description} = SETTINGS[name];
  const value = DEFAULTS[name];
  const isEmpty = value === '' || Array.isArray(value);
  return v.pipe(
    v.optional(SETTINGS[name].schema as v.GenericSchema, undefined),
    v.metadata({description, ...(isEmpty ? {} : {default: value})}),
  );
}
