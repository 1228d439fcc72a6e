import {configure, LONG} from './vitest.config.ts';

/** The tests that take as long as all others. */
export default configure(LONG);
