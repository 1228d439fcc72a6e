import type {Switch} from '../catalogue.ts';
import type {Call} from '../command.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';

/** The flags of `crewroom doctor`. */
export interface DoctorFlags {
  readonly json: Switch;
  readonly deep: Switch;
}

/** `crewroom doctor`. */
export async function run(_call: Call<DoctorFlags>): Promise<ExitCode> {
  return EXIT.ok;
}
