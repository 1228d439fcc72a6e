// Absent in the Node that runs tests.
const {navigator} = globalThis as {readonly navigator?: {readonly userAgent: string}};
const userAgent = navigator?.userAgent ?? '';

/** True if the modifier of shortcuts is Cmd here. */
export const IS_MAC: boolean = /mac|iphone|ipad/i.test(userAgent);

/** True on Windows. */
export const IS_WINDOWS: boolean = /windows/i.test(userAgent);
