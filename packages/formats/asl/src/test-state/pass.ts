import type { Pass } from '../definition/index.ts';
import { leading, type StateTester } from './tester.ts';

export const testPass: StateTester = ({ flow, state }, run) => {
  if (state.QueryLanguage === 'JSONata') return leading(flow.pass(run), state);
  const { Result: result } = state as Pass;
  if (result !== undefined) run.inspect?.('result', result);
  return leading(flow.finish(run, result ?? flow.prepare(run, flow.select(run))), state);
};
