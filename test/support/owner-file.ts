import {tmpdir} from 'node:os';
import {runtimeDirsOf} from '../../src/platform/paths.ts';
import {ownerFile as ownerDocument, ownerFilesOf} from '../../src/service/access/owner-file.ts';
import {callService, type TestService} from './service.ts';

/** Returns the path of the file with the token of the owner of a service. */
export function ownerFile({port, crewroom}: TestService): string {
  const {ephemeral, dataDir} = crewroom.config;
  const runtimeDirs = runtimeDirsOf(process.env, {temporaryDir: tmpdir(), userId: process.getuid?.()});
  return ownerFilesOf({dataDir: ephemeral ? undefined : dataDir, runtimeDirs, port})[0] ?? '';
}

/** Returns the token of the owner of a service. */
export async function readOwnerToken(service: TestService): Promise<string | undefined> {
  return ownerDocument(ownerFile(service)).read();
}

/** Creates a code with which the console is opened as the owner, as `crewroom console` does. */
export async function createOwnerCode(service: TestService): Promise<string> {
  const token = await readOwnerToken(service);
  const {json} = await callService(service, 'POST /api/access/codes', {headers: [`Authorization: Bearer ${token}`]});
  return String(json['code']);
}
