import {configure, LONG} from './vitest.config.ts';

/** What takes as long as all other tests. */
export default configure(LONG);
