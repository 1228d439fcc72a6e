import {defineConfig} from 'vitest/config';
import {test} from '../vitest.config.ts';

/** The tests of the mutants of one folder: main.js chooses them. Nothing is built, so they start no program of dist/. */
export default defineConfig({
  test: {...test, include: JSON.parse(process.env['MUTANT_TESTS'] ?? '[]')},
});
