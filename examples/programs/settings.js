// Counts the starts of a program in settings that others write too: a write that was overtaken is made again from what is there now. Run it:
// node examples/programs/settings.js [URL]
// @ts-check
import {AppError, createClient} from 'crewroom/client';

const KEY = 'com.example.hello/settings';
const {entries} = createClient({baseUrl: process.argv[2] ?? 'http://localhost:7172'});

/** @returns {Promise<number>} */
async function countStart() {
  const found = await entries.get(KEY);
  const settings = /** @type {{starts?: number} | undefined} */ (found?.value);
  const starts = (settings?.starts ?? 0) + 1;
  try {
    await entries.put(KEY, {...settings, starts}, {expected: found?.revision ?? 'absent'});
    return starts;
  } catch (error) {
    if (AppError.is(error) && error.code === 'revision-conflict') return countStart();
    throw error;
  }
}

console.log('starts', await countStart());
