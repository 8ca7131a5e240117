import type { Pass } from '../definition/index.ts';
import { endWith, type StateTester } from './tester.ts';

export const testPass: StateTester = ({ flow, state }, run) => {
  if (state.QueryLanguage === 'JSONata') return endWith(flow.pass(run), state);
  const { Result: result } = state as Pass;
  if (result !== undefined) run.inspect?.('result', result);
  return endWith(flow.finish(run, result ?? flow.prepare(run, flow.select(run))), state);
};
