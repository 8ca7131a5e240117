/**
 * The reason why a test does not start servers and browsers: such tests run in `npm run test:all`. Undefined in that run, and
 * outside tests.
 */
export function whyNotInShortTests(): string | undefined {
  if (process.env['VITEST'] !== 'true' || process.env['DRAMATURG_TEST_ALL'] === '1')
    return undefined;
  return 'Tests with servers and browsers run in "npm run test:all".';
}
