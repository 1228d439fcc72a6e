import {rename, rm} from 'node:fs/promises';

/** Lets a folder be made beside its place, and puts it there once it is whole: if that fails, what was there stays. */
export async function makeWhole<T>(place: string, make: (folder: string) => Promise<T>): Promise<T> {
  const folder = `${place}.unfinished`;
  // That of a release that was killed.
  await rm(folder, {recursive: true, force: true});
  try {
    const made = await make(folder);
    await rm(place, {recursive: true, force: true});
    await rename(folder, place);
    return made;
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
