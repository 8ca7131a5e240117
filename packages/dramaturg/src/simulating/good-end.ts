/** The usual outcomes of conversations and runs that have reached what they are for. */
const usualGood = ['completed', 'succeeded', 'ACCEPT'];

/** @param good outcomes and states whose end is a good one; without them the usual outcomes are */
export function isGoodEnd(outcome: string, state: string, good: readonly string[]): boolean {
  const wanted = good.length > 0 ? good : usualGood;
  return wanted.includes(outcome) || good.includes(state);
}
