/** The entry `testing` for browsers: everything except tests in files. */
export { type StateTest, StateTestError, testState } from '@dramaturg/asl';
export { virtualClock } from '@dramaturg/host/browser';
export { play, type PlayOptions } from './testing/play.ts';
export { PlayError } from './testing/play.ts';
export { runTests, type RunTestsOptions, type TestRun } from './testing/play.ts';
export type { TestStep } from './testing/test-file.ts';
